package elasticpool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// playWorld is clouds and a batch system in memory, with faults. Servers boot, workers report and jobs run as time goes
// by. A job takes a whole VM.
type playWorld struct {
	mu      sync.Mutex
	made    int
	servers map[string]*playServer // by id
	jobs    []*playJob
	limit   float64 // VMs in each cloud
	doubled []string
	killed  int                          // jobs that ran when their server was deleted
	most    int                          // servers at once
	done    map[string]int               // effects by name
	before  map[string]func(n int) error // by effect: fails instead of the n-th, from 1
	after   map[string]func(n int) error // the reply to the n-th is lost
	hang    map[string]chan struct{}     // by effect: it waits for that and heeds no context
	partial bool                         // lists of servers are cut short
	deaf    string                       // the worker of this VM has stopped
	silent  bool                         // the collector knows no workers
	young   time.Duration
	late    time.Duration // until a list shows a new server
	linger  time.Duration // from a delete until the server is gone
	slow    time.Duration // more time to boot
	broken  int           // so many servers that are made end in error

	points, crash int // the world ends for its controller at the crash-th point
	dead          chan struct{}
}

type playServer struct {
	Server
	cloud    string
	joined   bool
	draining bool
	queue    string
	job      *playJob
	idle     time.Time
	deleted  time.Time
}

type playJob struct {
	id, queue string
	submitted time.Time
	runtime   time.Duration
	started   time.Time
	ended     time.Time
}

const (
	playBoot   = 20 * time.Second // until a server is active
	playReport = 10 * time.Second // until its worker reports then
)

var errDead = errors.New("the process is dead")

func newPlayWorld() *playWorld {
	return &playWorld{
		servers: map[string]*playServer{}, limit: 10, done: map[string]int{}, before: map[string]func(int) error{},
		after: map[string]func(int) error{}, hang: map[string]chan struct{}{}, dead: make(chan struct{}), crash: -1,
	}
}

func playPolicy() Policy {
	return Policy{
		Pool:    "play",
		Queues:  []Queue{{Name: "juno"}, {Name: "lhaaso"}},
		Classes: []Class{{Name: "small", Cloud: "north", Takes: Resources{CPUs: 1}, Slot: Resources{CPUs: 1, Memory: 2048}}},
		Clouds:  []Cloud{{Name: "north"}},
		Control: Control{IdleTime: Duration(time.Minute), Cooldown: Duration(30 * time.Second)},
	}
}

// submit adds jobs.
func (w *playWorld) submit(queue string, n int, runtime time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range n {
		w.jobs = append(w.jobs, &playJob{id: strconv.Itoa(len(w.jobs)), queue: queue, submitted: time.Now(), runtime: runtime})
	}
}

// point is a moment at which the controller's process may be killed; it is false afterwards, for ever. While it only
// looks, nothing differs from one moment to the next.
func (w *playWorld) point(looks bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.dead:
		return false
	default:
	}
	if looks {
		return true
	}
	w.points++
	if w.points == w.crash {
		close(w.dead)
		return false
	}
	return true
}

// effect does something to the world, unless the process is dead or a fault is due.
func (w *playWorld) effect(name string, do func() error) error {
	words := strings.Fields(name)
	looks := slices.Contains([]string{"servers", "limits", "jobs", "workers"}, words[len(words)-1])
	if !w.point(looks) {
		return errDead
	}
	w.mu.Lock()
	w.done[name]++
	n, before, after, hang := w.done[name], w.before[name], w.after[name], w.hang[name]
	w.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if before != nil {
		if err := before(n); err != nil {
			return err
		}
	}
	w.mu.Lock()
	w.live()
	err := do()
	w.live()
	w.mu.Unlock()
	if !w.point(looks) {
		return errDead
	}
	if err == nil && after != nil {
		return after(n)
	}
	return err
}

// live lets time have passed.
func (w *playWorld) live() {
	now := time.Now()
	for _, id := range slices.Sorted(maps.Keys(w.servers)) {
		s := w.servers[id]
		switch {
		case s.Status == ServerBuilding && now.Sub(s.Created) >= playBoot+w.slow:
			s.Status = ServerActive
			if w.broken > 0 {
				w.broken--
				s.Status, s.Fault = ServerError, "no valid host"
			}
		case s.Status == ServerDeleting && now.Sub(s.deleted) >= w.linger:
			delete(w.servers, id)
		}
		if s.job != nil && now.Sub(s.job.started) >= s.job.runtime {
			s.job.ended, s.job, s.idle = now, nil, now
			if s.draining {
				s.joined, s.draining = false, false
			}
		}
		if s.job != nil || !s.joined || s.draining {
			continue
		}
		for _, job := range w.jobs {
			if job.queue == s.queue && job.started.IsZero() {
				job.started, s.job = now, job
				break
			}
		}
	}
}

func (w *playWorld) reports(s *playServer) bool {
	return s.Status == ServerActive && time.Since(s.Created) >= playBoot+w.slow+playReport
}

// playCloud is a cloud of the world.
type playCloud struct {
	*playWorld
	name string
}

func (c playCloud) Servers(_ context.Context, pool string) (list []Server, complete bool, err error) {
	err = c.effect(c.name+" servers", func() error {
		for _, id := range slices.Sorted(maps.Keys(c.servers)) {
			if s := c.servers[id]; s.cloud == c.name && s.Pool == pool && time.Since(s.Created) >= c.late {
				list = append(list, s.Server)
			}
		}
		if complete = !c.partial; c.partial {
			list = list[:len(list)/2]
		}
		return nil
	})
	return list, complete, err
}

func (c playCloud) Limits(context.Context) (limits Limits, err error) {
	err = c.effect(c.name+" limits", func() error {
		free := c.limit
		for _, s := range c.servers {
			if s.cloud == c.name {
				free--
			}
		}
		limits = Limits{Total: Resources{VMs: int64(c.limit)}, Free: Resources{VMs: int64(free)}}
		return nil
	})
	return limits, err
}

func (c playCloud) Create(_ context.Context, spec ServerSpec) (made Server, err error) {
	err = c.effect(c.name+" create", func() error {
		for _, s := range c.servers {
			if s.VM == spec.VM {
				c.doubled = append(c.doubled, spec.VM)
			}
		}
		if float64(len(c.servers)) >= c.limit {
			return &CloudError{Op: "create", Class: ErrQuota}
		}
		c.made++
		made = Server{
			ID: fmt.Sprintf("s%04d", c.made), VM: spec.VM, Pool: spec.Pool, Class: spec.Class.Name, Queue: spec.Queue,
			Generation: spec.Generation, Status: ServerBuilding, Created: time.Now(),
		}
		c.servers[made.ID] = &playServer{Server: made, cloud: c.name, idle: time.Now()}
		c.most = max(c.most, len(c.servers))
		return nil
	})
	return made, err
}

func (c playCloud) Delete(_ context.Context, server Server) error {
	return c.effect(c.name+" delete", func() error {
		s := c.servers[server.ID]
		if s == nil {
			return nil
		}
		if s.job != nil {
			c.killed++
			s.job.started = time.Time{}
		}
		if s.Status != ServerDeleting {
			s.Status, s.deleted = ServerDeleting, time.Now()
		}
		return nil
	})
}

func (playCloud) Stop(context.Context, Server) error  { return ErrUnsupported }
func (playCloud) Start(context.Context, Server) error { return ErrUnsupported }

// playBatch is the batch system of the world.
type playBatch struct{ *playWorld }

func (b playBatch) Jobs(context.Context) (list []JobGroup, err error) {
	err = b.effect("jobs", func() error {
		groups := map[string]*JobGroup{}
		for _, job := range b.jobs {
			g := groups[job.queue]
			if g == nil {
				g = &JobGroup{Queue: job.queue, Request: Resources{CPUs: 1, Memory: 1024}, Oldest: job.submitted}
				groups[job.queue] = g
			}
			switch {
			case !job.ended.IsZero():
			case !job.started.IsZero():
				g.Running++
			default:
				g.Idle++
			}
		}
		for _, queue := range slices.Sorted(maps.Keys(groups)) {
			list = append(list, *groups[queue])
		}
		return nil
	})
	return list, err
}

func (b playBatch) Workers(context.Context) (workers Workers, err error) {
	err = b.effect("workers", func() error {
		workers = Workers{Since: time.Hour, Interval: 10 * time.Second}
		if b.young > 0 {
			workers.Since = b.young
		}
		for _, id := range slices.Sorted(maps.Keys(b.servers)) {
			s := b.servers[id]
			if !b.reports(s) || b.silent || s.VM == b.deaf {
				continue
			}
			worker := Worker{
				VM: s.VM, Name: s.VM + ".play", Queue: s.queue, Joined: s.joined, Draining: s.draining, Heard: time.Now(),
				Total: Resources{CPUs: 1, Memory: 2048}, Free: Resources{CPUs: 1, Memory: 2048}, IdleSince: s.idle,
			}
			if s.job != nil {
				worker.Jobs, worker.IdleSince = []Job{{ID: s.job.id, Queue: s.job.queue, Since: s.job.started}}, time.Time{}
				worker.Free = Resources{CPUs: 0, Memory: 1024}
			}
			workers.List = append(workers.List, worker)
		}
		return nil
	})
	return workers, err
}

// with does something to the server of a worker.
func (b playBatch) with(name string, worker Worker, do func(*playServer) error) error {
	return b.effect(name, func() error {
		for _, s := range b.servers {
			if s.VM == worker.VM && b.reports(s) {
				return do(s)
			}
		}
		return ErrNoWorker
	})
}

func (b playBatch) Join(_ context.Context, worker Worker, queue string) error {
	return b.with("join", worker, func(s *playServer) error {
		s.joined, s.queue, s.idle = true, queue, time.Now()
		return nil
	})
}

func (b playBatch) Bind(_ context.Context, worker Worker, queue string) error {
	return b.with("bind", worker, func(s *playServer) error {
		s.queue = queue
		return nil
	})
}

func (b playBatch) Drain(_ context.Context, worker Worker, onlyIdle bool) error {
	return b.with("drain", worker, func(s *playServer) error {
		if s.job != nil && onlyIdle {
			return ErrBusy
		}
		if s.draining = s.job != nil; !s.draining {
			s.joined = false
		}
		return nil
	})
}

func (b playBatch) CancelDrain(_ context.Context, worker Worker) error {
	return b.with("cancel", worker, func(s *playServer) error {
		if !s.joined {
			return ErrNoWorker
		}
		s.draining = false
		return nil
	})
}

func (b playBatch) Free(context.Context, Worker) error {
	return b.effect("free", func() error { return nil })
}

// playDisk is the journal's disk: the process can be killed before and after each write.
type playDisk struct {
	journalFile
	*playWorld
}

func (d playDisk) Append(kind string, v any) error {
	return d.effect("append", func() error { return d.journalFile.Append(kind, v) })
}

func (d playDisk) Compact(kind string, v any) error {
	return d.effect("compact", func() error { return d.journalFile.Compact(kind, v) })
}

// count counts the servers.
func (w *playWorld) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.servers)
}

// destroy deletes a server behind everybody's back.
func (w *playWorld) destroy(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if job := w.servers[id].job; job != nil {
		job.started = time.Time{}
	}
	delete(w.servers, id)
}

// unfinished counts the jobs that have not ended.
func (w *playWorld) unfinished() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, job := range w.jobs {
		if job.ended.IsZero() {
			n++
		}
	}
	return n
}

// calls counts effects of one name.
func (w *playWorld) calls(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done[name]
}

// set changes the world between cycles.
func (w *playWorld) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *playWorld) config(dir string, policy Policy) PoolConfig {
	clouds := map[string]Provider{}
	for _, cloud := range policy.Clouds {
		clouds[cloud.Name] = playCloud{w, cloud.Name}
	}
	return PoolConfig{Policy: policy, Batch: playBatch{w}, Clouds: clouds, Dir: dir}
}

// options are those of all pools of the world.
func (w *playWorld) options(more ...PoolOption) []PoolOption {
	return append([]PoolOption{WithLogger(slog.New(slog.DiscardHandler)), func(o *poolOptions) error {
		o.disk = func(file journalFile) journalFile { return playDisk{file, w} }
		return nil
	}}, more...)
}

// pool starts a pool in the world. It is closed at the end of the test.
func (w *playWorld) pool(t *testing.T, dir string, policy Policy, more ...PoolOption) *Pool {
	t.Helper()
	p, err := NewPool(t.Context(), w.config(dir, policy), w.options(more...)...)
	require.NoError(t, err)
	return p
}

// runFor runs a pool for some time, and closes it.
func runFor(t *testing.T, p *Pool, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	assert.NoError(t, p.Run(ctx))
	assert.NoError(t, p.Close())
}
