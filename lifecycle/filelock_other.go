//go:build !unix || aix || solaris

package lifecycle

import (
	"errors"
	"os"
)

// lock is a file that one opening of it at a time has.
type lock struct{ *os.File }

// take refuses: a lock that outlives a killed process would be worse than none.
func (lock) take() error { return errors.ErrUnsupported }
