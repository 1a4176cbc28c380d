package lifecycle_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// TestRepairAfterAKillAtEveryCall kills the process that repairs. Whatever the killed one did, the next one brings the
// instance to what it was: its guest runs, with its devices, and can be moved.
func TestRepairAfterAKillAtEveryCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(t *testing.T, a *audited, record lifecycle.Record)
	}{
		{"devices lost", func(t *testing.T, a *audited, record lifecycle.Record) {
			t.Helper()
			require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
		}},
		{"a part not allocated", func(t *testing.T, a *audited, record lifecycle.Record) {
			t.Helper()
			_, err := a.placement.Drop(t.Context(), record.Claim, record.Now.Sets[0].Allocations)
			require.NoError(t, err)
		}},
		{"nothing allocated", func(t *testing.T, a *audited, record lifecycle.Record) {
			t.Helper()
			require.NoError(t, a.placement.Release(t.Context(), record.Claim))
		}},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, after the call %t", test.name, after), func(t *testing.T) {
				t.Parallel()
				died := true
				for at := 0; died; at++ {
					require.Less(t, at, 100)
					auditing(t, nil, func(t *testing.T, a *audited) {
						record := a.create(bothKinds)
						test.fault(t, a, record)
						plan := a.plan()
						doomed := a.start()
						doomed.gate.meddle = func(i int, _ call) meddling { return meddling{kill: i == at && !after, killAfter: i == at && after} }
						_, died = doomed.run(func() error { _, err := doomed.Repair(t.Context(), a.known, plan); return err })
						a.process = a.start()
						a.process.resumeAll(t.Context())
						time.Sleep(longAgo)
						if plan := a.plan(); len(plan.Findings) > 0 {
							a.repair(plan)
						}
						assert.Empty(t, a.plan().Findings, "killed at call %d", at)
						assert.Empty(t, a.violations(), "killed at call %d", at)
						assert.Equal(t, lifecycle.StateActive, a.record(record.Instance()).State, "killed at call %d", at)
						_, err := a.process.Migrate(t.Context(), a.record(record.Instance()), lifecycle.MoveRequest{})
						require.NoError(t, err, "killed at call %d", at)
						require.NoError(t, a.process.Delete(t.Context(), a.record(record.Instance())))
						assert.Empty(t, a.violations(), "killed at call %d", at)
					})
				}
			})
		}
	}
}

// A claim that nobody answers can still be deleted or claimed again.
func TestRepairOfAClaimThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("deleted %t", deleted), func(t *testing.T) {
			t.Parallel()
			auditing(t, nil, func(t *testing.T, a *audited) {
				record := a.create(oneGPU)
				_, err := a.placement.Drop(t.Context(), record.Claim, record.Now.Sets[0].Allocations)
				require.NoError(t, err)
				plan := a.plan()
				asked := false
				a.process.gate.meddle = func(_ int, c call) meddling {
					asked = asked || c.name == "PUT /allocations"
					if !asked || c.party != "placement" {
						return meddling{}
					}
					return meddling{request: func(*http.Request, func() (*http.Response, error)) (*http.Response, error) { return nil, errLost }}
				}
				_, err = a.process.Repair(t.Context(), a.known, plan)
				require.Error(t, err)
				a.process = a.start()
				if deleted {
					require.NoError(t, a.process.Delete(t.Context(), a.record(record.Instance())))
				} else {
					plan = a.plan()
					assert.Equal(t, []lifecycle.FindingKind{lifecycle.FindingPending}, kinds(plan.Findings))
					a.repair(plan)
					a.repair(a.plan())
				}
				assert.Empty(t, a.plan().Findings)
				assert.Empty(t, a.violations())
			})
		})
	}
}

// What is pending hides no lost device, and waits for it: one repair does both.
func TestRepairOfWhatIsPendingForLackOfADevice(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		record := a.create(bothKinds)
		failed := false
		a.process.gate.meddle = func(_ int, c call) meddling {
			if c != (call{"guest", "spawn"}) || failed {
				return meddling{}
			}
			failed = true
			return meddling{act: func(func() error) error {
				return errors.Join(errTrouble, a.cyborg.Unbind(t.Context(), record.ARQs()[0]))
			}}
		}
		_, err := a.process.HardReboot(t.Context(), record)
		require.Error(t, err)
		require.True(t, failed)
		plan := a.plan()
		require.Equal(t, []lifecycle.FindingKind{lifecycle.FindingPending, lifecycle.FindingNotBound}, kinds(plan.Findings))
		for _, f := range plan.Findings {
			assert.True(t, f.Guest)
		}
		a.repair(plan)
		assert.Empty(t, a.plan().Findings)
		assert.Empty(t, a.violations())
		assert.Empty(t, a.record(record.Instance()).Pending)
	})
}

// TestRepairThatFindsTheDeviceTaken leaves on record that the guest is to run, and hinders no move to other devices.
func TestRepairThatFindsTheDeviceTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		help func(t *testing.T, a *audited, record lifecycle.Record) error
	}{
		{"migrated", func(t *testing.T, a *audited, record lifecycle.Record) error {
			t.Helper()
			_, err := a.process.Migrate(t.Context(), record, lifecycle.MoveRequest{})
			return err
		}},
		{"evacuated", func(t *testing.T, a *audited, record lifecycle.Record) error {
			t.Helper()
			_, err := a.process.Evacuate(t.Context(), record, lifecycle.MoveRequest{})
			return err
		}},
		{"deleted", func(t *testing.T, a *audited, record lifecycle.Record) error {
			t.Helper()
			return a.process.Delete(t.Context(), record)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			auditing(t, nil, func(t *testing.T, a *audited) {
				record := a.create(oneGPU)
				require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
				taker := a.unbound(oneGPU)[0]
				require.NoError(t, a.cyborg.Bind(t.Context(), []cyborgclient.Binding{{
					ARQ: taker, Hostname: record.Now.Host, DeviceRP: record.Now.Sets[0].ARQs[0].Provider, Instance: uuid.NewString(),
				}}))
				for range 3 { // what is pending does not pile up
					_, err := a.process.Repair(t.Context(), a.known, a.plan())
					require.Error(t, err)
					left := a.record(record.Instance())
					assert.Equal(t, lifecycle.StateActive, left.State)
					var pending []lifecycle.TaskKind
					for _, task := range left.Pending {
						pending = append(pending, task.Kind)
					}
					assert.Equal(t, []lifecycle.TaskKind{lifecycle.TaskRestoreARQs, lifecycle.TaskRestoreGuest}, pending)
				}
				require.NoError(t, test.help(t, a, a.record(record.Instance())))
				_, err := a.cyborg.DeleteARQs(t.Context(), taker)
				require.NoError(t, err)
				assert.Empty(t, a.plan().Findings)
				assert.Empty(t, a.violations())
			})
		})
	}
}

// A guest that cannot be started again is not stopped.
func TestRepairOfAGuestWithoutDomain(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		record := a.create(oneGPU)
		require.NoError(t, a.cyborg.Unbind(t.Context(), record.ARQs()...))
		a.editRecord(record.Instance(), func(r *lifecycle.Record) { r.Now.Domain = "" })
		_, err := a.process.Repair(t.Context(), a.known, a.plan())
		require.ErrorContains(t, err, "there is no domain XML")
		for _, c := range a.process.gate.log() {
			assert.NotEqual(t, call{"guest", "destroy"}, c)
		}
	})
}
