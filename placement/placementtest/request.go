package placementtest

import (
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
)

// request is one HTTP request with what the layers in front of the handlers found out about it.
type request struct {
	*http.Request
	version version
	id      string
	admin   bool
	service bool
	body    []byte
	query   query
}

// newRequest gives a request its id.
func newRequest(r *http.Request) *request { return &request{Request: r, id: "req-" + uuid.NewString()} }

// atLeast tells whether the request's microversion is 1.minor or newer.
func (r *request) atLeast(minor int) bool { return r.version.minor >= minor }

// item is a named part of the path.
func (r *request) item(name string) string { return chi.URLParam(r.Request, name) }

// readBody takes in the body and the query string before anything is locked.
func (r *request) readBody() *fault {
	if r.ContentLength != 0 && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return badRequest("the body cannot be read: %v", err)
		}
		r.body = body
	}
	if len(r.body) > 0 && r.Header.Get("Content-Type") == "" {
		return badRequest("content-type header required when content-length > 0")
	}
	var f *fault
	r.query, f = parseQuery(r.URL.RawQuery)
	return f
}
