package lifecycle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// TestReconcileLeavesForeignInstancesAlone has a real Nova beside this program, with all that its instances can have in
// the middle of its operations.
func TestReconcileLeavesForeignInstancesAlone(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		complete, deleted, building := uuid.NewString(), uuid.NewString(), uuid.NewString()
		a.claimGPU(complete, a.bindTo(complete, a.unbound(oneGPU)[0]))
		a.bindTo(deleted, a.unbound(oneGPU)[0])
		a.claimGPU(building, a.freeGPU())
		time.Sleep(longAgo)
		arqs, err := a.cyborg.ARQs(t.Context(), cyborgclient.ARQFilter{})
		require.NoError(t, err)
		for _, known := range []func(context.Context, string) (bool, error){nil, a.known.Gone} {
			a.known.Gone = known
			plan := a.plan()
			assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingIdle, lifecycle.FindingUnallocated, lifecycle.FindingForeign}, kinds(plan.Findings))
			assert.Equal(t, []string{building, deleted, complete}, []string{plan.Findings[0].Instance, plan.Findings[1].Instance, plan.Findings[2].Instance})
			done, err := a.process.Repair(t.Context(), a.known, plan)
			require.NoError(t, err)
			for i := range plan.Findings {
				assert.Empty(t, plan.Findings[i].Repair)
				assert.NotEmpty(t, done[i].Left)
				plan.Findings[i].Repair = "do it all the same"
			}
			_, err = a.process.Repair(t.Context(), a.known, plan)
			require.NoError(t, err)
		}
		after, err := a.cyborg.ARQs(t.Context(), cyborgclient.ARQFilter{})
		require.NoError(t, err)
		assert.Equal(t, arqs, after)
		assert.Equal(t, 2, a.places.AllocationCount())
	})
}

// A consumer of a migration is no instance, so that nobody can say of it that it was deleted.
func TestReconcileAsksOnlyForInstances(t *testing.T) {
	t.Parallel()
	migration := uuid.NewString()
	auditing(t, []string{migration}, func(t *testing.T, a *audited) {
		a.claimOfType(migration, a.freeGPU(), "MIGRATION")
		plan := a.plan()
		require.Len(t, plan.Findings, 1)
		assert.Empty(t, plan.Findings[0].Repair)
	})
}

// TestReconcileBesideARunningCreation looks all the time while an instance is built, which takes longer than the grace.
func TestReconcileBesideARunningCreation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		others bool // it is another process that looks
		grace  time.Duration
	}{
		{"in this process", false, time.Second},
		{"in another process", true, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			auditing(t, nil, func(t *testing.T, a *audited) {
				looks := a.process
				if test.others {
					looks = a.start()
					a.process = a.start() // the one that gets the events
				}
				a.known.Grace = test.grace
				built := make(chan error)
				go func() {
					_, err := a.process.Create(t.Context(), worldRequest(programmed))
					built <- err
				}()
				rounds := 0
				for ended := false; !ended; rounds++ {
					plan, err := looks.Reconcile(t.Context(), a.known)
					require.NoError(t, err)
					assert.Empty(t, plan.Findings)
					select {
					case err := <-built:
						require.NoError(t, err)
						ended = true
					case <-time.After(2 * time.Second):
					}
				}
				assert.Greater(t, rounds, 5)
				assert.Empty(t, a.violations())
			})
		})
	}
}

// TestReconcileDuringOperationsOfAnotherProcess has an instance change right after the ARQs were read.
func TestReconcileDuringOperationsOfAnotherProcess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(ctx context.Context, other *process, record lifecycle.Record) error
	}{
		{"deletion", func(ctx context.Context, other *process, record lifecycle.Record) error {
			return other.Delete(ctx, record)
		}},
		{"migration", func(ctx context.Context, other *process, record lifecycle.Record) error {
			_, err := other.Migrate(ctx, record, lifecycle.MoveRequest{})
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			auditing(t, nil, func(t *testing.T, a *audited) {
				record := a.create(oneGPU)
				a.known.Gone = func(context.Context, string) (bool, error) { return true, nil }
				looks := a.process
				other := a.start()
				changed := false
				looks.gate.meddle = func(_ int, c call) meddling {
					if c != (call{"cyborg", "GET /deployables"}) || changed {
						return meddling{}
					}
					changed = true
					return meddling{before: func() { assert.NoError(t, test.change(t.Context(), other, record)) }}
				}
				assert.Empty(t, a.plan().Findings)
				assert.True(t, changed)
				assert.Empty(t, a.plan().Findings)
			})
		})
	}
}

// TestRepairLooksAgain repairs by a plan that is not true any more.
func TestRepairLooksAgain(t *testing.T) {
	t.Parallel()
	gone := uuid.NewString()
	auditing(t, []string{gone}, func(t *testing.T, a *audited) {
		stray, orphan := a.unbound(oneGPU)[0], a.unbound(oneGPU)[0]
		a.claimGPU(gone, a.bindTo(gone, orphan))
		record := a.stopped(oneGPU)
		require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
		time.Sleep(longAgo)
		text, err := json.Marshal(a.plan())
		require.NoError(t, err)
		var plan lifecycle.Plan
		require.NoError(t, json.Unmarshal(text, &plan), "a plan can be stored")
		require.Equal(t, []lifecycle.FindingKind{lifecycle.FindingStray, lifecycle.FindingOrphan, lifecycle.FindingIdle, lifecycle.FindingNotBound}, kinds(plan.Findings))

		mine := uuid.NewString()
		a.bindTo(mine, stray)
		a.known.Gone = func(context.Context, string) (bool, error) { return false, nil } // it was another that was deleted
		require.NoError(t, a.process.DeleteLocal(t.Context(), record))
		done, err := a.process.Repair(t.Context(), a.known, &plan)
		require.NoError(t, err)
		require.Len(t, done, 4)
		for _, one := range done {
			assert.Equal(t, "it is not so any more", one.Left, "%+v", one.Finding)
		}
		arqs, err := a.cyborg.ARQsByInstance(t.Context(), mine)
		require.NoError(t, err)
		assert.Len(t, arqs, 1)
	})
}

// TestRepairLeavesBusyInstancesAlone repairs while operations run on the instances of the plan.
func TestRepairLeavesBusyInstancesAlone(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		record := a.create(programmed)
		ended := make(chan error)
		go func() {
			_, err := a.process.Migrate(t.Context(), record, lifecycle.MoveRequest{})
			ended <- err
		}()
		time.Sleep(time.Second)
		plan := &lifecycle.Plan{Findings: []lifecycle.Finding{
			{Kind: lifecycle.FindingNotBound, Instance: record.Instance(), ARQ: record.ARQs()[0], Repair: "bind"},
			{Kind: lifecycle.FindingInterrupted, Instance: record.Instance(), Repair: "take it back"},
		}}
		done, err := a.process.Repair(t.Context(), a.known, plan)
		require.NoError(t, err)
		for _, one := range done {
			assert.Equal(t, "an operation runs on the instance", one.Left)
		}
		require.NoError(t, <-ended)
		assert.Empty(t, a.violations())
	})
}

// A deletion ends a repair that runs on its instance.
func TestDeleteDuringRepair(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		record := a.stopped(programmed)
		require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
		plan := a.plan()
		repaired := make(chan error)
		go func() {
			_, err := a.process.Repair(t.Context(), a.known, plan)
			repaired <- err
		}()
		time.Sleep(time.Second)
		began := time.Now()
		require.NoError(t, a.process.Delete(t.Context(), record))
		assert.Less(t, time.Since(began), programmingTime)
		require.ErrorIs(t, <-repaired, lifecycle.ErrDeleted)
		assert.Empty(t, a.violations())
	})
}

// TestRepairOfARunningGuest takes no device from a guest that runs. If there is no other, the guest runs when there is.
func TestRepairOfARunningGuest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		taken bool
	}{{"works", false}, {"the device is taken", true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			auditing(t, nil, func(t *testing.T, a *audited) {
				record := a.create(oneGPU)
				arq, provider := record.ARQs()[0], record.Now.Sets[0].ARQs[0].Provider
				require.NoError(t, a.cyborg.Unbind(t.Context(), arq))
				var taker string
				if test.taken {
					taker = a.unbound(oneGPU)[0]
					require.NoError(t, a.cyborg.Bind(t.Context(), []cyborgclient.Binding{{ARQ: taker, Hostname: record.Now.Host, DeviceRP: provider, Instance: uuid.NewString()}}))
				}
				plan := a.plan()
				plan.Findings = plan.Findings[len(plan.Findings)-1:]
				if test.taken {
					plan = a.plan()
				}
				done, err := a.process.Repair(t.Context(), a.known, plan)
				assert.Equal(t, test.taken, err != nil, "%v", err)
				for _, one := range done {
					if one.Finding.Kind == lifecycle.FindingNotBound && !test.taken {
						assert.True(t, one.Finding.Guest)
						assert.Contains(t, string(one.Result.Composition.XML), "<hostdev")
					}
				}
				if test.taken {
					_, err := a.cyborg.DeleteARQs(t.Context(), taker)
					require.NoError(t, err)
					a.repair(a.plan())
				}
				assert.Empty(t, a.plan().Findings)
				assert.Empty(t, a.violations())
				assert.Equal(t, lifecycle.StateActive, a.record(record.Instance()).State)
			})
		})
	}
}

// A device that others have by now is not bound again, nor one of another profile than before (B21).
func TestRepairRefusesOtherDevices(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		record := a.stopped(oneGPU)
		set := record.Now.Sets[0]
		_, err := a.placement.Drop(t.Context(), record.Claim, set.Allocations)
		require.NoError(t, err)
		a.claimGPU(uuid.NewString(), set.ARQs[0].Provider)
		require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
		plan := a.plan()
		require.Equal(t, []lifecycle.FindingKind{lifecycle.FindingIdle, lifecycle.FindingUnallocated, lifecycle.FindingNotBound}, kinds(plan.Findings))
		done, err := a.process.Repair(t.Context(), a.known, plan)
		require.ErrorIs(t, err, placement.ErrNoCapacity)
		require.ErrorContains(t, done[2].Err, "Migrate or Evacuate finds it other devices")
		failed, ok := errors.AsType[*lifecycle.Error](done[2].Err)
		require.True(t, ok)
		assert.Equal(t, lifecycle.OpReconcile, failed.Op)
		assert.Empty(t, a.record(record.Instance()).Pending, "nothing hinders a migration")

		changed := a.stopped(bothKinds)
		a.editRecord(changed.Instance(), func(r *lifecycle.Record) { r.Now.Sets[0].Profile.Hash = "another" })
		require.NoError(t, a.cyborg.Unbind(t.Context(), changed.ARQs()...))
		_, err = a.process.Repair(t.Context(), a.known, a.plan())
		require.ErrorIs(t, err, lifecycle.ErrProfileChanged)
	})
}

// A claim is not released while Cyborg holds its device (B22), and one failure does not keep others from being repaired.
func TestRepairKeepsTheClaimOfADeviceInUse(t *testing.T) {
	t.Parallel()
	gone := uuid.NewString()
	auditing(t, []string{gone}, func(t *testing.T, a *audited) {
		a.claimGPU(gone, a.bindTo(gone, a.unbound(oneGPU)[0]))
		record := a.create(oneGPU)
		_, err := a.placement.Drop(t.Context(), record.Claim, record.Now.Sets[0].Allocations)
		require.NoError(t, err)
		plan := a.plan()
		require.Equal(t, []lifecycle.FindingKind{lifecycle.FindingOrphan, lifecycle.FindingIdle, lifecycle.FindingUnallocated}, kinds(plan.Findings))
		a.cut(call{"cyborg", "DELETE /accelerator_requests"})
		done, err := a.process.Repair(t.Context(), a.known, plan)
		require.ErrorIs(t, err, cyborgclient.ErrForbidden)
		require.ErrorContains(t, err, "reconcile ARQ "+plan.Findings[0].ARQ)
		require.ErrorContains(t, done[1].Err, "reconcile instance "+gone+": it still has 1 ARQs")
		require.NoError(t, done[2].Err)
		held, err := a.placement.Allocations(t.Context(), gone)
		require.NoError(t, err)
		assert.NotEmpty(t, held.Allocations)
		a.cut()
		a.repair(a.plan())
		assert.Empty(t, a.plan().Findings)
		assert.Empty(t, a.violations())
	})
}

// TestReconcileEndsWithTheFirstFailure fails each thing that it reads.
func TestReconcileEndsWithTheFirstFailure(t *testing.T) {
	t.Parallel()
	for _, what := range []call{
		{"cyborg", "GET /accelerator_requests"},
		{"cyborg", "GET /deployables"},
		{"placement", "GET /resource_providers"},
		{"placement", "GET /allocations"},
	} {
		t.Run(what.String(), func(t *testing.T) {
			t.Parallel()
			auditing(t, nil, func(t *testing.T, a *audited) {
				a.create(oneGPU)
				a.cut(what)
				plan, err := a.process.Reconcile(t.Context(), a.known)
				require.ErrorContains(t, err, "reconcile: ")
				assert.Nil(t, plan)
				a.cut()
				assert.NotNil(t, a.plan())
			})
		})
	}
}

func TestReconcileRefusesWhatIsKnownBadly(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is broken")
	foreign := uuid.NewString()
	for _, test := range []struct {
		name, want string
		known      func(k *lifecycle.Known, records []lifecycle.Record)
	}{
		{"no records", "without them everything would be somebody else's", func(k *lifecycle.Known, _ []lifecycle.Record) { k.Records = nil }},
		{"unreadable", "the disk is broken", func(k *lifecycle.Known, all []lifecycle.Record) {
			k.Records = func() ([]lifecycle.Record, error) { return all, broken }
		}},
		{"of another version", "record of instance ", func(k *lifecycle.Known, all []lifecycle.Record) {
			all[0].Version = 99
			k.Records = func() ([]lifecycle.Record, error) { return all, nil }
		}},
		{"twice", "two records of instance ", func(k *lifecycle.Known, all []lifecycle.Record) {
			k.Records = func() ([]lifecycle.Record, error) { return append(all, all[0]), nil }
		}},
		{"no time", "must not be negative", func(k *lifecycle.Known, _ []lifecycle.Record) { k.Grace = -1 }},
		{"not answered", "is instance " + foreign + " gone: the disk is broken", func(k *lifecycle.Known, _ []lifecycle.Record) {
			k.Gone = func(context.Context, string) (bool, error) { return true, broken }
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			auditing(t, nil, func(t *testing.T, a *audited) {
				a.create(oneGPU)
				a.bindTo(foreign, a.unbound(oneGPU)[0])
				test.known(&a.known, a.disk.all())
				_, err := a.process.Reconcile(t.Context(), a.known)
				require.ErrorContains(t, err, test.want)
				stray := lifecycle.Finding{Kind: lifecycle.FindingOrphan, Instance: foreign, ARQ: a.unbound(oneGPU)[0], Repair: "delete it"}
				_, err = a.process.Repair(t.Context(), a.known, &lifecycle.Plan{Findings: []lifecycle.Finding{stray}})
				require.ErrorContains(t, err, test.want)
			})
		})
	}
}

// TestReconcileNoticesWhatARoleHides has users that see the ARQs of their project only.
func TestReconcileNoticesWhatARoleHides(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, release, user string
		recorded, sure      bool
		want                error
	}{
		{"admin, an instance on record", "17.0.0", "admin", true, true, nil},
		{"other project, an instance on record", "17.0.0", "demo", true, false, lifecycle.ErrIncomplete},
		{"other project, an instance of Nova", "17.0.0", "demo", false, false, lifecycle.ErrIncomplete},
		{"other project, devices not shown", "16.0.1", "demo", true, false, cyborgclient.ErrForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release, err := fakecyborg.FindRelease(test.release)
				require.NoError(t, err)
				servers := newGuarded(t, release)
				record := servers.create(t, "admin")
				known := lifecycle.Known{Records: func() ([]lifecycle.Record, error) { return nil, nil }, AllProjects: test.sure}
				if test.recorded {
					known.Records = func() ([]lifecycle.Record, error) { return []lifecycle.Record{record}, nil }
				}
				plan, err := servers.manager(t, test.user).Reconcile(t.Context(), known)
				require.ErrorIs(t, err, test.want)
				if test.want == nil {
					assert.Empty(t, plan.Findings)
				}
			})
		})
	}
}

// guarded is a cloud that asks who one is.
type guarded struct {
	placement *placement.Client
	fake      *fakecyborg.Server
}

func newGuarded(t *testing.T, release fakecyborg.Release) *guarded {
	t.Helper()
	places, err := placementtest.New()
	require.NoError(t, err)
	g := &guarded{placement: placementClient(t, placement.WithTransport(places.Transport()))}
	g.fake, err = fakecyborg.New(fakecyborg.WithSeed(worldSeed([]string{"node-0"})), fakecyborg.WithRelease(release),
		fakecyborg.WithPlacement(g.placement), fakecyborg.WithPresetTokens("recorded"), fakecyborg.WithoutNova())
	require.NoError(t, err)
	t.Cleanup(g.fake.Close)
	require.NoError(t, g.fake.Report(t.Context()))
	return g
}

func (g *guarded) manager(t *testing.T, user string) *lifecycle.Manager {
	t.Helper()
	cyborg := cyborgClient(t, cyborgclient.WithTransport(g.fake.Transport()), cyborgclient.WithToken(user), cyborgclient.WithServiceToken("nova"))
	manager, err := lifecycle.New(g.placement, cyborg)
	require.NoError(t, err)
	return manager
}

func (g *guarded) create(t *testing.T, user string) lifecycle.Record {
	t.Helper()
	created, err := g.manager(t, user).Create(t.Context(), worldRequest(oneGPU))
	require.NoError(t, err)
	return created.Record
}

// claimOfType makes a consumer of a type, as Nova does.
func (a *audited) claimOfType(consumer, provider, kind string) {
	a.t.Helper()
	body := fmt.Sprintf(`{"allocations": {%q: {"resources": {"PGPU": 1}}}, "consumer_generation": null, "project_id": "p", "user_id": "u", "consumer_type": %q}`,
		provider, kind)
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodPut, "http://placement.localhost/allocations/"+consumer, strings.NewReader(body))
	require.NoError(a.t, err)
	request.Header = http.Header{"X-Auth-Token": {"admin"}, "Content-Type": {"application/json"}, "Openstack-Api-Version": {"placement 1.38"}}
	response, err := a.places.Transport().RoundTrip(request)
	require.NoError(a.t, err)
	require.NoError(a.t, response.Body.Close())
	require.Equal(a.t, http.StatusNoContent, response.StatusCode)
}

// editRecord changes a record on disk.
func (a *audited) editRecord(instance string, edit func(*lifecycle.Record)) {
	a.t.Helper()
	record := a.record(instance)
	edit(&record)
	record.Revision++
	require.NoError(a.t, a.disk.save(record))
}
