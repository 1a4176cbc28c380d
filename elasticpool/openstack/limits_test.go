package openstack_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

func limitsOf(t *testing.T, provider *openstack.Provider) elasticpool.Limits {
	t.Helper()
	limits, err := provider.Limits(t.Context())
	require.NoError(t, err)
	return limits
}

// The pool may have what others leave: those of the project, of another pool of it too.
func TestLimitsAreQuotasLessWhatOthersUse(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithQuota(computetest.Quota{Cores: 20, RAM: 40960, Instances: 10, Ports: 8}))
	provider := newProvider(t, to, openstack.Settings{Networks: []string{"jobs"}})
	mustCreate(t, provider, smallVM("01J0A"))
	mustCreate(t, provider, fpgaVM("01J0B"))
	cloud.AddServer(computetest.Instance{Flavor: computetest.Flavor{ID: "9", VCPUs: 6, RAM: 10000}, Networks: []string{networkID}})
	cloud.AddServer(computetest.Instance{Metadata: tagged("physics2", "01J0C")})
	want := elasticpool.Limits{
		Total: elasticpool.Resources{elasticpool.CPUs: 13, elasticpool.Memory: 28912, elasticpool.VMs: 8, openstack.Addresses: 7},
		Free:  elasticpool.Resources{elasticpool.CPUs: 8, elasticpool.Memory: 18672, elasticpool.VMs: 6, openstack.Addresses: 5},
	}
	assert.Empty(t, cmp.Diff(want, limitsOf(t, provider)))
}

func TestWhatIsUnlimitedIsAbsent(t *testing.T) {
	t.Parallel()
	_, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	assert.Empty(t, cmp.Diff(elasticpool.Limits{Total: elasticpool.Resources{}, Free: elasticpool.Resources{}}, limitsOf(t, provider)))
}

// A quota that was lowered below the use leaves nothing, and nothing negative.
func TestLimitsBelowTheUse(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	mustCreate(t, provider, smallVM("01J0A"))
	mustCreate(t, provider, smallVM("01J0B"))
	cloud.AddServer(computetest.Instance{Flavor: computetest.Flavor{ID: "9", VCPUs: 6}})
	cloud.SetQuota(computetest.Quota{Cores: 7, RAM: -1, Instances: 2, Ports: -1})
	limits := limitsOf(t, provider)
	assert.EqualValues(t, 1, limits.Total[elasticpool.CPUs])
	assert.EqualValues(t, 0, limits.Free[elasticpool.CPUs])
	assert.EqualValues(t, 1, limits.Total[elasticpool.VMs])
	assert.EqualValues(t, 0, limits.Free[elasticpool.VMs])
}

func TestLimitsOfAddresses(t *testing.T) {
	t.Parallel()
	two := computetest.WithNetworks(
		computetest.Network{ID: networkID, Name: "jobs", Total: 5},
		computetest.Network{ID: "44444444-4444-4444-8444-444444444444", Name: "storage", Total: 3},
	)
	ports := computetest.WithQuota(computetest.Quota{Cores: -1, RAM: -1, Instances: -1, Ports: 10})
	for _, test := range []struct {
		name     string
		opts     []computetest.Option
		networks []string
		free     elasticpool.Resources
	}{
		{"one network", []computetest.Option{two}, []string{"jobs"}, elasticpool.Resources{"addresses": 4}},
		{"two networks", []computetest.Option{two}, []string{"jobs", "storage"}, elasticpool.Resources{"addresses.jobs": 4, "addresses.storage": 3}},
		{"network by id", []computetest.Option{two}, []string{networkID}, elasticpool.Resources{"addresses": 4}},
		{"ports", []computetest.Option{two, ports}, nil, elasticpool.Resources{"addresses": 9}},
		{"less addresses than ports", []computetest.Option{two, ports}, []string{"jobs"}, elasticpool.Resources{"addresses": 4}},
		{"addresses may not be seen", []computetest.Option{two, ports, computetest.WithoutAdmin()}, []string{"jobs"}, elasticpool.Resources{"addresses": 9}},
		{"no network service", []computetest.Option{two, ports, computetest.Without("network")}, []string{"jobs"}, elasticpool.Resources{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, to := newCloud(t, test.opts...)
			provider := newProvider(t, to, openstack.Settings{Networks: test.networks})
			spec := smallVM("01J0A")
			spec.Class.Network = networkID
			mustCreate(t, provider, spec)
			limitsOf(t, provider) // servers have no address before they are up
			limits := limitsOf(t, provider)
			assert.Empty(t, cmp.Diff(test.free, limits.Free))
			if free, told := limits.Free[openstack.Addresses]; told {
				assert.Equal(t, free+1, limits.Total[openstack.Addresses], "with the pool's own")
			}
		})
	}
}

// Free accelerators are the level-2 buffer of classes with device profiles.
func TestLimitsOfAccelerators(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		placement bool
	}{{"Placement", true}, {"Cyborg", false}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var opts []computetest.Option
			if test.placement {
				opts = append(opts, computetest.WithService("placement", "http://placement.test"))
			}
			cloud := newAccelerated(t, opts...)
			provider := newProvider(t, cloud, openstack.Settings{})
			server := mustCreate(t, provider, fpgaVM("01J0A"))
			bindFPGA(t, cloud, server.ID)
			limits := limitsOf(t, provider)
			free := int64(20)
			if test.placement {
				free = 21 // nobody has claimed it there
			}
			assert.Equal(t, free, limits.Free[elasticpool.FPGAs])
			assert.Equal(t, free+1, limits.Total[elasticpool.FPGAs])
			assert.EqualValues(t, 2, limits.Free[elasticpool.GPUs])
			assert.EqualValues(t, 2, limits.Total[elasticpool.GPUs])
		})
	}
}

func TestAcceleratorsByOtherNames(t *testing.T) {
	t.Parallel()
	cloud := newAccelerated(t, computetest.WithService("placement", "http://placement.test"))
	provider := newProvider(t, cloud, openstack.Settings{Accelerators: map[string]string{"FPGA": "cards", "PGPU": "cards", "CUSTOM_NONE": "none"}})
	assert.Empty(t, cmp.Diff(elasticpool.Resources{"cards": 23}, limitsOf(t, provider).Free))
}

// What may not be seen is not limited; what fails is not known.
func TestLimitsThatFail(t *testing.T) {
	t.Parallel()
	forbidden := `{"forbidden": {"message": "Policy doesn't allow os_compute_api:limits to be performed."}}`
	for _, test := range []struct {
		name  string
		fault computetest.Fault
		class error
	}{
		{"quota", computetest.Fault{Path: "/limits", Status: http.StatusInternalServerError}, elasticpool.ErrTransient},
		{"quota not allowed", computetest.Fault{Path: "/limits", Status: http.StatusForbidden, Body: forbidden}, elasticpool.ErrUnauthorized},
		{"ports", computetest.Fault{Path: "/quotas/", Status: http.StatusInternalServerError}, elasticpool.ErrTransient},
		{"addresses", computetest.Fault{Path: "/network-ip-availabilities/", Cut: true}, elasticpool.ErrTransient},
		{"servers half-way", computetest.Fault{Path: "/servers/detail", Query: "marker", Status: http.StatusInternalServerError}, elasticpool.ErrTransient},
		{"ports not allowed", computetest.Fault{Path: "/quotas/", Status: http.StatusForbidden}, nil},
		{"addresses not allowed", computetest.Fault{Path: "/network-ip-availabilities/", Status: http.StatusForbidden}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t, computetest.WithPageSize(1))
			provider := newProvider(t, to, openstack.Settings{Networks: []string{"jobs"}})
			mustCreate(t, provider, smallVM("01J0A"))
			mustCreate(t, provider, smallVM("01J0B"))
			test.fault.Times = -1
			cloud.Inject(test.fault)
			_, err := provider.Limits(t.Context())
			if test.class == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, test.class)
		})
	}
}

// always answers everything alike.
type always int

func (status always) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return answer(r, int(status), []byte(`{"errors": [{"status": 403, "title": "Forbidden", "detail": "Policy does not allow it"}]}`)), nil
}

// What may not be seen is not limited; a service that is away is a failure and no end of the limit.
func TestAcceleratorsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name              string
		placement, cyborg http.RoundTripper
		fpgas             int64
		class             error
	}{
		{name: "Placement not allowed", placement: always(http.StatusForbidden), fpgas: 21},
		{name: "both not allowed", placement: always(http.StatusForbidden), cyborg: always(http.StatusForbidden)},
		{name: "Placement away", placement: hosts{}, class: elasticpool.ErrTransient},
		{name: "Cyborg away", placement: always(http.StatusForbidden), cyborg: hosts{}, class: elasticpool.ErrTransient},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud := newAccelerated(t, computetest.WithService("placement", "http://placement.test"))
			cloud.hosts["placement.test"] = test.placement
			if test.cyborg != nil {
				cloud.hosts["cyborg.test"] = test.cyborg
			}
			limits, err := newProvider(t, cloud, openstack.Settings{}).Limits(t.Context())
			if test.class != nil {
				require.ErrorIs(t, err, test.class)
				return
			}
			require.NoError(t, err)
			fpgas, told := limits.Free[elasticpool.FPGAs]
			assert.Equal(t, test.fpgas > 0, told)
			assert.Equal(t, test.fpgas, fpgas)
		})
	}
}
