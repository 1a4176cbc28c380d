package elasticpool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestOutdatedVMsLeaveFirst: when something shrinks, VMs of another image, flavor or user data than their class has now
// are the first, though others were idle for longer. Alone it is no reason to leave.
func TestOutdatedVMsLeaveFirst(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*elasticpool.Class){
		"image":     func(c *elasticpool.Class) { c.Image = "el10" },
		"flavor":    func(c *elasticpool.Class) { c.Flavor = "m2" },
		"user data": func(c *elasticpool.Class) { c.UserData = "#cloud-config" },
		"nothing":   func(c *elasticpool.Class) { c.Price = 3 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy()
			p.Control.ShrinkShare, p.Control.ShrinkMin = 0.01, 2
			w := serving(t, p, 2)
			old := sorted(w.servers)
			change(&p.Classes[0])
			w.restart(p)
			w.jobs[0].Idle = 2
			w.steps(5)
			w.run()
			w.step()
			require.Equal(t, 4, w.jobs[0].Running)
			w.steps(4 * 60)
			require.Zero(t, w.actions(elasticpool.ActDrain), "they work")
			for _, vm := range sorted(w.workers) { // the newer ones become idle first
				if vm != old[0] && vm != old[1] {
					w.finish(vm)
				}
			}
			w.step()
			w.finish(old[0])
			w.finish(old[1])
			w.jobs = nil
			w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdFreeze}}
			w.steps(4 * 20)
			w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdThaw}}
			w.step()
			left := map[string]bool{}
			for _, a := range w.last.Actions {
				left[a.VM] = true
			}
			require.Len(t, left, 2)
			assert.Equal(t, name != "nothing", left[old[0]] && left[old[1]], "%v of %v", left, old)
		})
	}
}

// TestOutdatedVMIsExplained.
func TestOutdatedVMIsExplained(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 1)
	status := elasticpool.Status{Now: w.now, Decision: w.last, VMs: []elasticpool.VM{*w.c.State().VMs[0]}}
	p := policy()
	for _, outdated := range []bool{false, true} {
		lines, err := elasticpool.Explain(p, w.input(), status, status.VMs[0].ID)
		require.NoError(t, err)
		told := "it was made of another image, flavor or user data than its class has now: it is the first to leave when something shrinks"
		assert.Equal(t, outdated, assert.ObjectsAreEqual(told, find(lines, told)))
		p.Classes[0].Image = "el10"
	}
}

func find(lines []string, line string) string {
	for _, l := range lines {
		if l == line {
			return l
		}
	}
	return ""
}
