package elasticpool

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// PoolOption is an option of NewPool.
type PoolOption func(*poolOptions) error

type poolOptions struct {
	dryRun   bool
	logger   *slog.Logger
	look     time.Duration
	act      time.Duration
	parallel int
	logPath  string
	logSize  int64
	observer func(Input, Decision)
	wall     func() time.Time              // in tests, a clock that jumps
	disk     func(journalFile) journalFile // in tests, a disk that fails
}

func newPoolOptions(opts []PoolOption) (poolOptions, error) {
	options := poolOptions{
		logger: slog.Default(), look: time.Minute, act: 3 * time.Minute, parallel: 8,
		observer: func(Input, Decision) {}, wall: time.Now,
		disk: func(file journalFile) journalFile { return file },
	}
	for _, opt := range opts {
		if err := opt(&options); err != nil {
			return options, err
		}
	}
	return options, nil
}

// WithDryRun lets the pool decide and log, but never act. It takes no lock and writes nothing in the directory, so it can
// run beside the pool that does act. Each of its cycles begins from what the journal says, as if nothing had been
// decided before.
func WithDryRun() PoolOption {
	return func(o *poolOptions) error {
		o.dryRun = true
		return nil
	}
}

// WithLogger sets where events are logged; the default is slog.Default().
func WithLogger(logger *slog.Logger) PoolOption {
	return func(o *poolOptions) error {
		if logger == nil {
			return errors.New("pool: the logger is nil")
		}
		o.logger = logger
		return nil
	}
}

// WithTimeouts sets how long a sensor may look (default 1 min) and how long an action may take (default 3 min).
func WithTimeouts(look, act time.Duration) PoolOption {
	return func(o *poolOptions) error {
		if look <= 0 || act <= 0 {
			return fmt.Errorf("pool: timeouts %s and %s must be above zero", look, act)
		}
		o.look, o.act = look, act
		return nil
	}
}

// WithParallel sets how many actions may be under way at once in each cloud, and in the batch system; the default is 8.
func WithParallel(n int) PoolOption {
	return func(o *poolOptions) error {
		if n < 1 {
			return fmt.Errorf("pool: %d actions at once: at least 1", n)
		}
		o.parallel = n
		return nil
	}
}

// WithDecisionLog writes every input and decision to a file of JSON lines, which [Replay] reads. When it is larger than
// maxBytes it is renamed to PATH.1, and a new one begins. A log that cannot be written does not stop the pool.
func WithDecisionLog(path string, maxBytes int64) PoolOption {
	return func(o *poolOptions) error {
		if path == "" || maxBytes < 1 {
			return fmt.Errorf("pool: decision log %q of %d bytes: it needs a path and a size", path, maxBytes)
		}
		o.logPath, o.logSize = path, maxBytes
		return nil
	}
}

// WithObserver calls fn after each cycle with all that was decided on and what was decided, such as to count it. It is
// called in the loop, so it must be quick, and it must change neither.
func WithObserver(fn func(Input, Decision)) PoolOption {
	return func(o *poolOptions) error {
		if fn == nil {
			return errors.New("pool: the observer is nil")
		}
		o.observer = fn
		return nil
	}
}
