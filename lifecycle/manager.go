package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

const (
	defaultAttempts    = 5
	defaultParallel    = 32
	defaultUndoTimeout = time.Minute
)

// Manager runs the operations of instances with accelerators against one Placement and one Cyborg. It holds no
// state of any instance between operations: what has to be remembered is in the [Record]. A Manager is safe for
// concurrent use by several goroutines; of one instance it runs one operation at a time and refuses others with ErrBusy.
// Two Managers, or two processes, must not work on the same instance.
type Manager struct {
	placement *placement.Client
	cyborg    *cyborgclient.Client
	waiter    *virtdriver.Waiter
	instances instances
	builds    turnstile
	config
}

type config struct {
	attempts    int
	parallel    int
	undoTimeout time.Duration
	observe     func(context.Context, Step)
	store       Store
	hypervisor  Hypervisor
	limits      placement.Limits
	lenient     bool
	build       []requestspec.Option
	composing   []virtdriver.ComposeOption
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
		config: config{
			attempts: defaultAttempts, parallel: defaultParallel, undoTimeout: defaultUndoTimeout,
			observe: func(context.Context, Step) {}, store: forgetful{}, hypervisor: noHypervisor{},
		},
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
	m.waiter, m.builds.free = waiter, m.parallel
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

// WithParallelBuilds bounds how many instances find a host and get their accelerators at a time; the default is 32.
// Those beyond wait, and the requests that they are of take turns.
func WithParallelBuilds(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return fmt.Errorf("parallel builds must be at least 1, not %d", n)
		}
		c.parallel = n
		return nil
	}
}

// WithStore has the record of an instance saved before and after each step that changes something.
func WithStore(store Store) Option {
	return func(c *config) error {
		if store == nil {
			return errors.New("the store is nil")
		}
		c.store = store
		return nil
	}
}

// WithHypervisor has the guests started, stopped and moved, as the last step of each operation.
func WithHypervisor(hypervisor Hypervisor) Option {
	return func(c *config) error {
		if hypervisor == nil {
			return errors.New("the hypervisor is nil")
		}
		c.hypervisor = hypervisor
		return nil
	}
}

// WithLimits refuses an instance that its project may not have, with placement.ErrOverLimit, before anything is claimed:
// in Create, Unshelve and Attach. The devices of all profiles and ports count (LP#2140631).
func WithLimits(limits placement.Limits) Option {
	return func(c *config) error {
		if limits == nil {
			return errors.New("the limits are nil")
		}
		c.limits = limits
		return nil
	}
}

// WithUndoTimeout bounds each task of an undo, and each saving of the record; the default is one minute. They have a
// time of their own because the caller's context may be the very thing that ended the operation.
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
		c.composing = append(c.composing, opts...)
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
// the operation, with its context, so that it finds the span that the operation is in, and should return soon. Several observers are told one after the other.
func WithObserver(fn func(context.Context, Step)) Option {
	return func(c *config) error {
		if fn == nil {
			return errors.New("the observer is nil")
		}
		before := c.observe
		c.observe = func(ctx context.Context, s Step) { before(ctx, s); fn(ctx, s) }
		return nil
	}
}

// WithLogger logs every step when it ends: failed ones as warnings, the others for debugging.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		if logger == nil {
			return errors.New("the logger is nil")
		}
		return WithObserver(func(ctx context.Context, s Step) { s.log(ctx, logger) })(c)
	}
}
