package openstack_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

// step is what a pool does with one VM, and what goes wrong meanwhile.
type step struct {
	vm     string
	remove bool // if it is there
	faults []computetest.Fault
}

func drawSteps(r *rapid.T) []step {
	faults := []computetest.Fault{
		{},
		{Lost: true},
		{Cut: true},
		{Status: http.StatusInternalServerError},
		{Status: http.StatusGatewayTimeout},
		{Status: http.StatusServiceUnavailable},
		{Status: http.StatusTooManyRequests},
	}
	steps := make([]step, rapid.IntRange(1, 6).Draw(r, "steps"))
	for i := range steps {
		steps[i] = step{vm: strconv.Itoa(rapid.IntRange(0, 2).Draw(r, "vm")), remove: rapid.Bool().Draw(r, "remove")}
		for range rapid.IntRange(0, 3).Draw(r, "faults") {
			fault := rapid.SampledFrom(faults).Draw(r, "fault")
			fault.Method = rapid.SampledFrom([]string{"", http.MethodGet, http.MethodPost, http.MethodDelete}).Draw(r, "method")
			fault.Skip = rapid.IntRange(0, 4).Draw(r, "skip")
			steps[i].faults = append(steps[i].faults, fault)
		}
	}
	return steps
}

// Whatever becomes of requests, a VM that is asked for until it is there has one server, and one that is deleted until it
// is gone has none, with nothing of it left and everything foreign where it was.
func TestVMsAreMadeOnceAndGoWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		steps := drawSteps(r)
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = walk(t, steps) })
		require.Empty(r, wrong)
	})
}

// walk takes the steps in a new cloud, and says what is wrong in the end.
func walk(t *testing.T, steps []step) string {
	t.Helper()
	cloud := computetest.New(computetest.WithPageSize(2), computetest.WithLeftovers())
	provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{})
	cloud.AddServer(computetest.Instance{Name: "ep-physics-0"})
	cloud.AddServer(computetest.Instance{Name: "ep-physics-1", Metadata: tagged("physics2", "1")})
	made := make(map[string]elasticpool.Server)
	for _, step := range steps {
		for _, fault := range step.faults {
			cloud.Inject(fault)
		}
		do := func() (err error) {
			spec := smallVM(step.vm)
			spec.Class.Extra = map[string]string{openstack.ExtraVNICType: "direct", openstack.ExtraBootVolumeGB: "10"}
			made[step.vm], err = provider.Create(t.Context(), spec)
			return err
		}
		if server, there := made[step.vm]; there && step.remove {
			do = func() error { return provider.Delete(t.Context(), server) }
			delete(made, step.vm)
		}
		if err := until(cloud, do); err != nil {
			return err.Error()
		}
		cloud.ClearFaults()
	}
	_, err := provider.Reap(t.Context(), pool, 0)
	servers, complete, listErr := provider.Servers(t.Context(), pool)
	all := []int{len(cloud.Servers()) - 2, len(servers), len(cloud.Ports()), len(cloud.Volumes())}
	for _, count := range all {
		if count != len(made) || err != nil || listErr != nil || !complete {
			return fmt.Sprintf("%d VMs were made; servers, those listed, ports and volumes are %v; %v, %v", len(made), all, err, listErr)
		}
	}
	return ""
}

// until repeats what fails, as a pool does; in the end nothing disturbs it.
func until(cloud *computetest.Server, do func() error) (err error) {
	const tries = 8
	for try := range tries {
		if try == tries-1 {
			cloud.ClearFaults()
		}
		if err = do(); err == nil {
			return nil
		}
	}
	return err
}
