//go:build unix && !aix && !solaris

package lifecycle

import (
	"errors"
	"os"
	"syscall"
)

// lock is a file that one opening of it at a time has.
type lock struct{ *os.File }

// take takes it until it is closed or the process ends, however that happens.
func (l lock) take() error {
	err := syscall.Flock(int(l.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrStoreInUse
	}
	return err
}

// Close gives it back at once: a child of this process that is just being started has the file open as well.
func (l lock) Close() error {
	return errors.Join(syscall.Flock(int(l.Fd()), syscall.LOCK_UN), l.File.Close())
}
