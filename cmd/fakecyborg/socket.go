package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// unixPrefix is what the value of -listen and -check starts with when it names a
// Unix socket.
const unixPrefix = "unix:"

// removeStaleSocket takes away a socket that nobody serves any more. Anything else
// at that path is left alone and an error.
func removeStaleSocket(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("listen unix:%s: there is a file that is no socket: take another path", path)
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err == nil {
		_ = connection.Close()
		return fmt.Errorf("listen unix:%s: another process serves it: end that, or take another path", path)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}
