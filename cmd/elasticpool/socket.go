package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"
)

// listenSocket opens a unix socket that only its owner can use. A socket that a dead process left is replaced; the pool's
// directory belongs to one pool at a time, so nobody else can make one meanwhile.
func listenSocket(ctx context.Context, path string) (net.Listener, error) {
	if _, err := os.Stat(path); err == nil {
		dialer := net.Dialer{Timeout: time.Second}
		if conn, err := dialer.DialContext(ctx, "unix", path); err == nil {
			conn.Close() //nolint:errcheck,gosec // it only asked who is there
			return nil, fmt.Errorf("%s: somebody listens there already", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close() //nolint:errcheck,gosec // the first error counts
		return nil, err
	}
	return listener, nil
}
