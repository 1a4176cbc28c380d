package quota_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// An observation whose record failed, but is in the journal, must not use up leases a second time in a replay.
func TestFailedObservationIsNotReplayedTwice(t *testing.T) {
	t.Parallel()
	var journal []quota.Event
	var broken error
	l, err := quota.NewLedger(slides(), func(e quota.Event) error { journal = append(journal, e); return broken })
	require.NoError(t, err)
	require.NoError(t, l.Observe(start, 10, due(0, 0)))
	ask(t, l, start, "juno", 3)
	broken = errors.New("fsync")
	require.Error(t, l.Observe(start, 10, due(0, 1)))
	broken = nil
	require.NoError(t, l.Observe(start, 10, due(0, 1)))
	again, err := quota.NewLedger(slides(), nil)
	require.NoError(t, err)
	for _, e := range journal {
		require.NoError(t, again.Replay(e))
	}
	assert.Equal(t, 2, again.Leases()[0].Units)
}

func TestNothingChangesThatIsNotRecorded(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	var broken error
	l, err := quota.NewLedger(slides(), func(quota.Event) error { return broken })
	require.NoError(t, err)
	require.NoError(t, l.Observe(start, 10, due(0, 0)))
	lease := ask(t, l, start, "juno", 4)
	broken = full

	refused, a, err := l.Ask(start, "juno", "", 2, 0)
	require.ErrorIs(t, err, quota.ErrPersist)
	require.ErrorIs(t, err, full)
	assert.Empty(t, refused.ID)
	assert.Zero(t, a.Available)
	_, err = l.Release(start, "juno", lease.ID)
	require.ErrorIs(t, err, quota.ErrPersist)
	require.ErrorIs(t, l.Observe(start, 10, due(0, 4)), quota.ErrPersist)
	assert.Equal(t, 2, available(t, l, "juno"), "counted twice until it can be recorded, rather than not at all")
	require.ErrorIs(t, l.Checkpoint(func(quota.Snapshot) error { return full }), quota.ErrPersist)

	broken = nil
	require.NoError(t, l.Observe(start, 10, due(0, 4)))
	assert.Equal(t, 6, available(t, l, "juno"))
}

// A record that failed may have reached the disk. Its number must not hide the next one in a replay.
func TestNumberOfFailedRecordIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	var journal []quota.Event
	var broken error
	l, err := quota.NewLedger(slides(), func(e quota.Event) error { journal = append(journal, e); return broken })
	require.NoError(t, err)
	require.NoError(t, l.Observe(start, 10, due(0, 0)))
	broken = errors.New("fsync")
	_, _, err = l.Ask(start, "juno", "", 2, 0)
	require.Error(t, err)
	broken = nil
	kept := ask(t, l, start, "juno", 3)

	again, err := quota.NewLedger(slides(), nil)
	require.NoError(t, err)
	for _, e := range journal {
		require.NoError(t, again.Replay(e))
	}
	assert.Equal(t, []quota.Lease{kept}, again.Leases(), "the later record settles that the other lease was not given")
}

// Without a later record nobody knows; the lease counts until it lapses.
func TestFailedRecordCountsUntilTheNextOne(t *testing.T) {
	t.Parallel()
	l, err := quota.NewLedger(slides(), nil)
	require.NoError(t, err)
	lease := quota.Lease{ID: "x", Queue: "juno", Units: 2, Granted: start, Expires: start.Add(time.Minute)}
	require.NoError(t, l.Replay(quota.Event{Seq: 1, Kind: quota.EventGranted, At: start, Lease: &lease}))
	require.NoError(t, l.Observe(start, 10, due(0, 0)))
	assert.Equal(t, 8, available(t, l, "juno"))
}

func TestSnapshotAndReplay(t *testing.T) {
	t.Parallel()
	var journal []quota.Event
	l, err := quota.NewLedger(slides(), func(e quota.Event) error { journal = append(journal, e); return nil })
	require.NoError(t, err)
	require.NoError(t, l.Observe(start, 100, due(10, 20)))
	ask(t, l, start, "juno", 5)
	var text []byte
	require.NoError(t, l.Checkpoint(func(s quota.Snapshot) (err error) { text, err = json.Marshal(s); return err }))
	ask(t, l, start, "LHAASO", 5)
	require.NoError(t, l.Observe(start, 100, due(10, 22)))

	again, err := quota.NewLedger(slides(), nil)
	require.NoError(t, err)
	var s quota.Snapshot
	require.NoError(t, json.Unmarshal(text, &s))
	require.NoError(t, again.Restore(s))
	for _, e := range journal { // from its very beginning: what the snapshot holds is passed over
		line, err := json.Marshal(e)
		require.NoError(t, err)
		var read quota.Event
		require.NoError(t, json.Unmarshal(line, &read))
		require.NoError(t, again.Replay(read))
	}
	assert.Empty(t, cmp.Diff(l.Snapshot(), again.Snapshot()))
	require.NoError(t, again.Restore(s))
	assert.Empty(t, cmp.Diff(l.Snapshot(), again.Snapshot()), "an old snapshot does not undo what came after it")

	require.NoError(t, again.Observe(start, 100, due(10, 25)))
	assert.Equal(t, 5, len(again.Leases())+again.Leases()[0].Units-1, "three VMs came while it was down")
}

func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	l, err := quota.NewLedger(slides(), nil)
	require.NoError(t, err)
	require.ErrorIs(t, l.Replay(quota.Event{Seq: 1, Kind: "bought"}), quota.ErrReplay)
	require.ErrorIs(t, l.Replay(quota.Event{Seq: 1, Kind: quota.EventGranted}), quota.ErrReplay)
	require.ErrorIs(t, l.Restore(quota.Snapshot{Leases: []quota.Lease{{ID: "x"}}}), quota.ErrReplay)
}
