package placementtest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// TB is the part of [testing.TB] that [Start] uses. It is spelled out here so that a program that embeds the server does not
// link the testing package.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Server is a Placement service in memory. It is an [http.Handler]; with [Start] or [Server.Listen] it also has an address of its
// own. All methods are safe for concurrent use.
type Server struct {
	cfg     config
	store   *store
	handler http.Handler

	mu   sync.Mutex
	http *http.Server
	url  string
	done chan struct{}
}

// New returns a server with the standard resource classes and traits and nothing else in it. It does not listen anywhere: use it
// as an [http.Handler], through [Server.Transport], or call [Server.Listen]. The error names the option that is wrong.
func New(opts ...Option) (*Server, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, store: newStore(cfg.strictCapacity)}
	s.handler = s.routes()
	return s, nil
}

// Start returns a server that listens on a free loopback port until the test ends. It fails the test when an option is wrong or no
// port can be had.
func Start(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := New(opts...)
	if err != nil {
		tb.Fatalf("start placementtest: %v", err)
		return nil
	}
	if err := s.Listen("127.0.0.1:0"); err != nil {
		tb.Fatalf("start placementtest: %v", err)
		return nil
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// Listen makes the server answer on a TCP address of the loopback interface, such as 127.0.0.1:0 for any free port. The address
// is in [Server.URL] when Listen returns. A server listens at most once.
func (s *Server) Listen(address string) error {
	if err := checkLoopback(address); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http != nil {
		return &Error{Op: "listen on " + address, Err: ErrListening}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", address)
	if err != nil {
		return &Error{Op: "listen on " + address, Err: err}
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: headTime, ReadTimeout: requestTime, IdleTimeout: idleTime}
	s.url = "http://" + l.Addr().String() + s.cfg.prefix
	s.done = make(chan struct{})
	go s.serve(s.http, listener{l})
	return nil
}

// How long a client may take to send the head of a request and the whole of it, and to leave a connection idle: longer than
// Go's own clients keep one, so that they are the ones to hang up.
const (
	headTime    = 10 * time.Second
	requestTime = time.Minute
	idleTime    = 3 * time.Minute
)

// serve runs the HTTP server until Close. Its error is always http.ErrServerClosed or follows from the listener being closed.
func (s *Server) serve(srv *http.Server, l net.Listener) {
	defer close(s.done)
	_ = srv.Serve(l)
}

// ServeHTTP answers one request of Placement's API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handler.ServeHTTP(w, r)
}

// URL is the base URL of the service, path prefix included, without a slash at its end. A server that does not listen has the
// base URL http://placement.invalid, which only [Server.Transport] serves.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url == "" {
		return "http://placement.invalid" + s.cfg.prefix
	}
	return s.url
}

// Close stops listening and waits until the listener is gone; running requests are cut off. The contents stay readable through
// [Server.Transport]. Closing twice, or closing a server that never listened, does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	srv, done := s.http, s.done
	s.mu.Unlock()
	if srv == nil {
		return nil
	}
	err := srv.Close()
	<-done
	if err != nil {
		return &Error{Op: "close", Err: err}
	}
	return nil
}
