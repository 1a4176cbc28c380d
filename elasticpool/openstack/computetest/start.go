package computetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// TB is the part of testing.TB that Start needs.
type TB interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Start makes a cloud that listens on a free port of 127.0.0.1 until the test ends.
func Start(tb TB, opts ...Option) *Server {
	tb.Helper()
	s := New(opts...)
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("start computetest: %v", err)
	}
	s.url = "http://" + listener.Addr().String()
	front := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = front.Serve(listener)
	}()
	tb.Cleanup(func() {
		_ = front.Close()
		<-done
	})
	return s
}

// URL is where a server of Start listens; OS_AUTH_URL is this with /identity/v3 behind it.
func (s *Server) URL() string { return s.url }

// Transport hands requests for any host to the server, in process and without a socket.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ handler http.Handler }

// errCut is what a client sees when the connection ends without an answer.
var errCut = &net.OpError{Op: "read", Net: "tcp", Err: io.EOF}

// RoundTrip serves one request in a goroutine of its own.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	in, err := incoming(r)
	if err != nil {
		return nil, err
	}
	answer := &recorder{header: make(http.Header)}
	done := make(chan error, 1)
	go func() { done <- serve(t.handler, answer, in) }()
	select {
	case err := <-done:
		if err != nil {
			return nil, err
		}
		return answer.response(r), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func incoming(r *http.Request) (*http.Request, error) {
	in := r.Clone(r.Context())
	in.Host = r.URL.Host
	in.Body = http.NoBody
	if r.Body == nil {
		return in, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	in.Body = io.NopCloser(bytes.NewReader(body))
	return in, r.Body.Close()
}

// serve turns the panic that ends a connection into the error that its client sees.
func serve(handler http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch cause := recover(); {
		case cause == nil:
		case errors.Is(asError(cause), http.ErrAbortHandler):
			err = errCut
		default:
			panic(cause)
		}
	}()
	handler.ServeHTTP(w, r)
	return nil
}

func asError(cause any) error {
	err, _ := cause.(error)
	return err
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

func (r *recorder) response(req *http.Request) *http.Response {
	r.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: strconv.Itoa(r.status) + " " + http.StatusText(r.status), StatusCode: r.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header.Clone(), Body: io.NopCloser(&r.body), ContentLength: int64(r.body.Len()), Request: req,
	}
}
