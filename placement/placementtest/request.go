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

// maxBody is the longest body that is read, in bytes. A body of thousands of allocations is far shorter.
const maxBody = 16 << 20

// readQuery takes in the query string. Before that it refuses a body without a type, which comes before all else.
func (r *request) readQuery() *fault {
	if r.ContentLength > 0 && r.Header.Get("Content-Type") == "" {
		return badRequest("content-type header required when content-length > 0")
	}
	var f *fault
	r.query, f = parseQuery(r.URL.RawQuery)
	return f
}

// readBody takes in the body, before anything is locked.
func (r *request) readBody() *fault {
	tooLong := newFault(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", maxBody)
	if r.ContentLength > maxBody {
		return tooLong
	}
	if r.ContentLength == 0 || r.Body == nil {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return badRequest("the body cannot be read: %v", err)
	}
	if len(body) > maxBody {
		return tooLong
	}
	r.body = body
	return nil
}
