package quota

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
)

// LeaseRequest is the body of POST /quota/{queue}/leases.
type LeaseRequest struct {
	// Want is the number of VMs beyond those that run or are leased already; at least 1.
	Want int `json:"want"`
	// Class is the class they will be of, "" for any.
	Class string `json:"class,omitempty"`
	// TTL is how many seconds the lease is to hold; 0 stands for the queue's reservation time.
	TTL int `json:"ttl_s,omitempty"`
}

// LeaseResponse answers POST /quota/{queue}/leases.
type LeaseResponse struct {
	Lease Lease  `json:"lease"`
	Quota Answer `json:"quota"`
}

// Problem is the body of every error over HTTP (RFC 9457).
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// errNothingFree is the answer to a lease that would be empty.
var errNothingFree = errors.New("no VM is free for this queue now")

// Handler returns the service over HTTP: GET /quota, GET /quota/{queue}, POST /quota/{queue}/leases and
// DELETE /quota/{queue}/leases/{id}.
func (s *Server) Handler() http.Handler {
	r := chi.NewRouter()
	r.Use(s.bearer)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		s.problem(w, http.StatusNotFound, "there is nothing at "+r.URL.Path)
	})
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		s.problem(w, http.StatusMethodNotAllowed, r.URL.Path+" does not know "+r.Method)
	})
	r.Get("/quota", s.getAll)
	r.Get("/quota/{queue}", s.getQueue)
	r.Post("/quota/{queue}/leases", s.postLease)
	r.Delete("/quota/{queue}/leases/{id}", s.deleteLease)
	return r
}

// bearer lets only requests with the token pass, if there is one.
func (s *Server) bearer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			token = ""
		}
		if err := s.authorize(strings.TrimSpace(token)); err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.fail(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) getAll(w http.ResponseWriter, _ *http.Request) {
	answers := []Answer{}
	for _, q := range s.ledger.Queues() {
		if a, err := s.ledger.Query(q.Name); err == nil { // else it was removed a moment ago
			answers = append(answers, a)
		}
	}
	s.write(w, http.StatusOK, "application/json", map[string]any{"queues": answers})
}

func (s *Server) getQueue(w http.ResponseWriter, r *http.Request) {
	a, err := s.ledger.Query(param(r, "queue"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.write(w, http.StatusOK, "application/json", a)
}

func (s *Server) postLease(w http.ResponseWriter, r *http.Request) {
	// A web page in somebody's browser can send anything but this type without being asked for permission first.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		s.problem(w, http.StatusUnsupportedMediaType, "the body has to be application/json")
		return
	}
	req, err := readLeaseRequest(http.MaxBytesReader(w, r.Body, int64(s.limits.MaxLine)))
	if err != nil {
		s.fail(w, err)
		return
	}
	lease, a, err := s.ledger.Ask(time.Now(), param(r, "queue"), req.Class, req.Want, time.Duration(req.TTL)*time.Second)
	if err == nil && lease.ID == "" {
		err = &Error{Op: "ask for VMs", Queue: a.Queue, Err: errNothingFree}
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Location", "/quota/"+url.PathEscape(lease.Queue)+"/leases/"+lease.ID)
	s.write(w, http.StatusCreated, "application/json", LeaseResponse{Lease: lease, Quota: a})
}

// readLeaseRequest is strict: a misspelt field would change what is asked for.
func readLeaseRequest(body io.Reader) (LeaseRequest, error) {
	var req LeaseRequest
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil {
		return req, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	if d.More() {
		return req, fmt.Errorf("%w: there is more than one JSON value", ErrRequest)
	}
	if req.Want < 1 || req.TTL < 0 {
		return req, fmt.Errorf("%w: want has to be at least 1 and ttl_s at least 0", ErrRequest)
	}
	req.TTL = min(req.TTL, longestTTL)
	return req, nil
}

func (s *Server) deleteLease(w http.ResponseWriter, r *http.Request) {
	n, err := s.ledger.Release(time.Now(), param(r, "queue"), param(r, "id"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.write(w, http.StatusOK, "application/json", map[string]int{"released": n})
}

// param returns a part of the path; chi leaves it escaped when the path has an escaped slash.
func param(r *http.Request, name string) string {
	value := chi.URLParam(r, name)
	if r.URL.RawPath != "" {
		if plain, err := url.PathUnescape(value); err == nil {
			return plain
		}
	}
	return value
}

// fail answers with the status that belongs to the error.
func (s *Server) fail(w http.ResponseWriter, err error) {
	s.problem(w, statusOf(err), err.Error())
}

func statusOf(err error) int {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, ErrUnauthorized):
		return http.StatusUnauthorized
	case errors.Is(err, ErrUnknownQueue), errors.Is(err, ErrUnknownLease):
		return http.StatusNotFound
	case errors.Is(err, ErrAmbiguousQueue), errors.Is(err, errNothingFree):
		return http.StatusConflict
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrRequest):
		return http.StatusBadRequest
	case errors.Is(err, ErrPersist):
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

func (s *Server) problem(w http.ResponseWriter, status int, detail string) {
	s.write(w, status, "application/problem+json", Problem{Title: http.StatusText(status), Status: status, Detail: detail})
}

func (s *Server) write(w http.ResponseWriter, status int, kind string, body any) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		s.log.Debug("answer over HTTP", "error", err)
	}
}
