package lifecycle_test

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// The tests of the files novafaults*_test.go show that faults of Nova are not ours. The ids in their comments are those of
// docs/nova-faults.md, which names the test of each fault.

// inCloud runs a test in a bubble, on two hosts. In the end the world must be as the records say.
func inCloud(t *testing.T, run func(*testing.T, *world, *process)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		run(t, w, w.start())
		assert.Empty(t, w.violations())
	})
}

// fails adds rules to the fake Cyborg.
func (w *world) fails(rules ...fault.Rule) {
	w.t.Helper()
	require.NoError(w.t, w.fake.Faults().Add(rules...))
}

// mends ends all faults.
func (w *world) mends() { w.fake.Faults().Clear("") }

// refusing are rules that refuse operations of Cyborg for good.
func refusing(operations ...string) []fault.Rule {
	var rules []fault.Rule
	for _, operation := range operations {
		rules = append(rules, fault.Rule{Operation: operation, Fault: fault.Status{Code: http.StatusForbidden}})
	}
	return rules
}

// allARQs are those that Cyborg has, whoever made them.
func (w *world) allARQs() []cyborgclient.ARQ {
	w.t.Helper()
	arqs, err := w.cyborg.ARQs(w.t.Context(), cyborgclient.ARQFilter{})
	require.NoError(w.t, err)
	return arqs
}

// guestOf is what runs for an instance on a host.
func (w *world) guestOf(record lifecycle.Record) guest {
	guests, _ := w.hypervisor.snapshot()
	return guests[place{record.Instance(), record.Now.Host}]
}

// offloaded builds an instance and takes it off its host again.
func (p *process) offloaded(t *testing.T, profile string) lifecycle.Record {
	t.Helper()
	result, err := then(t.Context(), p.Offload)(p.Shelve(t.Context(), p.create(t, worldRequest(profile))))
	require.NoError(t, err)
	return result.Record
}

// recordOf is the record of the error of an operation.
func recordOf(t *testing.T, err error) lifecycle.Record {
	t.Helper()
	failed, ok := errors.AsType[*lifecycle.Error](err)
	require.True(t, ok, "%v", err)
	return failed.Record
}

// B1: the ARQs of a failed attempt are gone before the next one, which Cyborg would refuse otherwise.
func TestRescheduleFreesTheARQsFirst(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		unavailable := errors.New("resources unavailable on the host")
		var left []int
		spawns := 0
		p.gate.meddle = func(_ int, c call) meddling {
			switch c {
			case call{"cyborg", "bind"}:
				left = append(left, len(w.allARQs()))
			case call{"guest", "spawn"}:
				if spawns++; spawns < 3 {
					return meddling{act: func(func() error) error { return unavailable }}
				}
			}
			return meddling{}
		}
		p.create(t, worldRequest(oneGPU))
		assert.Equal(t, []int{1, 1, 1}, left, "at each bind only the attempt's own ARQ is there")
	})
}

// B1: a claim that fails makes no ARQ, and touches nothing that others have.
func TestFailedClaimTouchesNothing(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		other := p.create(t, worldRequest(bothKinds))
		p.gate.meddle = func(_ int, c call) meddling {
			if !claiming(c) {
				return meddling{}
			}
			return placementAnswer(http.StatusConflict, "placement.undefined_code", "Unable to allocate inventory: none left")(nil)
		}
		begun := len(p.gate.log())
		_, err := p.Create(t.Context(), worldRequest(oneGPU))
		require.ErrorIs(t, err, placement.ErrNoCapacity)
		for _, c := range p.gate.log()[begun:] {
			assert.False(t, ofCyborg(c) && changing(c), "%s", c)
		}
		assert.Len(t, w.allARQs(), len(other.ARQs()))
	})
}

// B2: a device that is slow to program is bound in the end, although Nova refuses the events of an instance without host.
func TestUnshelveOfASlowDevice(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		before := p.offloaded(t, programmed)
		w.fails(fault.Rule{Operation: fault.Event, Fault: fault.EventRefused{Code: http.StatusUnprocessableEntity}})
		asked, begun := time.Now(), w.fake.Journal().Entries(journal.Filter{Kind: journal.Event}.Match)
		result, err := p.Unshelve(t.Context(), before, lifecycle.MoveRequest{Without: w.hosts[:1]})
		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(asked), programmingTime)
		assert.Less(t, time.Since(asked), programmingTime+15*time.Second, "it asks every ten seconds; its deadline is a minute")
		assert.Len(t, w.fake.Journal().Entries(journal.Filter{Kind: journal.Event}.Match), len(begun)+1)
		assert.Len(t, w.guestOf(result.Record).devices, 1)
	})
}

// B3: a failure between the wait and the guest, such as of networks or volumes, frees the ARQs at once.
func TestFailureAfterTheWaitFreesTheARQs(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		p.failSpawns(1, lifecycle.ErrAbort)
		_, err := p.Create(t.Context(), worldRequest(bothKinds))
		require.ErrorIs(t, err, lifecycle.ErrAbort)
		assert.Equal(t, 1, p.calls("cyborg", "bind"))
		assert.Empty(t, w.allARQs())
		assert.Zero(t, w.places.AllocationCount())
	})
}

// B4: when the second POST fails, the ARQs of the first go.
func TestFailedSecondPostDeletesTheFirst(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		w.fails(fault.Rule{Operation: "arq:create", Nth: 2, Fault: fault.Status{Code: http.StatusForbidden}})
		request := worldRequest(oneGPU)
		request.Spec.Ports = []requestspec.Port{{ID: uuid.NewString(), VNICType: "accelerator-direct", DeviceProfile: portProfile}}
		_, err := p.Create(t.Context(), request)
		require.ErrorIs(t, err, cyborgclient.ErrForbidden)
		assert.Equal(t, 2, p.calls("cyborg", "POST /accelerator_requests"))
		assert.Empty(t, w.allARQs())
	})
}

// B4: ARQs that fit no provider go too, here those of a profile that was replaced between the question and the claim.
func TestARQsThatMatchNoProviderAreDeleted(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		p.gate.meddle = func(_ int, c call) meddling {
			if c != (call{"cyborg", "POST /accelerator_requests"}) {
				return meddling{}
			}
			return meddling{before: func() { w.replaceProfile(oneGPU, "PGPU", "FPGA") }}
		}
		_, err := p.Create(t.Context(), worldRequest(oneGPU))
		require.ErrorIs(t, err, lifecycle.ErrProfileChanged)
		assert.Empty(t, w.allARQs())
	})
}

// replaceProfile makes another profile of the same name, one group for each class.
func (w *world) replaceProfile(name string, classes ...string) {
	w.t.Helper()
	create := cyborgclient.DeviceProfileCreate{Name: name}
	for _, class := range classes {
		create.Groups = append(create.Groups, requestspec.GroupOf(map[string]string{"resources:" + class: "1"}))
	}
	require.NoError(w.t, w.cyborg.DeleteDeviceProfile(w.t.Context(), name))
	_, err := w.cyborg.CreateDeviceProfile(w.t.Context(), create)
	require.NoError(w.t, err)
}

// B5: of several instances, the one whose bind fails is alone with it.
func TestMultiCreateFailsAlone(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		requests := []lifecycle.CreateRequest{worldRequest(oneGPU), worldRequest(oneGPU), worldRequest(bothKinds)}
		failing := requests[1].Consumer.UUID
		w.fails(fault.Rule{Operation: fault.Bind, Instance: failing, Fault: fault.Fails{After: 3 * time.Second}})
		for _, outcome := range p.CreateMany(t.Context(), requests) {
			if outcome.Instance == failing {
				require.ErrorIs(t, outcome.Err, virtdriver.ErrNotBound)
				assert.Equal(t, lifecycle.StateNone, recordOf(t, outcome.Err).State)
				continue
			}
			require.NoError(t, outcome.Err)
			assert.Equal(t, lifecycle.StateActive, outcome.Result.Record.State)
		}
		assert.Len(t, w.allARQs(), 3, "those of the two others")
	})
}

// B6: a deletion between the bind and the end takes effect at once and leaves nothing, also where the process that
// created the instance was killed there.
func TestDeleteBetweenBindAndTheEnd(t *testing.T) {
	t.Parallel()
	t.Run("during the wait", func(t *testing.T) {
		t.Parallel()
		inCloud(t, func(t *testing.T, w *world, p *process) {
			w.fails(fault.Rule{Operation: fault.Bind, Fault: fault.Stuck{}})
			request := worldRequest(oneGPU)
			created := make(chan error, 1)
			go func() {
				_, err := p.Create(t.Context(), request)
				created <- err
			}()
			time.Sleep(25 * time.Second)
			require.Len(t, w.allARQs(), 1)
			asked := time.Now()
			go func() { assert.NoError(t, p.Delete(t.Context(), w.record(request.Consumer.UUID))) }()
			require.ErrorIs(t, <-created, lifecycle.ErrDeleted)
			synctest.Wait()
			assert.Zero(t, time.Since(asked), "not when the wait has ended")
			assert.Empty(t, w.allARQs())
			assert.Zero(t, w.places.AllocationCount())
		})
	})
	t.Run("after a kill -9", func(t *testing.T) {
		t.Parallel()
		inCloud(t, func(t *testing.T, w *world, p *process) {
			p.gate.meddle = func(_ int, c call) meddling { return meddling{killAfter: binding(c)} }
			request := worldRequest(bothKinds)
			_, dead := p.run(func() error { _, err := p.Create(t.Context(), request); return err })
			require.True(t, dead)
			require.Len(t, w.allARQs(), 2)
			require.NoError(t, w.start().Delete(t.Context(), w.record(request.Consumer.UUID)))
			assert.Empty(t, w.allARQs())
			assert.Zero(t, w.places.AllocationCount())
		})
	})
}

// B7: an unshelve that failed leaves neither claim nor ARQs, and the next one works.
func TestUnshelveAfterAFailedOne(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(*world, *process){
		"bind refused": func(w *world, _ *process) { w.fails(refusing("arq:update")...) },
		"bind failed": func(w *world, _ *process) {
			w.fails(fault.Rule{Operation: fault.Bind, Fault: fault.Fails{After: time.Second}})
		},
		"never bound": func(w *world, _ *process) { w.fails(fault.Rule{Operation: fault.Bind, Fault: fault.Stuck{}}) },
		"no guest":    func(_ *world, p *process) { p.failSpawns(1, lifecycle.ErrAbort) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, w *world, p *process) {
				before := p.offloaded(t, oneGPU)
				fails(w, p)
				_, err := p.Unshelve(t.Context(), before, lifecycle.MoveRequest{})
				require.Error(t, err)
				assert.Equal(t, lifecycle.StateOffloaded, recordOf(t, err).State)
				assert.Empty(t, w.allARQs())
				assert.Zero(t, w.places.AllocationCount())
				w.mends()
				result, err := p.Unshelve(t.Context(), recordOf(t, err), lifecycle.MoveRequest{})
				require.NoError(t, err)
				assert.Len(t, result.ARQs, 1)
			})
		})
	}
}

// B8: an evacuation that failed leaves the instance on its host, with bound ARQs and its claim; the next one works.
func TestFailedEvacuationLeavesTheInstanceWhereItWas(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		before := p.create(t, worldRequest(bothKinds))
		host := before.Now.Host
		w.hypervisor.setDown(host, true)
		w.fails(fault.Rule{Operation: fault.Bind, Host: other(w.hosts, host), Fault: fault.Fails{After: time.Second}})
		_, err := p.Evacuate(t.Context(), before, lifecycle.MoveRequest{})
		require.ErrorIs(t, err, virtdriver.ErrNotBound)
		after := recordOf(t, err)
		assert.Equal(t, lifecycle.StateActive, after.State)
		assert.Nil(t, after.Operation)
		assert.Empty(t, after.Pending)
		assert.Equal(t, before.Claim.Allocations, after.Claim.Allocations)
		assert.Len(t, w.holds(before.Instance(), host), 2)

		w.mends()
		result, err := p.Evacuate(t.Context(), after, lifecycle.MoveRequest{})
		require.NoError(t, err)
		w.hypervisor.setDown(host, false)
		outcomes := p.HostBoot(t.Context(), host, []lifecycle.Record{result.Record})
		require.Len(t, outcomes, 1)
		require.NoError(t, outcomes[0].Err)
	})
}

// other is the first host that is not this one.
func other(hosts []string, host string) string {
	return hosts[slices.IndexFunc(hosts, func(name string) bool { return name != host })]
}

// B8: a rebuild that Cyborg cannot answer for leaves the guest as it is, and can be repeated.
func TestFailedRebuildLeavesTheGuest(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		before := p.create(t, worldRequest(oneGPU))
		guest := w.guestOf(before)
		w.fails(refusing("arq:get_all")...)
		_, err := p.Rebuild(t.Context(), before, []byte(domainOf("new")))
		require.ErrorIs(t, err, cyborgclient.ErrForbidden)
		after := recordOf(t, err)
		assert.Equal(t, lifecycle.StateActive, after.State)
		assert.Nil(t, after.Operation)
		assert.Equal(t, guest, w.guestOf(before))
		assert.Equal(t, 1, p.calls("guest", "spawn"), "it was not touched")
		w.mends()
		_, err = p.Rebuild(t.Context(), after, []byte(domainOf("new")))
		require.NoError(t, err)
		assert.Equal(t, "new", w.guestOf(before).title)
	})
}

// B9: an ARQ that an operation made is deleted once. What the undo of a move binds again it deletes first, be it there
// or not, and takes "not found" as done.
func TestFailedMovesDeleteEachARQOnce(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(*testing.T, *world, *process, lifecycle.Record) error{
		"unshelve": func(t *testing.T, w *world, p *process, before lifecycle.Record) error {
			t.Helper()
			result, err := then(t.Context(), p.Offload)(p.Shelve(t.Context(), before))
			require.NoError(t, err)
			w.fails(refusing("arq:update")...)
			_, err = p.Unshelve(t.Context(), result.Record, lifecycle.MoveRequest{})
			return err
		},
		"evacuate": func(t *testing.T, w *world, p *process, before lifecycle.Record) error {
			t.Helper()
			w.hypervisor.setDown(before.Now.Host, true)
			w.fails(fault.Rule{Operation: "arq:update", Host: other(w.hosts, before.Now.Host), Fault: fault.Status{Code: http.StatusForbidden}})
			_, err := p.Evacuate(t.Context(), before, lifecycle.MoveRequest{})
			w.hypervisor.setDown(before.Now.Host, false)
			for _, outcome := range p.HostBoot(t.Context(), before.Now.Host, []lifecycle.Record{recordOf(t, err)}) {
				assert.NoError(t, outcome.Err)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, w *world, p *process) {
				before := p.create(t, worldRequest(bothKinds))
				err := move(t, w, p, before)
				require.ErrorIs(t, err, cyborgclient.ErrForbidden)
				failed, _ := errors.AsType[*lifecycle.Error](err)
				require.NoError(t, failed.Undo)
				asked, done := w.deletions()
				assert.Subset(t, slices.Collect(maps.Keys(done)), before.ARQs())
				assert.Greater(t, len(done), len(before.ARQs()))
				for arq, n := range asked {
					assert.Equal(t, 1, done[arq], "ARQ %s", arq)
					if !slices.Contains(before.ARQs(), arq) {
						assert.Equal(t, 1, n, "ARQ %s", arq)
					}
				}
			})
		})
	}
}

// deletions counts for each ARQ the requests to delete it, and those that did.
func (w *world) deletions() (asked, done map[string]int) {
	asked, done = map[string]int{}, map[string]int{}
	for _, entry := range w.fake.Journal().Entries(journal.Filter{Operation: "arq:delete"}.Match) {
		query, err := url.ParseQuery(entry.Query)
		require.NoError(w.t, err)
		for _, list := range query["arqs"] {
			for arq := range strings.SplitSeq(list, ",") {
				asked[arq]++
				if entry.Status == http.StatusNoContent {
					done[arq]++
				}
			}
		}
	}
	return asked, done
}
