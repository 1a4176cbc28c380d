package elasticpool

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/journal"
	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// script decides what a test says, a list of actions each time, and keeps what it was told.
type script struct {
	state   State
	actions [][]Action
	inputs  []Input
}

func (s *script) State() State { return s.state }

func (s *script) Decide(in Input) Decision {
	s.inputs = append(s.inputs, in)
	decision := Decision{At: in.Now}
	if len(s.actions) > 0 {
		decision.Actions, s.actions = s.actions[0], s.actions[1:]
	}
	return decision
}

// outcomes returns the outcomes that it was told, in order.
func (s *script) outcomes() []Outcome {
	var list []Outcome
	for _, in := range s.inputs {
		list = append(list, in.Outcomes...)
	}
	return list
}

// scripted starts a pool that decides by a script.
func scripted(t *testing.T, w *playWorld, dir string, s *script, more ...PoolOption) *Pool {
	t.Helper()
	build := func(_ Policy, state State) (decider, error) {
		s.state.Generation = state.Generation
		return s, nil
	}
	p, err := newPool(t.Context(), w.config(dir, playPolicy()), build, w.options(more...)...)
	require.NoError(t, err)
	return p
}

// spyBatch and spyCloud note what they are asked to do.
type spyBatch struct {
	playBatch
	asked *[]string
	err   error
}

func (b spyBatch) note(what string, worker Worker, more any) error {
	*b.asked = append(*b.asked, fmt.Sprintf("%s %s %s %v", what, worker.VM, worker.Name, more))
	return b.err
}

func (b spyBatch) Join(_ context.Context, w Worker, queue string) error {
	return b.note("join", w, queue)
}

func (b spyBatch) Bind(_ context.Context, w Worker, queue string) error {
	return b.note("bind", w, queue)
}

func (b spyBatch) Drain(_ context.Context, w Worker, idle bool) error {
	return b.note("drain", w, idle)
}
func (b spyBatch) CancelDrain(_ context.Context, w Worker) error { return b.note("cancel", w, "") }
func (b spyBatch) Free(_ context.Context, w Worker) error        { return b.note("free", w, len(w.Jobs)) }

func TestActionsReachTheirWorker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		start := time.Now()
		w.servers["s1"] = &playServer{cloud: "north", Server: Server{ID: "s1", VM: "a", Pool: "play", Status: ServerActive, Created: start.Add(-time.Hour)}}
		s := &script{state: State{VMs: []*VM{{ID: "a"}}}}
		for _, kind := range []ActionKind{ActJoin, ActBind, ActDrain, ActCancelDrain, ActFree, ActJoin} {
			s.actions = append(s.actions, []Action{{Kind: kind, VM: "a", Queue: "juno", OnlyIdle: kind == ActDrain}})
		}
		var asked []string
		p := scripted(t, w, dir, s)
		batch := spyBatch{playBatch: playBatch{w}, asked: &asked}
		p.config.Batch = batch
		cycles(t, p, 5)
		batch.err = fmt.Errorf("drain a: %w", ErrBusy)
		p.config.Batch = batch
		cycles(t, p, 2)
		assert.Equal(t, []string{"join a a.play juno", "bind a a.play juno", "drain a a.play true", "cancel a a.play ", "free a a.play 0", "join a a.play juno"}, asked)
		want := Outcome{Action: Action{Kind: ActJoin, VM: "a", Queue: "juno"}, Error: "busy", Detail: "drain a: worker is busy"}
		assert.Empty(t, cmp.Diff(want, s.outcomes()[5]))
		require.NoError(t, p.Close())
	})
}

// A lost worker is freed by the name that it had, though it is not seen any more, and though we were restarted.
func TestLostWorkerIsFreedByItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.servers["s1"] = &playServer{cloud: "north", Server: Server{ID: "s1", VM: "a", Pool: "play", Status: ServerActive, Created: time.Now().Add(-time.Hour)}}
		vms := []*VM{{ID: "a"}, {ID: "b"}}
		p := scripted(t, w, dir, &script{state: State{VMs: vms}})
		cycles(t, p, 1)
		require.NoError(t, p.Close())
		w.destroy("s1")

		free := []Action{{Kind: ActFree, VM: "a"}, {Kind: ActFree, VM: "b"}}
		s := &script{state: State{VMs: vms}, actions: [][]Action{free}}
		p = scripted(t, w, dir, s)
		var asked []string
		p.config.Batch = spyBatch{playBatch: playBatch{w}, asked: &asked}
		cycles(t, p, 2)
		assert.Equal(t, []string{"free a a.play 0"}, asked)
		for _, outcome := range s.outcomes() {
			assert.Equal(t, map[string]string{"a": "", "b": "no_worker"}[outcome.Action.VM], outcome.Error)
		}
		require.NoError(t, p.Close())
	})
}

func TestActionsThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		s := &script{state: State{VMs: []*VM{{ID: "a"}}}, actions: [][]Action{{
			{Kind: ActCreate, VM: "1", Cloud: "moon", Class: "small"},
			{Kind: ActCreate, VM: "2", Cloud: "north", Class: "huge"},
			{Kind: ActStop, VM: "3", Cloud: "north"},
			{Kind: ActStart, VM: "4", Cloud: "north"},
			{Kind: ActJoin, VM: "5"},
			{Kind: "explode", VM: "6"},
			{Kind: ActDelete, VM: "7", Cloud: "north", Server: "unknown"},
			{Kind: ActStop, VM: "7", Cloud: "north"},
		}}}
		p := scripted(t, w, dir, s)
		cycles(t, p, 2)
		got := map[string]string{}
		for _, outcome := range s.outcomes() {
			got[outcome.Action.VM+" "+string(outcome.Action.Kind)] = outcome.Error
		}
		want := map[string]string{
			"1 create": "invalid", "2 create": "invalid", "3 stop": "unsupported", "4 start": "unsupported", "5 join": "no_worker",
			"6 explode": "no_worker", "7 delete": "", "7 stop": "transient",
		}
		assert.Empty(t, cmp.Diff(want, got))
		require.NoError(t, p.Close())
	})
}

// Whether a create that ran out of time has happened nobody knows, whatever its provider calls it; another action is
// simply repeated.
func TestActionsThatRunOutOfTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		late := &CloudError{Op: "ask", Class: ErrTransient, Err: context.DeadlineExceeded}
		w.before["north create"], w.before["north delete"] = always(late), always(late)
		s := &script{actions: [][]Action{{
			{Kind: ActCreate, VM: "1", Cloud: "north", Class: "small"}, {Kind: ActDelete, VM: "2", Cloud: "north", Server: "s"},
		}}}
		p := scripted(t, w, dir, s)
		cycles(t, p, 2)
		got := map[string]string{}
		for _, outcome := range s.outcomes() {
			got[outcome.Action.VM] = outcome.Error
		}
		assert.Equal(t, map[string]string{"1": "unknown_outcome", "2": "transient"}, got)
		require.NoError(t, p.Close())
	})
}

// What a create asks for, and which server a delete means.
func TestActionsReachTheirServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		for _, id := range []string{"s1", "s2"} { // two servers of one VM
			w.servers[id] = &playServer{cloud: "north", Server: Server{ID: id, VM: "a", Pool: "play", Status: ServerActive, Host: "host of " + id}}
		}
		s := &script{actions: [][]Action{{
			{Kind: ActCreate, VM: "new", Cloud: "north", Class: "small", Queue: "juno"},
			{Kind: ActDelete, VM: "a/s2", Cloud: "north", Server: "s2"},
			{Kind: ActDelete, VM: "a", Cloud: "north"},
			{Kind: ActDelete, VM: "gone/s9", Cloud: "north", Server: "s9", Class: "small"},
		}}}
		spy := &spyCloud{playCloud: playCloud{w, "north"}}
		config := w.config(dir, playPolicy())
		config.Policy.Classes[0].Lifetime = Duration(24 * time.Hour)
		config.Clouds["north"] = spy
		p, err := newPool(t.Context(), config, func(Policy, State) (decider, error) { return s, nil }, w.options(WithParallel(1))...)
		require.NoError(t, err)
		now := p.clock.now()
		cycles(t, p, 1)
		assert.Empty(t, cmp.Diff([]ServerSpec{{
			Pool: "play", VM: "new", Name: "ep-play-new", Queue: "juno", Generation: 1, Class: config.Policy.Classes[0], Expires: now.Add(24 * time.Hour),
		}}, spy.made))
		slices.SortFunc(spy.deleted, func(a, b Server) int { return len(a.ID+a.VM) - len(b.ID+b.VM) })
		require.Len(t, spy.deleted, 3)
		hosts := map[string]string{}
		for _, server := range spy.deleted {
			hosts[server.ID+" "+server.VM+" "+server.Pool] = server.Host
		}
		assert.Equal(t, map[string]string{"s1 a play": "host of s1", "s2 a play": "host of s2", "s9 gone play": ""}, hosts)
		require.NoError(t, p.Close())
	})
}

type spyCloud struct {
	playCloud
	made    []ServerSpec
	deleted []Server
	busy    int
	most    int
}

func (c *spyCloud) Create(ctx context.Context, spec ServerSpec) (Server, error) {
	c.mu.Lock()
	c.busy++
	c.most = max(c.most, c.busy)
	c.made = append(c.made, spec)
	c.mu.Unlock()
	time.Sleep(time.Second)
	c.mu.Lock()
	c.busy--
	c.mu.Unlock()
	return c.playCloud.Create(ctx, spec)
}

func (c *spyCloud) Delete(ctx context.Context, server Server) error {
	c.mu.Lock()
	c.deleted = append(c.deleted, server)
	c.mu.Unlock()
	return c.playCloud.Delete(ctx, server)
}

// Only so many actions are under way in a cloud at once; all others wait, and count as under way.
func TestActionsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		var actions []Action
		for i := range 9 {
			actions = append(actions, Action{Kind: ActCreate, VM: strconv.Itoa(i), Cloud: "north", Class: "small"})
		}
		s := &script{actions: [][]Action{actions}}
		spy := &spyCloud{playCloud: playCloud{w, "north"}}
		config := w.config(dir, playPolicy())
		config.Clouds["north"] = spy
		p, err := newPool(t.Context(), config, func(Policy, State) (decider, error) { return s, nil }, w.options(WithParallel(3))...)
		require.NoError(t, err)
		_, err = p.Cycle(t.Context())
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		assert.Len(t, spy.made, 9)
		_, err = p.Cycle(t.Context())
		require.NoError(t, err)
		assert.Len(t, s.inputs[1].Running, 3)
		assert.Len(t, s.inputs[1].Outcomes, 6)
		assert.Equal(t, 3, spy.most)
		require.NoError(t, p.Close())
	})
}

// Sensors look at the same time, and an action that has ended lets the next decision come early.
func TestLoopIsQuick(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		slow := func(int) error {
			time.Sleep(10 * time.Second)
			return nil
		}
		for _, name := range []string{"jobs", "workers", "north servers"} {
			w.before[name] = slow
		}
		s := &script{}
		p := scripted(t, w, dir, s)
		s.actions = [][]Action{{{Kind: ActCreate, VM: "a", Cloud: "north", Class: "small"}}}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		require.Len(t, s.inputs, 2)
		assert.Equal(t, 10*time.Second, s.inputs[0].Now.Sub(start))
		assert.Equal(t, start.UTC(), s.inputs[0].Workers.At, "what is seen is as old as the look's beginning")
		assert.Equal(t, 11*time.Second, s.inputs[1].Now.Sub(start))
		assert.Len(t, s.inputs[1].Outcomes, 1)
		time.Sleep(10 * time.Second) // until the looks have ended
		require.NoError(t, p.Close())
	})
}

// A create that a crash cut off is told as one whose outcome nobody knows; one whose end was written, as that.
func TestCrashBetweenBeginningAndEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		actions := []Action{
			{Kind: ActCreate, VM: "a", Cloud: "north", Class: "small"}, {Kind: ActFree, VM: "b"}, {Kind: ActCreate, VM: "c", Cloud: "north", Class: "small"},
		}
		w.after["north create"] = func(n int) error {
			if n == 2 {
				time.Sleep(time.Second) // until all others have ended
				close(w.dead)
				return errDead
			}
			return nil
		}
		s := &script{actions: [][]Action{actions}}
		p := scripted(t, w, dir, s, WithParallel(1))
		_, err := p.Cycle(t.Context())
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		require.NoError(t, p.Close())
		w.dead = make(chan struct{})

		s = &script{}
		p = scripted(t, w, dir, s)
		cycles(t, p, 2)
		got := map[string]string{}
		for _, outcome := range s.outcomes() {
			got[outcome.Action.VM] = outcome.Error + outcome.Server
		}
		assert.Len(t, s.outcomes(), 3, "each once")
		assert.Equal(t, "no_worker", got["b"])
		first, second := got["a"], got["c"] // whichever came first
		assert.ElementsMatch(t, []string{"s0001", "unknown_outcome"}, []string{first, second})
		require.NoError(t, p.Close())
	})
}

// A dry run decides beside the pool that acts, and does nothing at all.
func TestDryRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := served(t, w, dir, 2)
		w.submit("juno", 3, time.Hour)
		effects := w.points
		path := filepath.Join(t.TempDir(), "log")
		dry := w.pool(t, dir, playPolicy(), WithDryRun(), WithDecisionLog(path, 1<<30))
		for range 3 {
			time.Sleep(time.Minute)
			decision, err := dry.Cycle(t.Context())
			require.NoError(t, err)
			creates := 0
			for _, action := range decision.Actions {
				if action.Kind == ActCreate {
					creates++
				}
			}
			assert.Equal(t, 3, creates, "each time, for nothing was done")
		}
		synctest.Wait()
		assert.Equal(t, effects, w.points)
		require.ErrorContains(t, dry.Do(Command{Kind: CmdFreeze}), "a dry run takes no commands")
		require.NoError(t, p.Do(Command{Kind: CmdFreeze}))
		decision, err := dry.Cycle(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"frozen by an operator"}, decision.Frozen, "it reads the journal anew each time")
		status := dry.Status()
		assert.True(t, status.DryRun)
		assert.Len(t, status.VMs, 2)
		require.NoError(t, dry.Close())
		require.NoError(t, p.Close())

		elsewhere := filepath.Join(dir, "none")
		dry = w.pool(t, elsewhere, playPolicy(), WithDryRun())
		_, err = dry.Cycle(t.Context())
		require.NoError(t, err)
		assert.NoDirExists(t, elsewhere)
		require.NoError(t, dry.Close())
	})
}

// Nobody looks again after a dry run of one cycle, so it hears out sensors that are slower than a cycle.
func TestDryRunHearsSlowSensors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.submit("juno", 3, time.Hour)
		release := make(chan struct{})
		w.hang["workers"] = release
		p := w.pool(t, t.TempDir(), playPolicy(), WithDryRun(), WithTimeouts(time.Hour, time.Hour))
		time.AfterFunc(3*p.cycle, func() { close(release) })
		decision, err := p.Cycle(t.Context())
		require.NoError(t, err)
		assert.Len(t, decision.Actions, 3)
		assert.GreaterOrEqual(t, p.Status().Sensors[2].Age, 0.0)
		require.NoError(t, p.Close())
	})
}

// What the quota service has promised holds after a crash, once, also when the journal was compacted in between.
func TestLeasesSurvive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := scripted(t, w, dir, &script{})
		for i := range 3 {
			require.NoError(t, p.Ledger().Observe(p.clock.now(), 10, map[string]quota.Usage{"juno": {Fair: 9}}))
			lease, _, err := p.Ledger().Ask(p.clock.now(), "juno", "", 2, 0)
			require.NoError(t, err)
			require.Equal(t, 2, lease.Units)
			if i == 1 {
				require.NoError(t, p.store.compact(p.ledger))
			}
			leases := p.Status().Leases
			require.Len(t, leases, i+1)
			close(w.dead)
			_, _, err = p.Ledger().Ask(p.clock.now(), "juno", "", 1, 0)
			require.Error(t, err, "what cannot be written is not promised")
			require.NoError(t, p.Close())
			w.dead = make(chan struct{})
			p = scripted(t, w, dir, &script{})
			assert.Empty(t, cmp.Diff(leases, p.Status().Leases))
		}
		require.NoError(t, p.Close())
	})
}

// Who makes VMs on his own asks the quota service: he is granted his share as soon as a decision has heard of him, and
// the pool keeps out of it.
func TestAskersGetTheirShare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := w.pool(t, dir, playPolicy())
		cycles(t, p, 1)
		ask := func() int {
			lease, _, err := p.Ledger().Ask(p.clock.now(), "lhaaso", "", 3, 0)
			require.NoError(t, err)
			return lease.Units
		}
		assert.Zero(t, ask(), "nobody knew of it")
		cycles(t, p, 1)
		assert.Equal(t, 3, ask())
		w.submit("juno", 20, time.Hour)
		cycles(t, p, 8)
		assert.Equal(t, 7, w.made)
		require.Len(t, p.Status().Leases, 1)
		time.Sleep(10 * time.Minute) // the reservation time
		cycles(t, p, 5)
		assert.Empty(t, p.Status().Leases)
		assert.Equal(t, 10, w.made)
		require.NoError(t, p.Close())
	})
}

// A journal that broke is written anew, and nothing is lost by that.
func TestBrokenJournalIsMended(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.submit("juno", 2, time.Hour)
		broken := false
		p := w.pool(t, dir, playPolicy(), func(o *poolOptions) error {
			o.disk = func(file journalFile) journalFile { return &brokenDisk{file, &broken} }
			return nil
		})
		broken = true
		cycles(t, p, 3)
		assert.False(t, broken)
		assert.Empty(t, p.Status().Error)
		assert.Equal(t, 2, w.made)
		require.NoError(t, p.Close())
		p = w.pool(t, dir, playPolicy())
		assert.Len(t, p.decider.State().VMs, 2)
		require.NoError(t, p.Close())
	})
}

// brokenDisk appends nothing until it is compacted by a pool that runs.
type brokenDisk struct {
	journalFile
	broken *bool
}

func (d *brokenDisk) Append(kind string, v any) error {
	if *d.broken {
		return journal.ErrBroken
	}
	return d.journalFile.Append(kind, v)
}

func (d *brokenDisk) Compact(kind string, v any) error {
	if err := d.journalFile.Compact(kind, v); err != nil {
		return err
	}
	*d.broken = false
	return nil
}
