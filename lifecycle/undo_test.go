package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// scene is a run whose tasks are all of the hypervisor, each on a host of its own, with a store that remembers.
type scene struct {
	noHypervisor

	run   *run
	did   []string                                     // hosts, in order
	fault func(ctx context.Context, host string) error // what a host answers
	saved []Record
	save  func(Record) error
	told  []Step
}

func newUndoScene() *scene {
	s := &scene{
		fault: func(context.Context, string) error { return nil },
		save:  func(Record) error { return nil },
	}
	m := &Manager{config: config{
		undoTimeout: time.Minute, hypervisor: s, store: s, observe: func(_ context.Context, step Step) { s.told = append(s.told, step) },
	}}
	s.run = &run{Manager: m, record: sampleRecord(), step: Step{Op: OpMigrate, Attempt: 3}}
	s.run.begin()
	return s
}

func (s *scene) Destroy(ctx context.Context, guest Guest) error {
	s.did = append(s.did, guest.Host)
	return s.fault(ctx, guest.Host)
}

func (s *scene) Save(ctx context.Context, record Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.saved = append(s.saved, record)
	return s.save(record)
}

func on(hosts ...string) []Task {
	var tasks []Task
	for i, host := range hosts {
		tasks = append(tasks, Task{Kind: TaskDestroyGuest, Host: host, Step: StepID(i + 1)})
	}
	return tasks
}

func hosts(tasks []Task) []string {
	var names []string
	for _, task := range tasks {
		names = append(names, task.Host)
	}
	return names
}

// fail has one host fail.
func (s *scene) fail(host string, err error) {
	s.fault = func(_ context.Context, asked string) error {
		if asked == host {
			return err
		}
		return nil
	}
}

func TestUnwindRunsBackwards(t *testing.T) {
	t.Parallel()
	s := newUndoScene()
	s.run.record.Operation.Undo = on("claim", "arqs", "bind")
	require.NoError(t, s.run.unwind(t.Context()))
	assert.Equal(t, []string{"bind", "arqs", "claim"}, s.did)
	assert.Empty(t, s.run.record.Pending)
	require.Len(t, s.told, 3)
	for i, want := range []StepID{3, 2, 1} {
		assert.Equal(t, want, s.told[i].ID)
		assert.True(t, s.told[i].Undo)
		assert.Equal(t, 3, s.told[i].Attempt)
	}
	assert.False(t, s.run.step.Undo)
	require.Len(t, s.saved, 4, "first that it is taken back is saved, and after each task what remains")
	for i, want := range [][]string{{"bind", "arqs", "claim"}, {"arqs", "claim"}, {"claim"}, nil} {
		assert.Equal(t, want, hosts(s.saved[i].Operation.Todo))
		assert.Empty(t, s.saved[i].Operation.Undo)
	}
}

// An undo that a crash interrupted has what remains of it in Todo, and goes on there.
func TestUnwindGoesOn(t *testing.T) {
	t.Parallel()
	s := newUndoScene()
	s.run.record.Operation.Todo = on("arqs", "claim")
	require.NoError(t, s.run.unwind(t.Context()))
	assert.Equal(t, []string{"arqs", "claim"}, s.did)
}

// The first task that fails ends the undo (B22): a claim that is released while an ARQ still holds its device would have
// Placement offer what Cyborg cannot bind.
func TestUnwindStopsAtAFailure(t *testing.T) {
	t.Parallel()
	s, broken := newUndoScene(), errors.New("broken")
	s.fail("arqs", broken)
	s.run.record.Operation.Undo = on("claim", "candidate", "arqs", "bind")
	err := s.run.unwind(t.Context())
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, s.run.left, broken)
	assert.Equal(t, []string{"bind", "arqs"}, s.did)
	pending := s.run.record.Pending
	assert.Equal(t, []string{"arqs", "candidate", "claim"}, hosts(pending), "in the order in which they are to be done")
	assert.Equal(t, "candidates: destroy guest on arqs: broken", pending[0].Failure)
	assert.Empty(t, pending[1].Failure+pending[2].Failure)

	s.fail("", nil)
	s.did, s.run.record.Operation = nil, nil
	require.NoError(t, s.run.settle(t.Context()), "the next operation does it")
	assert.Equal(t, []string{"arqs", "candidate", "claim"}, s.did)
	assert.Empty(t, s.run.record.Pending)
	assert.Nil(t, s.run.record.Operation)
	assert.Empty(t, s.saved[len(s.saved)-1].Pending)
}

// The undo of a second attempt does not forget what the first one left.
func TestUnwindKeepsEarlierFailures(t *testing.T) {
	t.Parallel()
	s, first, second := newUndoScene(), errors.New("first"), errors.New("second")
	for _, broken := range []error{first, second} {
		s.fail(broken.Error(), broken)
		s.run.record.Operation.Undo = on(broken.Error())
		require.ErrorIs(t, s.run.unwind(t.Context()), broken)
	}
	require.ErrorIs(t, s.run.left, first)
	require.ErrorIs(t, s.run.left, second)
	assert.Equal(t, []string{"first", "second"}, hosts(s.run.record.Pending))
}

// TestDrainOutlivesTheCaller: the caller's context may be what ended the operation, and one task that hangs takes no time
// from the next operation's: each has a minute of its own.
func TestDrainOutlivesTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newUndoScene()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.fault = func(ctx context.Context, host string) error {
			if host == "last" {
				<-ctx.Done()
				return ctx.Err()
			}
			select {
			case <-time.After(50 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		s.run.record.Operation.Todo = on("one", "two", "last", "never")
		started := time.Now()
		err := s.run.drain(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 2*50*time.Second+time.Minute, time.Since(started))
		assert.Equal(t, []string{"one", "two", "last"}, s.did)
		assert.Equal(t, []string{"last", "never"}, hosts(s.run.record.Pending))
		assert.Len(t, s.saved, 2, "saving outlives the caller as well")
	})
}

// A record that cannot be saved stops no undo: what is taken back is so, whether it is on record or not.
func TestDrainGoesOnWhenNothingCanBeSaved(t *testing.T) {
	t.Parallel()
	s, full := newUndoScene(), errors.New("disk full")
	s.save = func(Record) error { return full }
	s.run.record.Operation.Todo = on("one", "two")
	err := s.run.drain(t.Context())
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, "save the record: disk full")
	assert.Equal(t, []string{"one", "two"}, s.did)
	assert.Empty(t, s.run.record.Pending)
}

// Nothing is done that could not be put on record first, and nothing new when the caller has given up.
func TestIntend(t *testing.T) {
	t.Parallel()
	s, full, reason := newUndoScene(), errors.New("disk full"), errors.New("deleted")
	s.run.step.ID = StepBind
	require.NoError(t, s.run.intend(t.Context(), on("one", "two")...))
	require.Len(t, s.saved, 1)
	assert.Equal(t, []string{"one", "two"}, hosts(s.saved[0].Operation.Undo))
	assert.Equal(t, StepBind, s.saved[0].Operation.Undo[0].Step)

	s.save = func(Record) error { return full }
	require.ErrorIs(t, s.run.intend(t.Context(), on("three")...), full)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	require.ErrorIs(t, s.run.intend(ctx, on("four")...), reason)
	assert.Len(t, s.saved, 2)
	assert.NotContains(t, hosts(s.run.record.Operation.Undo), "four")
}

func TestRevise(t *testing.T) {
	t.Parallel()
	s := newUndoScene()
	require.NoError(t, s.run.intend(t.Context(), on("one", "two")...))
	s.run.revise(on("three", "four")...)
	assert.Equal(t, []string{"one", "three", "four"}, hosts(s.run.record.Operation.Undo))
	assert.Equal(t, []string{"one", "two"}, hosts(s.saved[0].Operation.Undo), "what the store has does not change")
	assert.True(t, s.run.unsaved)
	s.run.revise()
	assert.Equal(t, []string{"one", "three"}, hosts(s.run.record.Operation.Undo))
}

func TestCommit(t *testing.T) {
	t.Parallel()
	s, full := newUndoScene(), errors.New("disk full")
	before := s.run.record.clone()
	s.run.record.Operation.Undo = on("one")
	before.Operation.Undo = on("one")
	s.save = func(Record) error { return full }
	require.ErrorIs(t, s.run.commit(t.Context(), become(StateStopped, Holding{Host: "new"}), on("old")...), full)
	before.Revision = s.run.record.Revision
	assert.Empty(t, sameRecord(before, s.run.record), "what cannot be saved has not happened, and is taken back")

	s.save = func(Record) error { return nil }
	require.NoError(t, s.run.commit(t.Context(), become(StateStopped, Holding{Host: "new"}), on("old")...))
	got := s.saved[len(s.saved)-1]
	assert.Equal(t, StateStopped, got.State)
	assert.Equal(t, "new", got.Now.Host)
	assert.True(t, got.Operation.Committed)
	assert.Empty(t, got.Operation.Undo)
	assert.Equal(t, []string{"old"}, hosts(got.Operation.Todo))
	require.NoError(t, s.run.end(t.Context()))
	assert.Equal(t, []string{"old"}, s.did)
	assert.Nil(t, s.saved[len(s.saved)-1].Operation)
}

// stranger is a Cyborg that has one ARQ that nobody has bound.
type stranger struct{}

func (stranger) RoundTrip(request *http.Request) (*http.Response, error) {
	text, err := json.Marshal(map[string]any{"arqs": []map[string]any{{
		"uuid": (&draw{ids: 9}).id(), "state": "Initial", "device_profile_name": "gpu", "device_profile_group_id": 0,
		"attach_handle_type": "", "attach_handle_info": map[string]any{},
	}}})
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(strings.NewReader(string(text))),
	}, err
}

// ARQs that may be somebody else's keep nobody from freeing the rest, and stay on record for Reconcile.
func TestStraysStopNoUndo(t *testing.T) {
	t.Parallel()
	s := newUndoScene()
	var err error
	s.run.cyborg, err = cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://cyborg.localhost/v2"), cyborgclient.WithTransport(stranger{}))
	require.NoError(t, err)
	stray := Task{Kind: TaskStrays, Step: StepARQs, Profile: "gpu", Since: time.Unix(0, 0)}
	s.run.record.Operation.Undo = append(on("claim"), stray)
	err = s.run.unwind(t.Context())
	require.ErrorContains(t, err, (&draw{ids: 9}).id())
	assert.Equal(t, []string{"claim"}, s.did)
	require.Len(t, s.run.record.Pending, 1)
	assert.Equal(t, TaskStrays, s.run.record.Pending[0].Kind)
	assert.Contains(t, s.run.record.Pending[0].Failure, "that nobody has bound")
	assert.Len(t, s.saved[1].Pending, 1, "on record at once")

	s.run.record.Operation, s.saved = nil, nil
	require.NoError(t, s.run.settle(t.Context()), "they hinder no operation")
	assert.Len(t, s.run.record.Pending, 1)
	assert.Empty(t, s.saved)
	s.run.record.Pending = append(s.run.record.Pending, on("rest")...)
	require.NoError(t, s.run.settle(t.Context()))
	assert.Equal(t, []string{"claim", "rest"}, s.did)
	assert.Len(t, s.run.record.Pending, 1)
}

func TestUnknownTaskStays(t *testing.T) {
	t.Parallel()
	s := newUndoScene()
	s.run.record.Operation.Todo = append([]Task{{Kind: "dance"}}, on("one")...)
	require.ErrorContains(t, s.run.drain(t.Context()), `task "dance" is not known`)
	assert.Len(t, s.run.record.Pending, 2)
}

// A deletion that could not be put on record is none: what an interrupted operation had to bring back is not forgotten.
func TestDeleteThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	s, full := newUndoScene(), errors.New("disk full")
	s.save = func(Record) error {
		if len(s.saved) == 1 {
			return full
		}
		return nil
	}
	s.fail("new", errors.New("unreachable"))
	record := sampleRecord()
	record.Operation = &Operation{Op: OpMigrate, Undo: append([]Task{{Kind: TaskRestoreARQs}}, on("new")...)}
	err := s.run.Delete(t.Context(), record)
	require.ErrorIs(t, err, full)
	failed, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	assert.Equal(t, StateActive, failed.Record.State)
	require.Len(t, failed.Record.Pending, 2)
	assert.Equal(t, TaskRestoreARQs, failed.Record.Pending[1].Kind)
	assert.Empty(t, sameRecord(failed.Record, s.saved[len(s.saved)-1]))
}

// A deletion of what an interrupted attachment leaves frees each ARQ once.
func TestAbandon(t *testing.T) {
	t.Parallel()
	r, more := sampleRecord(), (&draw{ids: 50}).id()
	next := r.Now.clone()
	next.Sets = append(next.Sets, Set{Source: SourceAttached, Owner: "-attached-1", ARQs: []BoundARQ{{UUID: more}}})
	r.Operation = &Operation{Op: OpAttach, Next: &next, Undo: []Task{
		{Kind: TaskAllocate, Keep: r.Now.Allocations}, {Kind: TaskAttach}, {Kind: TaskRestoreARQs}, {Kind: TaskStrays},
	}}
	r.abandon()
	require.NoError(t, r.check())
	assert.Nil(t, r.Operation)
	require.Len(t, r.Pending, 3)
	assert.Equal(t, TaskStrays, r.Pending[0].Kind)
	assert.Equal(t, TaskAllocate, r.Pending[1].Kind)
	assert.Equal(t, []string{more}, r.Pending[2].ARQs)
}
