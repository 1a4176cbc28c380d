package placementtest

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// Transport returns a round tripper that hands requests for any host to the server, in process and without a socket, so that it
// can be used in a testing/synctest bubble. A cancelled request context ends the call; the server still finishes what it began, as
// a real one would.
func (s *Server) Transport() http.RoundTripper { return &transport{handler: s} }

// transport runs the handler in a goroutine of its own for each request.
type transport struct{ handler http.Handler }

// RoundTrip sends one request to the handler.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		closeBody(r)
		return nil, err
	}
	in, err := serverRequest(r)
	if err != nil {
		return nil, err
	}
	rec := &recorder{header: make(http.Header)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.handler.ServeHTTP(rec, in)
	}()
	select {
	case <-done:
		return rec.response(r), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// serverRequest turns a client's request into the one that a server sees. The body is read first, so that the handler never
// touches memory of a caller who has gone; of one that is too long only as much is read as shows that.
func serverRequest(r *http.Request) (*http.Request, error) {
	defer closeBody(r)
	in := r.Clone(r.Context())
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	if r.Host == "" {
		in.Host = r.URL.Host
	}
	in.Body = http.NoBody
	if r.Body != nil {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			return nil, err
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
		in.ContentLength = int64(len(body))
	}
	return in, nil
}

// closeBody closes a request body, as a round tripper must on every way out.
func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// recorder keeps what a handler writes.
type recorder struct {
	header http.Header
	sent   http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status, r.sent = status, r.header.Clone()
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// response makes the client's view of what was written.
func (r *recorder) response(req *http.Request) *http.Response {
	r.WriteHeader(http.StatusOK)
	return &http.Response{
		Status:        strconv.Itoa(r.status) + " " + http.StatusText(r.status),
		StatusCode:    r.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        r.sent,
		Body:          io.NopCloser(&r.body),
		ContentLength: int64(r.body.Len()),
		Request:       req,
	}
}
