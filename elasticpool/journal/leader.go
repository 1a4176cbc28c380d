package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"
)

// Leader is the one who may act. It is safe for concurrent use.
type Leader struct {
	path string
	mu   sync.Mutex
	lock *os.File // nil: closed
	me   holder
}

// holder is who has the lock, in a file beside it that is replaced as a whole.
type holder struct {
	Generation int64     `json:"generation"`
	PID        int       `json:"pid"`
	Host       string    `json:"host"`
	Since      time.Time `json:"since"`
}

// holderSuffix ends the name of the file that says who has the lock.
const holderSuffix = ".holder"

// Lock takes the lock file at path, which it makes if it is not there, or returns at once with a [LockedError] that names
// who has it. The leader's generation is one more than that of the last leader.
func Lock(ctx context.Context, path string) (*Leader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, onlyOwner) //nolint:gosec // the path is for the caller to choose
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, explain(err))
	}
	if err := flock(lock); err != nil {
		return nil, errors.Join(refusal(path, err), lock.Close())
	}
	l := &Leader{path: path, lock: lock}
	if err := l.take(); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, explain(err)), l.Close())
	}
	return l, nil
}

// refusal returns the error for a lock that cannot be had.
func refusal(path string, err error) error {
	if !errors.Is(err, ErrLocked) {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	other, err := readHolder(path)
	if err != nil {
		other = holder{} // it has just been taken for the first time
	}
	return &LockedError{Path: path, PID: other.PID, Host: other.Host, Since: other.Since, Generation: other.Generation}
}

// take makes the one who has the lock the leader.
func (l *Leader) take() error {
	last, err := readHolder(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	l.me = holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Round(0)}
	return l.Advance(last.Generation)
}

// Generation returns the number of this leader among all there have been.
func (l *Leader) Generation() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.me.Generation
}

// Advance makes this leader's generation greater than past, which may come from a place that outlives the lock's
// directory. A generation that is greater already stays.
func (l *Leader) Advance(past int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.me.Generation > past {
		return nil
	}
	if past == math.MaxInt64 {
		return fmt.Errorf("generation %d of a leader has no successor", past)
	}
	next := l.me
	next.Generation = past + 1
	if err := writeHolder(l.path, next); err != nil {
		return err
	}
	l.me = next
	return nil
}

// Check returns an error that wraps ErrFenced if this is not the leader any more.
func (l *Leader) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lock == nil {
		return fmt.Errorf("%w: lock %s was given back", ErrFenced, l.path)
	}
	mine, err := l.lock.Stat()
	if err != nil {
		return fmt.Errorf("%w: lock %s: %w", ErrFenced, l.path, err)
	}
	there, err := os.Stat(l.path) //nolint:gosec // the path is for the caller to choose
	if err != nil {
		return fmt.Errorf("%w: lock %s: %w", ErrFenced, l.path, err)
	}
	if !os.SameFile(mine, there) {
		return fmt.Errorf("%w: lock %s is another file now", ErrFenced, l.path)
	}
	other, err := readHolder(l.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFenced, err)
	}
	if other != l.me {
		return fmt.Errorf("%w: process %d on %s leads since %s (generation %d; this is %d)", ErrFenced,
			other.PID, other.Host, other.Since.Format(time.RFC3339), other.Generation, l.me.Generation)
	}
	return nil
}

// Close gives the lock back.
func (l *Leader) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lock == nil {
		return nil
	}
	lock := l.lock
	l.lock = nil
	return unlock(lock)
}

func readHolder(path string) (holder, error) {
	var h holder
	text, err := os.ReadFile(path + holderSuffix) //nolint:gosec // the path is for the caller to choose
	if err != nil {
		return h, err
	}
	if err = json.Unmarshal(text, &h); err == nil && h.Generation < 1 {
		err = fmt.Errorf("generation %d", h.Generation)
	}
	if err != nil {
		return holder{}, fmt.Errorf("%s: damaged: %w: write {\"generation\": N} into it, N at least that of the last leader", path+holderSuffix, err)
	}
	h.Since = h.Since.UTC()
	return h, nil
}

// writeHolder replaces the file that says who has the lock, and returns when that is on the disk.
func writeHolder(path string, h holder) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	next, err := writeFile(path+holderSuffix+unfinished, append(text, '\n'))
	if err != nil {
		return err
	}
	if err := next.Close(); err != nil {
		return err
	}
	if err := os.Rename(path+holderSuffix+unfinished, path+holderSuffix); err != nil {
		return err
	}
	return syncDirectory(path)
}
