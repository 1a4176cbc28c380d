package computetest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"
)

// Fault is something that happens to requests instead of, or beside, their being carried out.
type Fault struct {
	Method string // empty: any
	Path   string // a part of the path; empty: any
	Query  string // a part of the query; empty: any
	Skip   int    // so many requests pass before the first that it happens to
	Times  int    // how often it happens; 0: once, -1: for ever

	Do     func()        // is called first, such as to change the cloud between two pages
	Wait   time.Duration // goes by first
	Lost   bool          // the request is carried out, and the connection ends without an answer
	Cut    bool          // the connection ends, and nothing is carried out
	Status int           // is answered, and nothing is carried out
	Body   string
	Header map[string]string
}

// Inject lets a fault happen. Earlier ones come first.
func (s *Server) Inject(fault Fault) {
	if fault.Times == 0 {
		fault.Times = 1
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.faults = append(s.faults, &fault)
}

// ClearFaults ends all faults.
func (s *Server) ClearFaults() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.faults = nil
}

func (f *Fault) meets(r *http.Request) bool {
	if f.Times == 0 || f.Method != "" && f.Method != r.Method ||
		!strings.Contains(r.URL.Path, f.Path) || !strings.Contains(r.URL.RawQuery, f.Query) {
		return false
	}
	if f.Skip > 0 {
		f.Skip--
		return false
	}
	if f.Times > 0 {
		f.Times--
	}
	return true
}

// received takes note of a request and lets a fault happen to it; it says whether there is nothing more to do.
func (s *Server) received(w http.ResponseWriter, r *http.Request) bool {
	fault := s.note(r)
	if fault == nil {
		return false
	}
	if fault.Do != nil {
		fault.Do()
	}
	if fault.Wait > 0 {
		select {
		case <-time.After(fault.Wait):
		case <-r.Context().Done():
		}
	}
	switch {
	case fault.Cut:
		panic(http.ErrAbortHandler)
	case fault.Lost:
		s.router.ServeHTTP(&recorder{header: make(http.Header)}, r)
		panic(http.ErrAbortHandler)
	case fault.Status > 0:
		for key, value := range fault.Header {
			w.Header().Set(key, value)
		}
		w.WriteHeader(fault.Status)
		_, _ = io.WriteString(w, fault.Body)
		return true
	}
	return false
}

func (s *Server) note(r *http.Request) *Fault {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !strings.HasPrefix(r.URL.Path, "/identity/") {
		s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, body})
	}
	for _, fault := range s.faults {
		if fault.meets(r) {
			return fault
		}
	}
	return nil
}
