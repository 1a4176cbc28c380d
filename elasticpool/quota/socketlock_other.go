//go:build !unix || aix || solaris

package quota

import "syscall"

// lockFile locks nothing where there is no flock.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }

// ownerOnly leaves the mode to Chmod.
func ownerOnly(syscall.RawConn) error { return nil }
