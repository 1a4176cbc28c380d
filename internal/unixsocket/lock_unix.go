//go:build unix && !aix && !solaris

package unixsocket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// lockDir takes the lock on a directory, for which it waits a little. The kernel lets go of it when the process ends,
// however it ends.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f, err := os.Open(dir) //nolint:gosec // the path is the operator's own setting
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock directory %s: %w", dir, err), f.Close())
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("%w: another process holds the lock of directory %s", ErrInUse, dir), f.Close())
		}
	}
}

// setMode sets the mode of a socket that has no path yet; 0 leaves it.
func setMode(c syscall.RawConn, mode fs.FileMode) error {
	if mode == 0 {
		return nil
	}
	var err error
	if controlErr := c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), uint32(mode.Perm())) }); controlErr != nil {
		return controlErr
	}
	if errors.Is(err, syscall.EINVAL) {
		return nil // not supported here
	}
	return err
}
