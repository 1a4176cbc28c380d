package lifecycle

import (
	"errors"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

const (
	defaultAttempts    = 5
	defaultUndoTimeout = time.Minute
)

// Manager runs the operations of instances with accelerators against one Placement and one Cyborg. It holds no
// state of any instance: what has to be remembered is in the [Record] that an operation returns. A Manager is safe
// for concurrent use by several goroutines; operations on the same instance must not overlap.
type Manager struct {
	placement *placement.Client
	cyborg    *cyborgclient.Client
	waiter    *virtdriver.Waiter
	config
}

type config struct {
	attempts    int
	undoTimeout time.Duration
	observe     func(Step)
	lenient     bool
	build       []requestspec.Option
	compose     []virtdriver.ComposeOption
	wait        []virtdriver.WaiterOption
}

// Option changes a default of [New].
type Option func(*config) error

// New returns a Manager that claims with placementClient and asks cyborg for the accelerators.
func New(placementClient *placement.Client, cyborg *cyborgclient.Client, opts ...Option) (*Manager, error) {
	if placementClient == nil || cyborg == nil {
		return nil, errors.New("new lifecycle manager: it needs a placement client and a cyborg client")
	}
	m := &Manager{
		placement: placementClient,
		cyborg:    cyborg,
		config:    config{attempts: defaultAttempts, undoTimeout: defaultUndoTimeout, observe: func(Step) {}},
	}
	for _, opt := range opts {
		if err := opt(&m.config); err != nil {
			return nil, fmt.Errorf("new lifecycle manager: %w", err)
		}
	}
	waiter, err := virtdriver.NewWaiter(cyborg, m.wait...)
	if err != nil {
		return nil, fmt.Errorf("new lifecycle manager: %w", err)
	}
	m.waiter = waiter
	return m, nil
}

// WithAttempts bounds how many candidates one Create tries before it gives up; the default is 5. Nova tries one
// (nova/compute/manager.py: a failed binding is a BuildAbortException).
func WithAttempts(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return fmt.Errorf("attempts must be at least 1, not %d", n)
		}
		c.attempts = n
		return nil
	}
}

// WithUndoTimeout bounds the undo of one failed attempt; the default is one minute. The undo has its own deadline
// because the caller's context may be the very thing that ended the attempt.
func WithUndoTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return fmt.Errorf("undo time-out must be positive, not %s", d)
		}
		c.undoTimeout = d
		return nil
	}
}

// WithWaiter passes options to the wait for the bindings, such as the event receiver or arq_binding_timeout.
func WithWaiter(opts ...virtdriver.WaiterOption) Option {
	return func(c *config) error {
		c.wait = append(c.wait, opts...)
		return nil
	}
}

// WithCompose passes options to the composition of the domain XML, such as what to do with TEST_PCI handles.
func WithCompose(opts ...virtdriver.ComposeOption) Option {
	return func(c *config) error {
		c.compose = append(c.compose, opts...)
		return nil
	}
}

// WithLenient reads flavors and profiles as Nova does, to the byte: what Nova only warns about is no error then.
func WithLenient() Option {
	return func(c *config) error {
		c.lenient = true
		c.build = []requestspec.Option{requestspec.Lenient()}
		return nil
	}
}

// WithObserver has fn told of every finished step, in order, also of those of an undo. It runs in the goroutine of
// the operation and should return soon.
func WithObserver(fn func(Step)) Option {
	return func(c *config) error {
		if fn == nil {
			return errors.New("the observer is nil")
		}
		c.observe = fn
		return nil
	}
}
