package unixsocket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Reasons why Listen leaves a path alone.
var (
	// ErrInUse says that somebody listens there, or so it seems.
	ErrInUse = errors.New("somebody listens there already")
	// ErrNoSocket says that there is a file that is no socket.
	ErrNoSocket = errors.New("there is a file that is no socket")
)

// patience is how long another service may take to look and bind in the same directory, and to answer a call.
const patience = 5 * time.Second

// Listener is a socket that is removed when it is closed, but only if it is still the listener's own.
type Listener struct {
	*net.UnixListener

	path   string
	socket fs.FileInfo
}

// Listen opens the socket at a path, with that mode of its file; 0 leaves the mode to the process's umask. It replaces a
// socket that a dead process left. Its errors name the path; they wrap ErrInUse, ErrNoSocket, or what the system said.
func Listen(ctx context.Context, path string, mode fs.FileMode) (*Listener, error) {
	l, err := listen(ctx, path, mode)
	if err != nil {
		return nil, fmt.Errorf("listen on socket %s: %w", path, err)
	}
	return l, nil
}

func listen(ctx context.Context, path string, mode fs.FileMode) (*Listener, error) {
	if strings.HasPrefix(path, "@") {
		return nil, errors.New("on Linux a name with @ in front is no file: write ./@ for one")
	}
	unlock, err := lockDir(ctx, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	return bind(ctx, path, mode)
}

// removeStale removes a socket that nobody listens on. Anything else stays, and is an error.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return ErrNoSocket
	}
	dialer := net.Dialer{Timeout: patience}
	conn, err := dialer.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return errors.Join(ErrInUse, conn.Close())
	case !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w, or so it seems: %w", ErrInUse, err)
	}
	return os.Remove(path)
}

// bind makes the socket. On Linux the mode set before that is the one it is born with; elsewhere Chmod has to do.
func bind(ctx context.Context, path string, mode fs.FileMode) (*Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error { return setMode(c, mode) }}
	l, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	u, ok := l.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%T is no unix listener", l), l.Close())
	}
	if mode != 0 {
		if err := os.Chmod(path, mode); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	u.SetUnlinkOnClose(false)
	return &Listener{UnixListener: u, path: path, socket: info}, nil
}

// Close removes the socket, unless somebody has put another one there, and stops listening. It is removed first: as long
// as somebody listens, nobody else takes the path. Closing again is an error that wraps net.ErrClosed.
func (l *Listener) Close() error {
	var gone error
	if info, err := os.Lstat(l.path); err == nil && os.SameFile(info, l.socket) {
		gone = os.Remove(l.path)
	}
	return errors.Join(l.UnixListener.Close(), gone)
}
