package fakecyborg

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// TB is the part of [testing.TB] that [Start] needs.
type TB interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Start makes a server that listens on a free port of 127.0.0.1, reports to
// Placement when it is given one, and is closed when the test ends. It ends the
// test when anything fails. Without a seed it is empty, no hosts and no device
// profiles: [WithPresetSeed] with "example" gives it those that the program
// fakecyborg has.
func Start(tb TB, opts ...Option) *Server {
	tb.Helper()
	s, err := New(opts...)
	if err != nil {
		tb.Fatalf("start fakecyborg: %v", err)
	}
	if err := s.listen(tb.Context()); err != nil {
		tb.Fatalf("start fakecyborg: %v", err)
	}
	tb.Cleanup(s.Close)
	if err := s.Report(tb.Context()); err != nil {
		tb.Fatalf("start fakecyborg: %v", err)
	}
	return s
}

// listen opens the socket and serves it until Close.
func (s *Server) listen(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	front := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := front.Serve(listener); err != nil && err != http.ErrServerClosed {
			s.logger.Error("serve", "error", err)
		}
	}()
	s.url = "http://" + listener.Addr().String()
	s.closed = func() {
		if err := front.Close(); err != nil {
			s.logger.Warn("close", "error", err)
		}
		<-ended
	}
	return nil
}
