//go:build unix && !aix && !solaris

package quota

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile takes the lock without waiting. The kernel lets go of it when the process ends, however it ends. The file
// stays: removing it would let two processes hold locks of two files of the same name.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the path is the operator's own setting
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrInUse
		}
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// ownerOnly sets the mode of a socket that has no path yet.
func ownerOnly(c syscall.RawConn) error {
	var err error
	if controlErr := c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) }); controlErr != nil {
		return controlErr
	}
	if errors.Is(err, syscall.EINVAL) {
		return nil // not supported here
	}
	return err
}
