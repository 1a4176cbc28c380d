package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// serve answers Prometheus at an address, which is one of this machine alone unless it names a host. What it returns
// ends that.
func serve(ctx context.Context, address string, metrics http.Handler, logger *slog.Logger) (stop func() error, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", metrics)
	server := &http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	logger.InfoContext(ctx, "metrics for Prometheus, until interrupted", "url", "http://"+listener.Addr().String()+"/metrics")
	return func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}
