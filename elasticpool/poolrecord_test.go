package elasticpool

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// drawState draws a state that may follow another one.
func drawState(t *rapid.T) State {
	state := State{
		Generation: 3, Sequence: rapid.Int64Range(0, 3).Draw(t, "sequence"),
		Last: time.Unix(rapid.Int64Range(0, 5).Draw(t, "last"), 0).UTC(),
	}
	for i := range 6 {
		if rapid.Bool().Draw(t, "there") {
			state.VMs = append(state.VMs, &VM{
				ID: strconv.Itoa(i), State: rapid.SampledFrom([]VMState{Requested, Joined}).Draw(t, "state"),
				Since: time.Unix(rapid.Int64Range(0, 3).Draw(t, "since"), 0).UTC(), Why: rapid.SampledFrom([]string{"", "<&>"}).Draw(t, "why"),
			})
		}
	}
	return state
}

// Whatever is written, in whatever order, with compactions in between: reading the journal gives what the live record
// says, and that has the state, and the actions and commands that are not decided on.
func TestPropertyJournalSaysWhatWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		path := filepath.Join(dir, strconv.Itoa(run))
		s, _, err := openStore(path)
		require.NoError(t, err)
		ledger, err := quota.NewLedger(nil, nil)
		require.NoError(t, err)
		var state State
		begun, ended, commands, next := map[int64]Action{}, map[int64]Outcome{}, map[int64]Command{}, int64(1)
		for range rapid.IntRange(1, 12).Draw(t, "entries") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				state = drawState(t)
				var entry cycleEntry
				s.read(func(r *poolRecord) { entry, err = r.change(state, map[string]string{"1": "one"}) })
				require.NoError(t, err)
				entry.Begun = map[int64]Action{next: {Kind: ActCreate, VM: strconv.FormatInt(next, 10)}}
				for number := range ended {
					entry.Decided = append(entry.Decided, number)
					delete(begun, number)
					delete(ended, number)
				}
				begun[next] = entry.Begun[next]
				require.NoError(t, s.append(entryCycle, entry))
				next++
			case 1:
				for number, action := range begun {
					ended[number] = Outcome{Action: action, Server: "s"}
					require.NoError(t, s.append(entryEnd, endEntry{number, ended[number]}))
					break
				}
			case 2:
				commands[next] = Command{Kind: CmdFreeze, Why: strconv.FormatInt(next, 10)}
				require.NoError(t, s.append(entryCommand, commandEntry{next, commands[next]}))
				next++
			case 3:
				require.NoError(t, s.compact(ledger))
			case 4:
				require.NoError(t, s.append(entryEnd, endEntry{Number: 999}), "an end that was decided on before it was written")
			}
		}
		live := s.record
		require.NoError(t, s.Close())
		s, torn, err := openStore(path)
		require.NoError(t, err)
		require.Nil(t, torn)
		require.NoError(t, s.Close())
		assert.Empty(t, cmp.Diff(asJSON(t, live), asJSON(t, s.record)))
		assert.Empty(t, cmp.Diff(begun, s.record.Begun))
		assert.Empty(t, cmp.Diff(ended, s.record.Ended))
		assert.Empty(t, cmp.Diff(commands, s.record.Commands))
		assert.Equal(t, next, s.record.Next)
		restored, err := s.record.state(time.Unix(100, 0).UTC())
		require.NoError(t, err)
		assert.Empty(t, cmp.Diff(state, restored))
		for number, outcome := range s.record.unresolved() {
			_, known := ended[number]
			assert.Equal(t, known, outcome.Error == "")
		}
	})
}

func asJSON(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func TestJournalOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	r := newPoolRecord()
	require.ErrorContains(t, r.apply("colour", nil), `entry of kind "colour": written by another version`)
	require.Error(t, r.apply(entryCycle, []byte("{")))
}

// Times of a clock that was wrong lie ahead: they become now.
func TestRestoredTimesAreNotAhead(t *testing.T) {
	t.Parallel()
	r := newPoolRecord()
	future, now := time.Unix(5000, 0).UTC(), time.Unix(1000, 0).UTC()
	entry, err := r.change(State{Last: future, VMs: []*VM{{ID: "a", Since: future, Created: future, IdleSince: now.Add(-1)}}}, nil)
	require.NoError(t, err)
	r.cycle(entry)
	state, err := r.state(now)
	require.NoError(t, err)
	assert.Equal(t, now, state.Last)
	assert.Equal(t, &VM{ID: "a", Since: now, Created: now, IdleSince: now.Add(-1)}, state.VMs[0])
}

// What 10,000 VMs cost a cycle in which 100 of them change; ns/vm is the figure to watch.
func BenchmarkRecordChange(b *testing.B) {
	r := newPoolRecord()
	var state State
	for i := range 10_000 {
		state.VMs = append(state.VMs, &VM{ID: fmt.Sprintf("01J%023d", i), Class: "small", Cloud: "north", Queue: "juno", State: Joined, Since: time.Unix(int64(i), 0).UTC()})
	}
	entry, err := r.change(state, nil)
	require.NoError(b, err)
	r.cycle(entry)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for k := range 100 {
			state.VMs[k].IdleSince = time.Unix(int64(i), 0)
		}
		if entry, err = r.change(state, nil); err != nil {
			b.Fatal(err)
		}
	}
	assert.Len(b, entry.VMs, 100)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/vm")
}
