package elasticpool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// elsewhere is the policy after cloud main was taken out of it.
func elsewhere() elasticpool.Policy {
	p := policy()
	p.Clouds[0].Name, p.Classes[0].Name, p.Classes[0].Cloud = "second", "small2", "second"
	return p
}

// strand returns a world whose VMs are of a cloud that was taken out of the policy: one in each of the states that it can
// have been in.
func strand(t *testing.T) *world {
	t.Helper()
	w := serving(t, policy(), 6)
	for i, state := range []elasticpool.VMState{elasticpool.Joined, elasticpool.Deleting, elasticpool.Draining, elasticpool.Failed, elasticpool.Orphaned, elasticpool.Building} {
		w.c.State().VMs[i].State = state
	}
	w.bend = moved
	w.restart(elsewhere())
	return w
}

// restart goes on with another policy.
func (w *world) restart(p elasticpool.Policy) {
	w.t.Helper()
	c, err := elasticpool.NewController(p, w.c.State())
	require.NoError(w.t, err)
	w.c = c
}

// TestVMsOfARemovedCloudAreLeftAlone: nothing is done with them, ever; they are no supply, take no room, freeze nothing and
// stay in the books, which say why.
func TestVMsOfARemovedCloudAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := strand(t)
	before := len(w.history)
	w.step()
	require.Len(t, w.last.Events, 6, "it is told once")
	for _, vm := range w.c.State().VMs {
		assert.Equal(t, elasticpool.Stranded, vm.State)
		assert.Equal(t, "cloud main is not in the policy: put it back, or forget the VM", vm.Why)
	}
	for range 4 * 60 {
		w.step()
		require.Empty(t, w.last.Events)
		require.Empty(t, w.last.Frozen)
	}
	assert.Empty(t, w.history[before:])
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Stranded: 6}, w.states())
	view := queue(w.last, "lhaaso")
	assert.Zero(t, view.Serving+view.Coming)
	assert.Empty(t, w.last.Classes[0].States)

	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 10)}
	w.steps(8)
	assert.Equal(t, 10, w.states()[elasticpool.Joined], "all of the new cloud is used")
	assert.Equal(t, 6, w.states()[elasticpool.Stranded])
}

// moved shows what cloud main shows as cloud second, without the servers of classes that are not there.
func moved(in *elasticpool.Input) {
	seen := in.Clouds["main"]
	var there []elasticpool.Server
	for _, s := range seen.Value.Servers {
		if s.Class == "small2" {
			there = append(there, s)
		}
	}
	seen.Value.Servers = there
	delete(in.Clouds, "main")
	in.Clouds["second"] = seen
}

// TestCloudThatIsPutBack: its VMs are adopted again, with what their servers and workers tell; those that are gone leave the
// books. Nothing is deleted that serves.
func TestCloudThatIsPutBack(t *testing.T) {
	t.Parallel()
	w := strand(t)
	w.steps(40)
	gone := sorted(w.servers)[0]
	delete(w.servers, gone)
	delete(w.workers, gone)
	w.bend = nil
	w.restart(policy())
	before := len(w.history)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	w.jobs[0].Idle, w.jobs[0].Running = 0, 5
	w.steps(4)
	assert.Equal(t, 5, w.states()[elasticpool.Joined])
	assert.Equal(t, 5, queue(w.last, "lhaaso").Busy)
	w.steps(60)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 5}, w.states())
	for _, a := range w.history[before:] {
		assert.Equal(t, gone, a.VM, "%s: %s", a.Kind, a.Reason)
	}
}

// TestClassThatIsPutBack: VMs that were orphans because their class was missing serve again.
func TestClassThatIsPutBack(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 3)
	other := policy()
	other.Classes[0].Name = "other"
	w.restart(other)
	w.steps(4)
	require.Equal(t, map[elasticpool.VMState]int{elasticpool.Orphaned: 3}, w.states())
	w.restart(policy())
	w.steps(4)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 3}, w.states())
	assert.Equal(t, 3, queue(w.last, "lhaaso").Busy)
}

// TestCloudWithANewName: a stranded VM whose server another cloud shows is that one's, and its worker is still known.
func TestCloudWithANewName(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 3)
	renamed := policy()
	renamed.Clouds[0].Name, renamed.Classes[0].Cloud = "second", "second"
	w.bend = func(in *elasticpool.Input) {
		in.Clouds["second"] = in.Clouds["main"]
		delete(in.Clouds, "main")
	}
	w.restart(renamed)
	before := len(w.history)
	w.steps(4 * 30)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 3}, w.states())
	assert.Equal(t, 3, queue(w.last, "lhaaso").Busy)
	assert.Empty(t, w.history[before:])
}

// TestForget: an operator takes stranded VMs out of the books, one or all of a cloud. VMs that can be reached are not
// forgotten.
func TestForget(t *testing.T) {
	t.Parallel()
	w := strand(t)
	w.step()
	one := w.c.State().VMs[2].ID
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdForget, VM: one, By: "ann", Why: "it is deleted by hand"}}
	w.step()
	require.Len(t, w.last.Events, 1)
	assert.Equal(t, one, w.last.Events[0].VM)
	assert.Equal(t, "forgotten by ann: it is deleted by hand", w.last.Events[0].What)
	assert.Equal(t, 5, w.states()[elasticpool.Stranded])
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdForget, Cloud: "main"}}
	w.step()
	assert.Empty(t, w.states())
	assert.Len(t, w.servers, 6, "nothing is deleted")

	w = serving(t, policy(), 2)
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdForget, Cloud: "main"}, {Kind: elasticpool.CmdForget, VM: w.c.State().VMs[0].ID}}
	w.step()
	assert.Equal(t, 2, w.states()[elasticpool.Joined])
}
