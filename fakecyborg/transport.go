package fakecyborg

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"sync"
)

// memoryURL is the address of a server that does not listen.
const memoryURL = "http://cyborg.invalid"

// memoryTransport runs the handler in a goroutine for each request. The body
// streams through a pipe, and the request's context ends both sides.
type memoryTransport struct {
	handler http.Handler
}

// RoundTrip returns when the handler has sent its header, or with the context's
// error when the request's context ends first.
func (t *memoryTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithCancel(request.Context())
	reader, writer := io.Pipe()
	w := &memoryWriter{header: make(http.Header), begun: make(chan struct{}), body: writer}
	context.AfterFunc(ctx, func() { _ = writer.CloseWithError(ctx.Err()) })
	go func() {
		inner := serverRequest(ctx, request)
		defer inner.Body.Close()
		if !finish(t.handler, w, inner) {
			w.drop(io.EOF)
			return
		}
		// A handler that returns because the context has ended has not finished.
		// Here, and not only in the AfterFunc, that is certain to come first.
		_ = writer.CloseWithError(cmp.Or(ctx.Err(), w.short(request.Method)))
		w.WriteHeader(http.StatusOK)
	}()
	select {
	case <-w.begun:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		cancel()
		return nil, err
	}
	if w.broken != nil {
		cancel()
		return nil, w.broken
	}
	return w.response(request, &memoryBody{PipeReader: reader, cancel: cancel}), nil
}

// finish runs a handler; false means that it wants the connection to be ended, as
// net/http understands it.
func finish(handler http.Handler, w http.ResponseWriter, request *http.Request) (finished bool) {
	defer func() {
		reason := recover()
		if err, ok := reason.(error); reason != nil && (!ok || !errors.Is(err, http.ErrAbortHandler)) {
			panic(reason)
		}
	}()
	handler.ServeHTTP(w, request)
	return true
}

// serverRequest is the request as a listening server would hand it to its handler.
func serverRequest(ctx context.Context, request *http.Request) *http.Request {
	inner := request.Clone(ctx)
	inner.RequestURI = request.URL.RequestURI()
	inner.Proto, inner.ProtoMajor, inner.ProtoMinor = "HTTP/1.1", 1, 1
	inner.RemoteAddr = "127.0.0.1:0"
	if inner.Host == "" {
		inner.Host = request.URL.Host
	}
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	return inner
}

// memoryBody is the body that the client reads; closing it ends the handler's request.
type memoryBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Read hands on the handler's bytes and frees the request's context at their end.
func (b *memoryBody) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if err != nil {
		b.cancel()
	}
	return n, err
}

// Close makes further writes of the handler fail.
func (b *memoryBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// memoryWriter is the handler's side.
type memoryWriter struct {
	header http.Header
	sent   http.Header
	status int
	once   sync.Once
	begun  chan struct{}
	body   *io.PipeWriter
	// broken is the end of a connection without an answer.
	broken error
	// written is how much of the body came so far.
	written int64
}

// drop ends the connection: without an answer, or in the middle of it.
func (w *memoryWriter) drop(err error) {
	w.once.Do(func() {
		w.broken = err
		close(w.begun)
	})
	_ = w.body.CloseWithError(io.ErrUnexpectedEOF)
}

// short is the error of a body that is shorter than the header promised.
func (w *memoryWriter) short(method string) error {
	promised, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64)
	if err != nil || method == http.MethodHead || w.written >= promised {
		return nil
	}
	return io.ErrUnexpectedEOF
}

// Header is what the next WriteHeader sends.
func (w *memoryWriter) Header() http.Header { return w.header }

// WriteHeader sends status and header; only the first call counts.
func (w *memoryWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, make(http.Header, len(w.header))
		for key, values := range w.header {
			if values != nil {
				w.sent[textproto.CanonicalMIMEHeaderKey(key)] = append([]string(nil), values...)
			}
		}
		close(w.begun)
	})
}

// Write sends the header, if that is still to do, and then blocks until the
// client has read the bytes.
func (w *memoryWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, err := w.body.Write(p)
	w.written += int64(n)
	return n, err
}

// Flush sends the header; bytes are never held back.
func (w *memoryWriter) Flush() { w.WriteHeader(http.StatusOK) }

// response is what the client gets once the header is sent.
func (w *memoryWriter) response(request *http.Request, body io.ReadCloser) *http.Response {
	length, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64)
	if err != nil {
		length = -1
	}
	return &http.Response{
		Status:        strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		Body:          body,
		ContentLength: length,
		Request:       request,
	}
}
