package elasticpool

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandsAreChecked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := w.pool(t, dir, playPolicy())
		for _, test := range []struct {
			command Command
			want    string
		}{
			{Command{Kind: "explode"}, `command "explode": there is no such command`},
			{Command{Kind: CmdDrain}, "say which"},
			{Command{Kind: CmdUndrain}, "say which"},
			{Command{Kind: CmdDrain, VM: "01J"}, `there is no VM "01J"`},
			{Command{Kind: CmdDrain, Class: "big"}, `there is no class "big"`},
			{Command{Kind: CmdDrain, Cloud: "moon"}, `there is no cloud "moon"`},
			{Command{Kind: CmdDrain, Queue: "cepc"}, `there is no queue "cepc"`},
			{Command{Kind: CmdSetQuota, Queue: "juno"}, "which of lower, upper and weight"},
			{Command{Kind: CmdSetQuota, Upper: new(int64(1))}, "of which queue"},
			{Command{Kind: CmdSetQuota, Queue: "juno", Upper: new(int64(-1))}, "must not be negative"},
			{Command{Kind: CmdSetQuota, Queue: "juno", Weight: new(0.0)}, "above zero"},
		} {
			require.ErrorContains(t, p.Do(test.command), test.want)
		}
		assert.Equal(t, 0, w.calls("append"))
		require.NoError(t, p.Close())
	})
}

// A command is obeyed within a second or two, not at the next cycle.
func TestCommandWakesTheLoop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := w.pool(t, dir, playPolicy())
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		go func() {
			time.Sleep(20 * time.Second) // within a pause
			looks := w.calls("jobs")
			assert.NoError(t, p.Do(Command{Kind: CmdFreeze, By: "ann"}))
			time.Sleep(2 * time.Second)
			assert.Equal(t, []string{"frozen by ann"}, p.Status().Decision.Frozen)
			assert.Equal(t, []Command{{Kind: CmdFreeze, By: "ann"}}, p.Status().Orders)
			assert.Equal(t, looks, w.calls("jobs"), "sensors are not asked more often for it")
		}()
		require.NoError(t, p.Run(ctx))
		require.NoError(t, p.Close())
	})
}

// A command that was taken is obeyed after a crash, before and after a cycle has heard it.
func TestCommandSurvivesACrash(t *testing.T) {
	t.Parallel()
	for _, heard := range []bool{false, true} {
		t.Run(map[bool]string{false: "not heard", true: "heard"}[heard], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := newPlayWorld()
				p := w.pool(t, dir, playPolicy())
				require.NoError(t, p.Do(Command{Kind: CmdFreeze}))
				require.NoError(t, p.Do(Command{Kind: CmdSetQuota, Queue: "juno", Upper: new(int64(1))}))
				if heard {
					cycles(t, p, 1)
				}
				for range 2 {
					assert.Equal(t, heard, len(p.commands) == 0, "one that a decision has heard is not told again")
					close(w.dead)
					require.NoError(t, p.Close())
					w.dead = make(chan struct{})
					p = w.pool(t, dir, playPolicy())
				}
				assert.Equal(t, heard, len(p.commands) == 0)
				decision, err := p.Cycle(t.Context())
				require.NoError(t, err)
				assert.Equal(t, []string{"frozen by an operator"}, decision.Frozen)
				assert.Equal(t, int64(1), decision.Queues[0].Upper)
				assert.Len(t, p.Status().Orders, 2, "each once")
				require.NoError(t, p.Close())
			})
		})
	}
}

// An order outlives what it was for. Then status says so, and it can still be taken back; a new one cannot be given.
func TestOrdersForWhatIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		policy := playPolicy()
		before := policy
		before.Queues = append(slices.Clone(policy.Queues), Queue{Name: "old"})
		before.Classes = append(slices.Clone(policy.Classes), Class{Name: "old", Cloud: policy.Clouds[0].Name, Slot: Resources{CPUs: 1}})
		p := w.pool(t, dir, before)
		for _, c := range []Command{
			{Kind: CmdDrain, Queue: "old"},
			{Kind: CmdDrain, Class: "old"},
			{Kind: CmdDrain, Queue: "juno"},
			{Kind: CmdSetQuota, Queue: "old", Upper: new(int64(1))},
		} {
			require.NoError(t, p.Do(c))
		}
		cycles(t, p, 1)
		assert.Empty(t, p.Status().Pointless)
		require.NoError(t, p.Close())

		p = w.pool(t, dir, policy)
		assert.Len(t, p.Status().Orders, 4, "they are in force at once")
		for _, c := range []Command{{Kind: CmdDrain, Queue: "old"}, {Kind: CmdUndrain, Queue: "older"}, {Kind: CmdSetQuota, Queue: "old", Upper: new(int64(1))}} {
			require.ErrorContains(t, p.Do(c), "there is no queue")
		}
		cycles(t, p, 1)
		assert.Equal(t, []string{
			"drain queue old, by an operator: there is no queue old any more; elasticpool undrain queue old takes it back",
			"drain class old, by an operator: there is no class old any more; elasticpool undrain class old takes it back",
			"set_quota queue old upper 1, by an operator: there is no queue old any more; elasticpool quota old -reset takes it back",
		}, p.Status().Pointless)
		for _, c := range []Command{{Kind: CmdUndrain, Queue: "old"}, {Kind: CmdUndrain, Class: "old"}, {Kind: CmdResetQuota, Queue: "old"}} {
			require.NoError(t, p.Do(c))
		}
		cycles(t, p, 1)
		assert.Equal(t, []Command{{Kind: CmdDrain, Queue: "juno"}}, p.Status().Orders)
		assert.Empty(t, p.Status().Pointless)
		require.ErrorContains(t, p.Do(Command{Kind: CmdUndrain, Queue: "old"}), "there is no queue")
		require.NoError(t, p.Close())
	})
}
