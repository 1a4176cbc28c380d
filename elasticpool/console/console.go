package console

import (
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Pool is what is shown: *elasticpool.Pool.
type Pool interface {
	Status() elasticpool.Status
	Do(command elasticpool.Command) error
}

// Option is an option of New.
type Option func(*Console) error

// WithToken sets the token that commands need, as Authorization: Bearer TOKEN.
func WithToken(token string) Option {
	return func(c *Console) error {
		if token == "" {
			return errors.New("console: the token is empty")
		}
		sum := sha256.Sum256([]byte(token))
		c.token = &sum
		return nil
	}
}

// WithAnyHost answers requests whatever host they name, not only those for the loopback address.
func WithAnyHost() Option {
	return func(c *Console) error {
		c.anyHost = true
		return nil
	}
}

// WithLogger sets where commands are logged; the default is slog.Default().
func WithLogger(logger *slog.Logger) Option {
	return func(c *Console) error {
		if logger == nil {
			return errors.New("console: the logger is nil")
		}
		c.logger = logger
		return nil
	}
}

// Console shows a pool. Its Observe is given to elasticpool.WithObserver. Its methods may be called at the same time.
type Console struct {
	policy  elasticpool.Policy
	token   *[sha256.Size]byte // nil: nobody may command
	anyHost bool
	logger  *slog.Logger
	metrics *metrics
	history *history

	mu   sync.Mutex
	pool Pool
	last cycle
}

// cycle is the last one that was observed.
type cycle struct {
	in       elasticpool.Input
	decision elasticpool.Decision
	at       time.Time // zero: there was none
}

// New returns a console for a pool with that policy.
func New(policy elasticpool.Policy, opts ...Option) (*Console, error) {
	controller, err := elasticpool.NewController(policy, elasticpool.State{})
	if err != nil {
		return nil, err
	}
	c := &Console{policy: controller.Policy(), logger: slog.Default(), history: &history{}}
	for _, opt := range opts {
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	c.metrics = newMetrics(c.shown)
	return c, nil
}

// Show sets the pool that is shown. Until then there is nothing to see.
func (c *Console) Show(pool Pool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pool = pool
}

// Observe takes in a cycle. It keeps both values, which must not change any more.
func (c *Console) Observe(in elasticpool.Input, d elasticpool.Decision) {
	c.metrics.observe(in, d)
	c.history.observe(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = cycle{in: in, decision: d, at: time.Now()}
}

// shown returns the pool, nil before there is one, and the last cycle.
func (c *Console) shown() (Pool, cycle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pool, c.last
}
