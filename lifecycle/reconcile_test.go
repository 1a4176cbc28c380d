package lifecycle_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
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
)

// audited is a world with what a reconciliation of it knows.
type audited struct {
	*world
	process *process
	known   lifecycle.Known
}

// longAgo is longer than the default grace.
const longAgo = 11 * time.Minute

// auditing runs a test in a bubble, with an admin who sees everything and instances that are known to be gone.
func auditing(t *testing.T, gone []string, test func(t *testing.T, a *audited)) {
	t.Helper()
	auditingRelease(t, fakecyborg.Newest(), gone, test)
}

func auditingRelease(t *testing.T, release fakecyborg.Release, gone []string, test func(t *testing.T, a *audited)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, release)
		a := &audited{world: w, process: w.start()}
		a.known = lifecycle.Known{
			Records: func() ([]lifecycle.Record, error) { return w.disk.all(), nil }, AllProjects: true,
			Gone: func(_ context.Context, instance string) (bool, error) { return slices.Contains(gone, instance), nil },
		}
		test(t, a)
	})
}

// create builds an instance.
func (a *audited) create(profile string) lifecycle.Record {
	a.t.Helper()
	created, err := a.process.Create(a.t.Context(), worldRequest(profile))
	require.NoError(a.t, err)
	return created.Record
}

// stopped builds an instance and powers it off.
func (a *audited) stopped(profile string) lifecycle.Record {
	a.t.Helper()
	stopped, err := a.process.Stop(a.t.Context(), a.create(profile))
	require.NoError(a.t, err)
	return stopped.Record
}

func (a *audited) plan() *lifecycle.Plan {
	a.t.Helper()
	plan, err := a.process.Reconcile(a.t.Context(), a.known)
	require.NoError(a.t, err)
	return plan
}

// repair does what a plan says; nothing may fail or be left, but what was repaired together with something else.
func (a *audited) repair(plan *lifecycle.Plan) {
	a.t.Helper()
	done, err := a.process.Repair(a.t.Context(), a.known, plan)
	require.NoError(a.t, err)
	require.Len(a.t, done, len(plan.Findings))
	assert.Empty(a.t, done[0].Left)
	for _, one := range done {
		assert.Contains(a.t, []string{"", "it is not so any more"}, one.Left, "%+v", one.Finding)
	}
}

// unbound makes the ARQs of a profile.
func (a *audited) unbound(profile string) []string {
	a.t.Helper()
	arqs, err := a.cyborg.CreateARQs(a.t.Context(), profile)
	require.NoError(a.t, err)
	var made []string
	for _, arq := range arqs {
		made = append(made, arq.UUID)
	}
	return made
}

// bindTo binds an ARQ to an instance at the first GPU that nobody has in Placement, as Nova or a fault would.
func (a *audited) bindTo(instance, arq string) (provider string) {
	a.t.Helper()
	provider = a.freeGPU()
	require.NoError(a.t, a.cyborg.Bind(a.t.Context(), []cyborgclient.Binding{{ARQ: arq, Hostname: a.hosts[1], DeviceRP: provider, Instance: instance}}))
	return provider
}

// freeGPU is the provider of a GPU of the second host that nobody holds.
func (a *audited) freeGPU() string {
	a.t.Helper()
	for _, address := range []string{"86", "af", "d8", "da"} {
		provider, err := a.placement.ProviderByName(a.t.Context(), a.hosts[1]+"_0000:"+address+":00.0")
		require.NoError(a.t, err)
		held, err := a.placement.ProviderAllocations(a.t.Context(), provider.UUID)
		require.NoError(a.t, err)
		if len(held) == 0 {
			return provider.UUID
		}
	}
	a.t.Fatal("no GPU is free")
	return ""
}

func (a *audited) claimGPU(instance, provider string) placement.Claim {
	a.t.Helper()
	claim, err := a.placement.Claim(a.t.Context(), placement.Consumer{UUID: instance, ProjectID: "project", UserID: "user"},
		placement.Candidate{Allocations: map[string]map[string]int64{provider: {"PGPU": 1}}})
	require.NoError(a.t, err)
	return claim
}

// cut makes each such call of the process fail.
func (a *audited) cut(calls ...call) {
	a.process.gate.mu.Lock()
	defer a.process.gate.mu.Unlock()
	a.process.gate.meddle = func(_ int, c call) meddling {
		if slices.Contains(calls, c) {
			return meddling{request: refuse}
		}
		return meddling{}
	}
}

func refuse(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// loseAnswer lets a request take effect and its answer get lost.
func loseAnswer(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
	response, err := send()
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	return nil, errLost
}

var errLost = assert.AnError

func kinds(findings []lifecycle.Finding) []lifecycle.FindingKind {
	var found []lifecycle.FindingKind
	for _, f := range findings {
		found = append(found, f.Kind)
	}
	return found
}

func TestReconcileFindsNothingWhereAllIsWell(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		record := a.create(bothKinds)
		_, err := a.process.Migrate(t.Context(), record, lifecycle.MoveRequest{})
		require.NoError(t, err)
		offloaded, err := a.process.Shelve(t.Context(), a.create(oneGPU))
		require.NoError(t, err)
		_, err = a.process.Offload(t.Context(), offloaded.Record)
		require.NoError(t, err)
		other := a.create("")
		_, err = a.placement.Move(t.Context(), other.Claim, placement.Candidate{Allocations: map[string]map[string]int64{other.Now.Root: {"VCPU": 1}}})
		require.NoError(t, err, "what is no device may be another service's")
		a.known.Prepared = a.unbound(oneGPU)
		time.Sleep(longAgo)
		assert.Empty(t, a.plan().Findings)
		a.known.AllProjects = false
		assert.Empty(t, a.plan().Findings, "nothing is missing in the list, so that it is taken for whole")
	})
}

// TestReconcileFindsAndRepairs brings about what can be wrong, and looks that it is found, repaired, and not found again.
func TestReconcileFindsAndRepairs(t *testing.T) {
	t.Parallel()
	gone := uuid.NewString()
	for _, test := range reconcileCases(gone) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			auditing(t, []string{gone}, func(t *testing.T, a *audited) {
				a.create(bothKinds) // one that all is well with
				test.fault(t, a)
				if test.young {
					assert.Empty(t, a.plan().Findings, "it may still be in the making")
				}
				time.Sleep(longAgo)
				plan := a.plan()
				assert.Equal(t, test.want, kinds(plan.Findings))
				for _, f := range plan.Findings {
					assert.NotEmpty(t, f.Repair)
					assert.NotEmpty(t, f.Why)
				}
				before := len(a.violations())
				assert.Len(t, a.plan().Findings, len(plan.Findings), "looking changes nothing")
				assert.Len(t, a.violations(), before)
				a.repair(plan)
				assert.Empty(t, a.plan().Findings)
				assert.Empty(t, a.violations())
			})
		})
	}
}

// TestReconcileOfTrain has a Cyborg that does not list its devices.
func TestReconcileOfTrain(t *testing.T) {
	t.Parallel()
	release, err := fakecyborg.FindRelease("train")
	require.NoError(t, err)
	gone := uuid.NewString()
	auditingRelease(t, release, []string{gone}, func(_ *testing.T, a *audited) {
		a.create(bothKinds)
		a.claimGPU(gone, a.bindTo(gone, a.unbound(oneGPU)[0]))
		a.unbound(oneGPU)
		time.Sleep(longAgo)
		plan := a.plan()
		assert.Equal(a.t, []lifecycle.FindingKind{lifecycle.FindingStray, lifecycle.FindingOrphan, lifecycle.FindingIdle}, kinds(plan.Findings))
		a.repair(plan)
		assert.Empty(a.t, a.plan().Findings)
		assert.Empty(a.t, a.violations())
	})
}

// TestReconcileAfterAKillAtEveryCall has Reconcile alone see to what killed processes leave.
func TestReconcileAfterAKillAtEveryCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		run  func(ctx context.Context, p *process, record lifecycle.Record) error
	}{
		{"creation", func(ctx context.Context, p *process, _ lifecycle.Record) error {
			_, err := p.Create(ctx, worldRequest(bothKinds))
			return err
		}},
		{"migration", func(ctx context.Context, p *process, record lifecycle.Record) error {
			_, err := p.Migrate(ctx, record, lifecycle.MoveRequest{})
			return err
		}},
		{"deletion", func(ctx context.Context, p *process, record lifecycle.Record) error { return p.Delete(ctx, record) }},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, after the call %t", test.name, after), func(t *testing.T) {
				t.Parallel()
				died := true
				for at := 0; died; at++ {
					require.Less(t, at, 100)
					auditing(t, nil, func(t *testing.T, a *audited) {
						record := a.create(oneGPU)
						doomed := a.start()
						doomed.gate.meddle = func(i int, _ call) meddling { return meddling{kill: i == at && !after, killAfter: i == at && after} }
						_, died = doomed.run(func() error { return test.run(t.Context(), doomed, record) })
						a.process = a.start()
						time.Sleep(longAgo)
						plan := a.plan()
						if len(plan.Findings) > 0 {
							a.repair(plan)
						}
						assert.Empty(t, a.plan().Findings, "killed at call %d", at)
						assert.Empty(t, a.violations(), "killed at call %d", at)
					})
				}
			})
		}
	}
}

type reconcileCase struct {
	name  string
	young bool // not found within the grace
	fault func(t *testing.T, a *audited)
	want  []lifecycle.FindingKind
}

func reconcileCases(gone string) []reconcileCase {
	var all []reconcileCase
	return append(append(append(all, arqCases(gone)...), claimCases()...), recordCases()...)
}

func arqCases(gone string) []reconcileCase {
	return []reconcileCase{
		{
			name: "an ARQ that nobody bound", young: true, want: []lifecycle.FindingKind{lifecycle.FindingStray},
			fault: func(_ *testing.T, a *audited) { a.unbound(oneGPU) },
		},
		{
			name: "an ARQ that was unbound", young: true, want: []lifecycle.FindingKind{lifecycle.FindingStray},
			fault: func(t *testing.T, a *audited) {
				arq := a.unbound(oneGPU)[0]
				time.Sleep(longAgo)
				a.bindTo(uuid.NewString(), arq)
				require.NoError(t, a.cyborg.Unbind(t.Context(), arq))
			},
		},
		{
			name: "an ARQ of a deleted instance", want: []lifecycle.FindingKind{lifecycle.FindingOrphan},
			fault: func(_ *testing.T, a *audited) { a.bindTo(gone, a.unbound(oneGPU)[0]) },
		},
		{
			name: "all that a deleted instance had", want: []lifecycle.FindingKind{lifecycle.FindingOrphan, lifecycle.FindingIdle},
			fault: func(_ *testing.T, a *audited) { a.claimGPU(gone, a.bindTo(gone, a.unbound(oneGPU)[0])) },
		},
		{
			name: "a claim of a deleted instance", want: []lifecycle.FindingKind{lifecycle.FindingIdle},
			fault: func(_ *testing.T, a *audited) { a.claimGPU(gone, a.freeGPU()) },
		},
		{
			name: "an ARQ of an instance that is to have none", want: []lifecycle.FindingKind{lifecycle.FindingStale},
			fault: func(_ *testing.T, a *audited) { a.bindTo(a.create("").Instance(), a.unbound(oneGPU)[0]) },
		},
		{
			name: "a given ARQ of an instance that is to have none", want: []lifecycle.FindingKind{lifecycle.FindingStale},
			fault: func(_ *testing.T, a *audited) {
				a.known.Prepared = a.giveARQs(oneGPU)
				a.bindTo(a.create("").Instance(), a.given[0])
			},
		},
		{
			name: "an ARQ of an offloaded instance", want: []lifecycle.FindingKind{lifecycle.FindingStale},
			fault: func(t *testing.T, a *audited) {
				shelved, err := a.process.Shelve(t.Context(), a.create(oneGPU))
				require.NoError(t, err)
				_, err = a.process.Offload(t.Context(), shelved.Record)
				require.NoError(t, err)
				a.bindTo(shelved.Record.Instance(), a.unbound(oneGPU)[0])
			},
		},
		{
			name: "an ARQ that is gone", want: []lifecycle.FindingKind{lifecycle.FindingNotBound},
			fault: func(t *testing.T, a *audited) {
				_, err := a.cyborg.DeleteARQs(t.Context(), a.stopped(bothKinds).ARQs()[0])
				require.NoError(t, err)
			},
		},
		{
			name: "ARQs that are not bound", want: []lifecycle.FindingKind{lifecycle.FindingNotBound, lifecycle.FindingNotBound},
			fault: func(t *testing.T, a *audited) {
				require.NoError(t, a.cyborg.Unbind(t.Context(), a.stopped(bothKinds).ARQs()...))
			},
		},
		{
			name: "a given ARQ that is not bound", want: []lifecycle.FindingKind{lifecycle.FindingNotBound},
			fault: func(t *testing.T, a *audited) {
				request := worldRequest("")
				request.ARQs = a.giveARQs(oneGPU)
				created, err := a.process.Create(t.Context(), request)
				require.NoError(t, err)
				_, err = a.process.Stop(t.Context(), created.Record)
				require.NoError(t, err)
				require.NoError(t, a.cyborg.Unbind(t.Context(), request.ARQs...))
			},
		},
		{
			name: "an ARQ on another host", want: []lifecycle.FindingKind{lifecycle.FindingMisplaced},
			fault: func(t *testing.T, a *audited) {
				record := a.stopped(oneGPU)
				require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
				a.bindTo(record.Instance(), record.ARQs()[0])
			},
		},
	}
}

func claimCases() []reconcileCase {
	return []reconcileCase{
		{
			name: "more allocated than is on record", want: []lifecycle.FindingKind{lifecycle.FindingIdle},
			fault: func(t *testing.T, a *audited) {
				_, err := a.placement.Move(t.Context(), a.create(oneGPU).Claim,
					placement.Candidate{Allocations: map[string]map[string]int64{a.freeGPU(): {"PGPU": 1}}})
				require.NoError(t, err)
			},
		},
		{
			name: "an ARQ without allocation", want: []lifecycle.FindingKind{lifecycle.FindingUnallocated},
			fault: func(t *testing.T, a *audited) {
				record := a.create(oneGPU)
				_, err := a.placement.Drop(t.Context(), record.Claim, record.Now.Sets[0].Allocations)
				require.NoError(t, err)
			},
		},
		{
			name: "no claim at all", want: []lifecycle.FindingKind{lifecycle.FindingUnallocated, lifecycle.FindingUnallocated},
			fault: func(t *testing.T, a *audited) {
				require.NoError(t, a.placement.Release(t.Context(), a.create(oneGPU).Claim))
			},
		},
		{
			name: "neither claim nor ARQ",
			want: []lifecycle.FindingKind{lifecycle.FindingUnallocated, lifecycle.FindingUnallocated, lifecycle.FindingNotBound},
			fault: func(t *testing.T, a *audited) {
				record := a.stopped(oneGPU)
				require.NoError(t, a.placement.Release(t.Context(), record.Claim))
				require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
			},
		},
	}
}

func recordCases() []reconcileCase {
	crash := func(t *testing.T, a *audited, at call) {
		t.Helper()
		killed := a.start()
		killed.gate.meddle = func(_ int, c call) meddling { return meddling{killAfter: c == at} }
		_, dead := killed.run(func() error { _, err := killed.Create(t.Context(), worldRequest(oneGPU)); return err })
		require.True(t, dead)
	}
	return []reconcileCase{
		{
			name: "a killed creation", young: true, want: []lifecycle.FindingKind{lifecycle.FindingInterrupted},
			fault: func(t *testing.T, a *audited) { crash(t, a, call{"cyborg", "bind"}) },
		},
		{
			name: "a creation killed before it knew its ARQs", young: true,
			want:  []lifecycle.FindingKind{lifecycle.FindingStray, lifecycle.FindingInterrupted},
			fault: func(t *testing.T, a *audited) { crash(t, a, call{"cyborg", "POST /accelerator_requests"}) },
		},
		{
			name: "a deletion that Cyborg refused", want: []lifecycle.FindingKind{lifecycle.FindingPending},
			fault: func(t *testing.T, a *audited) {
				record := a.create(oneGPU)
				a.cut(call{"cyborg", "DELETE /accelerator_requests"})
				require.Error(t, a.process.Delete(t.Context(), record))
				a.cut()
			},
		},
		{
			name: "a creation of ARQs that was not answered", young: true,
			want:  []lifecycle.FindingKind{lifecycle.FindingStray, lifecycle.FindingAnswered},
			fault: func(t *testing.T, a *audited) { a.createBadly(t, loseAnswer) },
		},
		{
			name: "a creation of ARQs that did not reach Cyborg, which nobody could see", young: true, want: []lifecycle.FindingKind{lifecycle.FindingAnswered},
			fault: func(t *testing.T, a *audited) {
				a.createBadly(t, func(*http.Request, func() (*http.Response, error)) (*http.Response, error) { return nil, errLost })
			},
		},
	}
}

// createBadly has something happen to the creation of the ARQs.
func (a *audited) createBadly(t *testing.T, how func(*http.Request, func() (*http.Response, error)) (*http.Response, error)) {
	t.Helper()
	a.process.gate.meddle = func(_ int, c call) meddling {
		switch c {
		case call{"cyborg", "POST /accelerator_requests"}:
			return meddling{request: how}
		case call{"cyborg", "GET /accelerator_requests"}: // the look for strays
			return meddling{request: refuse}
		default:
			return meddling{}
		}
	}
	_, err := a.process.Create(t.Context(), worldRequest(oneGPU))
	require.Error(t, err)
	a.cut()
}

// An ARQ that is young may be what a lost answer was about, if the request was carried out late.
func TestReconcileWaitsWhileARQsAreYoung(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		a.createBadly(t, loseAnswer)
		time.Sleep(longAgo)
		a.unbound(oneGPU)
		plan := a.plan()
		assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingStray}, kinds(plan.Findings))
		a.repair(plan)
		assert.Empty(t, a.plan().Findings)
		time.Sleep(longAgo)
		plan = a.plan()
		assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingStray, lifecycle.FindingAnswered}, kinds(plan.Findings))
		a.repair(plan)
		assert.Empty(t, a.plan().Findings)
		assert.Empty(t, a.violations())
	})
}
