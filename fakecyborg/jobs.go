package fakecyborg

import (
	"context"
	"sync"
)

// jobs are what goes on after its request was answered: binds that end late and
// events that are sent late. A reset and the end of the server cancel them.
type jobs struct {
	mu     sync.Mutex
	ctx    context.Context //nolint:containedctx // the life of the jobs, not of a call
	cancel context.CancelFunc
	open   map[*string]struct{}
	closed bool
	wait   sync.WaitGroup
}

func newJobs() *jobs {
	j := &jobs{open: make(map[*string]struct{})}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	return j
}

// start runs a job, unless the server has ended; what it does is said when
// leaks are looked for.
func (j *jobs) start(what string, run func(ctx context.Context)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	id, ctx := &what, j.ctx
	j.open[id] = struct{}{}
	j.wait.Go(func() {
		defer func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			delete(j.open, id)
		}()
		run(ctx)
	})
}

// running says what the jobs are that go on.
func (j *jobs) running() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]string, 0, len(j.open))
	for what := range j.open {
		list = append(list, *what)
	}
	return list
}

// drop cancels all jobs and waits until they have ended; new ones can start.
func (j *jobs) drop() {
	j.mu.Lock()
	j.cancel()
	j.ctx, j.cancel = context.WithCancel(context.Background())
	j.mu.Unlock()
	j.wait.Wait()
}

// end cancels all jobs and lets no new ones start.
func (j *jobs) end() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.drop()
}
