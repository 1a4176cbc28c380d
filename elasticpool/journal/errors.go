package journal

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrDamaged says that an acknowledged line of a journal cannot be read. It is wrapped by a [DamageError].
	ErrDamaged = errors.New("damaged journal")
	// ErrBroken says that an fsync failed: only [Journal.Compact] can make the journal usable again.
	ErrBroken = errors.New("journal is broken")
	// ErrClosed says that the journal was closed.
	ErrClosed = errors.New("journal is closed")
	// ErrLocked says that another leader has the lock. It is wrapped by a [LockedError].
	ErrLocked = errors.New("another leader has the lock")
	// ErrFenced says that this leader is one no more: its lock file was removed or replaced, or a later leader has come.
	ErrFenced = errors.New("not the leader any more")
)

// DamageError is a line of a journal that cannot be read although something was acknowledged after it.
type DamageError struct {
	Path   string
	Line   int   // from 1
	Offset int64 // of its first byte in the file
	Reason string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s:%d: %v: %s (byte %d): restore the file from a backup, or move it away to begin without what it says",
		e.Path, e.Line, ErrDamaged, e.Reason, e.Offset)
}

// Unwrap returns ErrDamaged.
func (*DamageError) Unwrap() error { return ErrDamaged }

// LockedError names who has the lock. What is not known is empty.
type LockedError struct {
	Path       string
	PID        int
	Host       string
	Since      time.Time
	Generation int64
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("lock %s: %v: who it is has not been written yet", e.Path, ErrLocked)
	}
	return fmt.Sprintf("lock %s: %v: process %d on %s since %s (generation %d): stop it first", e.Path, ErrLocked,
		e.PID, e.Host, e.Since.Format(time.RFC3339), e.Generation)
}

// Unwrap returns ErrLocked.
func (*LockedError) Unwrap() error { return ErrLocked }
