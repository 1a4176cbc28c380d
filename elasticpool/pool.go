package elasticpool

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool/journal"
	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// JobSource is where jobs wait: one schedd of HTCondor, or a whole BatchSystem.
type JobSource interface {
	// Jobs returns all jobs in all queues of the source, in groups of equal ones. A source that cannot say the whole
	// truth returns an error: an empty answer means that there are no jobs.
	Jobs(ctx context.Context) ([]JobGroup, error)
}

// PoolConfig is what a pool is made of.
type PoolConfig struct {
	Policy Policy
	Batch  BatchSystem
	// Jobs are the sources of jobs by name, such as that of a schedd. If it is nil, Batch is asked, as source "jobs".
	Jobs map[string]JobSource
	// Clouds are the providers by the names of the policy's clouds.
	Clouds map[string]Provider
	// Dir is the directory of the journal and the leader lock, which one Pool at a time has. It is made if it is not
	// there; its parent must be.
	Dir string
}

// Names of files in PoolConfig.Dir.
const (
	journalName = "journal"
	lockName    = "lock"
)

// ErrPoolClosed says that a pool was closed.
var ErrPoolClosed = errors.New("the pool is closed")

// decider is what a Pool needs of a Controller.
type decider interface {
	Decide(in Input) Decision
	State() State
}

// Pool is the live loop around a [Controller]. Once a cycle it asks sensors, each in its own time, lets the controller
// decide, writes what it is about to do into a journal, and begins to do it. Nothing that is slow or hangs stops the loop: a
// sensor that does not answer keeps its last value, which grows old, and an action goes on beside the loop until it
// has ended. It is killed at any moment without losing or doubling anything: the next Pool of the same directory goes
// on.
//
// Its methods may be called at the same time, but Run only once.
type Pool struct {
	config  PoolConfig
	options poolOptions
	build   func(Policy, State) (decider, error)
	cycle   time.Duration
	started time.Time
	clock   *poolClock
	leader  *journal.Leader // nil in a dry run
	store   *poolStore
	ledger  *quota.Ledger
	sensors poolSensors
	clouds  map[string]*breaker
	slots   map[string]chan struct{} // by cloud, and batchSlots: who acts has one
	log     *decisionLog

	open, acting            context.Context // ends when nothing more may begin; when all that is under way must end
	stopOpening, stopActing context.CancelFunc
	looks, acts             sync.WaitGroup
	wake                    chan struct{} // there is something to decide on

	cycling sync.Mutex // guards what a cycle uses
	decider decider
	unheard map[string]bool // clouds that have not shown their servers since the start
	decided []int64         // in the state, and not in the journal yet
	frozen  []string        // in the last decision

	mu       sync.Mutex // guards all below
	next     int64      // number of an action or command
	running  map[string]RunningAction
	ended    map[int64]Outcome
	commands map[int64]Command
	workers  map[string]Worker // as last seen, of VMs that there are
	names    map[string]string // of workers, by VM
	classes  map[string]Class
	last     poolCycle
	lost     error // why the pool does nothing any more
}

// NewPool takes the leader lock, replays the journal, lists the clouds and restores the controller. It fails with an
// error that wraps journal.ErrLocked if another pool has the directory, and with the error of [NewController] if the
// policy is wrong. ctx is for NewPool alone. A cloud that does not answer keeps nobody waiting longer than a look may
// take; it is frozen until it does.
func NewPool(ctx context.Context, config PoolConfig, opts ...PoolOption) (*Pool, error) {
	return newPool(ctx, config, func(policy Policy, state State) (decider, error) { return NewController(policy, state) }, opts...)
}

func newPool(ctx context.Context, config PoolConfig, build func(Policy, State) (decider, error), opts ...PoolOption) (*Pool, error) {
	options, err := newPoolOptions(opts)
	if err != nil {
		return nil, err
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	p := &Pool{
		config: config, options: options, build: build, clock: newPoolClock(options.wall),
		cycle: config.Policy.withDefaults().Control.Cycle.D(),
		wake:  make(chan struct{}, 1), unheard: map[string]bool{}, running: map[string]RunningAction{},
		commands: map[int64]Command{}, workers: map[string]Worker{}, classes: map[string]Class{},
		clouds: map[string]*breaker{}, slots: map[string]chan struct{}{batchSlots: make(chan struct{}, options.parallel)},
	}
	p.open, p.stopOpening = context.WithCancel(context.WithoutCancel(ctx))
	p.acting, p.stopActing = context.WithCancel(context.WithoutCancel(ctx))
	if err := p.start(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}
