package fakecyborg

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// jobs are what goes on after its request was answered: binds that end late and
// events that are sent late. A reset and the end of the server cancel them.
type jobs struct {
	mu sync.Mutex
	// present are the jobs that the next reset cancels.
	present *generation
	open    map[*background]struct{}
	closed  bool
}

// background is one job: its kind, "events are still to be sent", and what it is
// about.
type background struct {
	kind string
	of   []string
}

// generation are the jobs between two resets. What belongs to one that has ended
// does not start any more.
type generation struct {
	ctx    context.Context //nolint:containedctx // the life of the jobs, not of a call
	cancel context.CancelFunc
	wait   sync.WaitGroup
}

func newJobs() *jobs {
	return &jobs{present: newGeneration(), open: make(map[*background]struct{})}
}

func newGeneration() *generation {
	g := new(generation)
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

// now are the jobs that the next reset cancels. A request asks for it before it does
// anything, so that its jobs do not outlive a reset which comes in between.
func (j *jobs) now() *generation {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.present
}

// until is a context of a request that ends with the generation as well.
func (g *generation) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(g.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// start runs a job of a generation, unless that or the server has ended; what it does
// is said when leaks are looked for.
func (j *jobs) start(g *generation, what background, run func(ctx context.Context)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || g != j.present {
		return
	}
	id := &what
	j.open[id] = struct{}{}
	g.wait.Go(func() {
		defer func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			delete(j.open, id)
		}()
		run(g.ctx)
	})
}

// shownJobs is how many of a kind [jobs.running] names.
const shownJobs = 3

// running says what the jobs are that go on: one line for each kind, with how many
// there are and which the first are.
func (j *jobs) running() []string {
	j.mu.Lock()
	kinds := make(map[string][]string)
	for what := range j.open {
		kinds[what.kind] = append(kinds[what.kind], what.of...)
	}
	j.mu.Unlock()
	list := make([]string, 0, len(kinds))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		of := kinds[kind]
		slices.Sort(of)
		line := fmt.Sprintf("%d %s: %s", len(of), kind, strings.Join(of[:min(len(of), shownJobs)], ", "))
		if more := len(of) - shownJobs; more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, line)
	}
	return list
}

// cancel ends the present generation without waiting for it, and returns it.
func (j *jobs) cancel() *generation {
	j.mu.Lock()
	defer j.mu.Unlock()
	old := j.present
	j.present = newGeneration()
	old.cancel()
	return old
}

// drop cancels all jobs and waits until they have ended, at most as long as the
// context; new ones can start meanwhile, and are not waited for.
func (j *jobs) drop(ctx context.Context) error {
	old := j.cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		old.wait.Wait()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for binds under way to end: %w", ctx.Err())
	}
}

// end cancels all jobs, waits for them, and lets no new ones start.
func (j *jobs) end() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.cancel().wait.Wait()
}
