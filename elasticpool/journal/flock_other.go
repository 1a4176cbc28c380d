//go:build !unix || aix || solaris

package journal

import (
	"errors"
	"os"
)

// flock refuses: a lock that outlives a killed process would be worse than none.
func flock(*os.File) error { return errors.ErrUnsupported }

func unlock(file *os.File) error { return file.Close() }
