//go:build !unix || aix || solaris

package unixsocket

import (
	"context"
	"io/fs"
	"syscall"
)

// lockDir locks nothing where there is no flock.
func lockDir(context.Context, string) (unlock func(), err error) { return func() {}, nil }

// setMode leaves the mode to Chmod.
func setMode(syscall.RawConn, fs.FileMode) error { return nil }
