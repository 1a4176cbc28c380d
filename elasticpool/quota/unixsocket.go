package quota

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// unixListener removes its socket when it is closed, but only if it is still its own.
type unixListener struct {
	*net.UnixListener

	path   string
	socket os.FileInfo
	unlock func()
}

// Close stops listening and removes the socket.
func (l *unixListener) Close() error {
	err := l.UnixListener.Close()
	if info, statErr := os.Lstat(l.path); statErr == nil && os.SameFile(info, l.socket) {
		err = errors.Join(err, os.Remove(l.path))
	}
	l.unlock()
	return err
}

// listenUnix listens on a socket of mode 0600. A lock beside the socket keeps two services that start at the same time
// from each taking the other's socket for a stale one.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	l, err := bindUnix(ctx, path)
	if err != nil {
		unlock()
		return nil, err
	}
	l.unlock = unlock
	return l, nil
}

func bindUnix(ctx context.Context, path string) (*unixListener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	// On Linux the mode set before bind is the one that the socket is born with; elsewhere Chmod below has to do.
	lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return ownerOnly(c) }}
	l, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	u, ok := l.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%w: %T is no unix listener", ErrConfig, l), l.Close())
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	u.SetUnlinkOnClose(false)
	return &unixListener{UnixListener: u, path: path, socket: info}, nil
}

// removeStale removes a socket that nobody listens on. Anything else at the path stays, and is an error.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != os.ModeSocket {
		return fmt.Errorf("%w: there is something that is no socket; choose another path", ErrConfig)
	}
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return errors.Join(ErrInUse, conn.Close())
	case !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w, or so it seems: %w", ErrInUse, err)
	}
	return os.Remove(path)
}
