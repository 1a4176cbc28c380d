package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/novacyborg/novacyborg/internal/unixsocket"
)

// unixPrefix is what the value of -listen and -check starts with when it names a
// Unix socket.
const unixPrefix = "unix:"

// listenUnix opens a socket. One that a dead process left is replaced. Who may open it
// is the matter of the umask.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	listener, err := unixsocket.Listen(ctx, path, 0)
	switch {
	case errors.Is(err, unixsocket.ErrInUse):
		return nil, fmt.Errorf("%w: end that process, or take another path", err)
	case errors.Is(err, unixsocket.ErrNoSocket):
		return nil, fmt.Errorf("%w: take another path", err)
	case err != nil:
		return nil, err
	}
	return listener, nil
}
