//go:build unix && !aix && !solaris

package journal

import (
	"errors"
	"os"
	"syscall"
)

// flock takes a file until it is closed or the process ends, however that happens.
func flock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// unlock gives a file back at once: a child of this process that is just being started has the file open as well.
func unlock(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}
