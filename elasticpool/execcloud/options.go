package execcloud

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Option sets one thing of a Plugin.
type Option func(*config) error

type config struct {
	dir     string
	env     []string
	log     *slog.Logger
	timeout time.Duration
	grace   time.Duration
	first   time.Duration
	most    time.Duration
	line    int // bytes
	reads   bool
	fill    func(context.Context, elasticpool.ServerSpec) (string, error)
}

func defaults() config {
	return config{
		log: slog.New(slog.DiscardHandler), timeout: time.Minute, grace: 5 * time.Second,
		first: time.Second, most: time.Minute, line: maxLine,
		fill: func(_ context.Context, spec elasticpool.ServerSpec) (string, error) { return spec.Class.UserData, nil },
	}
}

// WithDir sets the folder in which the plugin runs. Without it that is the pool's own.
func WithDir(dir string) Option {
	return func(c *config) error {
		c.dir = dir
		return nil
	}
}

// WithEnv sets the whole environment of the plugin, as KEY=VALUE. Without it the plugin has the pool's own. It is the
// way to hand over credentials: arguments can be read by every user of the machine.
func WithEnv(env ...string) Option {
	return func(c *config) error {
		c.env = append([]string{}, env...)
		return nil
	}
}

// WithLogger logs what the plugin writes to its standard error, and its faults. Without it nothing is logged.
func WithLogger(log *slog.Logger) Option {
	return func(c *config) error {
		if log == nil {
			return errors.New("logger is nil")
		}
		c.log = log
		return nil
	}
}

// WithTimeout sets how long the plugin may take for an answer; a context that ends earlier counts. Default: 60 s.
func WithTimeout(timeout time.Duration) Option {
	return func(c *config) error {
		if timeout < time.Millisecond {
			return fmt.Errorf("timeout %v is below 1ms", timeout)
		}
		c.timeout = timeout
		return nil
	}
}

// WithGrace sets how long Close waits for the plugin after it has closed its standard input, and again after SIGTERM,
// before it kills it. Default: 5 s.
func WithGrace(grace time.Duration) Option {
	return func(c *config) error {
		if grace < 0 {
			return fmt.Errorf("grace %v is negative", grace)
		}
		c.grace = grace
		return nil
	}
}

// WithBackoff sets how long a plugin that has died rests before it is started again: first, doubled each time up to
// most. Default: 1 s, 60 s.
func WithBackoff(first, most time.Duration) Option {
	return func(c *config) error {
		if first <= 0 || most < first {
			return fmt.Errorf("back-off from %v to %v goes backwards", first, most)
		}
		c.first, c.most = first, most
		return nil
	}
}

// WithReadOnly lets the plugin be asked for servers and limits only; everything else fails with ErrUnsupported and does not
// reach it. Its process has ReadOnlyVariable in its environment. It is for a second process beside that of a pool.
func WithReadOnly() Option {
	return func(c *config) error {
		c.reads = true
		return nil
	}
}

// WithUserData sets what fills in the template of a class's user data before a plugin gets it. Without it plugins get the
// template. An error of it that is no *elasticpool.CloudError is transient.
func WithUserData(fill func(ctx context.Context, spec elasticpool.ServerSpec) (string, error)) Option {
	return func(c *config) error {
		if fill == nil {
			return errors.New("user data function is nil")
		}
		c.fill = fill
		return nil
	}
}
