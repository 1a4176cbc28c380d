package openstack_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

const (
	imageID   = "11111111-1111-4111-8111-111111111111"
	networkID = "22222222-2222-4222-8222-222222222222"
)

// creation is the body of the only POST of a server.
func creation(t *testing.T, cloud *computetest.Server) map[string]any {
	t.Helper()
	for _, request := range cloud.Requests() {
		if request.Method == http.MethodPost && strings.HasSuffix(request.Path, "/servers") {
			var body map[string]any
			require.NoError(t, json.Unmarshal(request.Body, &body))
			return body
		}
	}
	t.Fatal("no server was asked for")
	return nil
}

func TestCreateSendsAllThatTheClassSays(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	spec.Class.KeyPair, spec.Class.Zone, spec.Class.UserData = "ops", "hall-2", "#cloud-config\nvm: {{.VM}}\n"
	spec.Class.Extra = map[string]string{
		openstack.ExtraSecurityGroups: "workers, ssh", openstack.ExtraConfigDrive: "true", openstack.ExtraSleep: "shelve",
		openstack.ExtraServerGroup: "33333333-3333-4333-8333-333333333333",
	}
	server := mustCreate(t, provider, spec)

	want := map[string]any{
		"server": map[string]any{
			"name": "ep-physics-01J0A", "description": "VM 01J0A of pool physics", "flavorRef": "1", "imageRef": imageID,
			"networks": []any{map[string]any{"uuid": networkID}}, "key_name": "ops", "availability_zone": "hall-2", "config_drive": true,
			"security_groups": []any{map[string]any{"name": "workers"}, map[string]any{"name": "ssh"}},
			"user_data":       base64.StdEncoding.EncodeToString([]byte("#cloud-config\nvm: 01J0A\n")),
			"metadata": map[string]any{
				elasticpool.TagPool: pool, elasticpool.TagVM: "01J0A", elasticpool.TagClass: "small", elasticpool.TagQueue: "juno",
				elasticpool.TagGeneration: "7", "elasticpool.sleep": "shelve",
			},
		},
		"os:scheduler_hints": map[string]any{"group": "33333333-3333-4333-8333-333333333333"},
	}
	assert.Empty(t, cmp.Diff(want, creation(t, cloud)))
	listed := list(t, provider, pool)
	require.Len(t, listed, 1)
	assert.Equal(t, server.ID, listed[0].ID)
	assert.Equal(t, elasticpool.ServerActive, listed[0].Status)
}

func TestCreateBootsFromAVolume(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	spec.Class.Network = "" // Nova finds one
	spec.Class.Extra = map[string]string{openstack.ExtraBootVolumeGB: "40", openstack.ExtraBootVolumeType: "ssd"}
	mustCreate(t, provider, spec)
	server, _ := creation(t, cloud)["server"].(map[string]any)
	assert.Equal(t, []any{map[string]any{
		"boot_index": 0., "uuid": imageID, "source_type": "image", "destination_type": "volume", "volume_size": 40.,
		"volume_type": "ssd", "delete_on_termination": true,
	}}, server["block_device_mapping_v2"])
	assert.NotContains(t, server, "imageRef")
	assert.Equal(t, "auto", server["networks"])
}

func TestCreateMakesPortsOfItsOwn(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithNetworks(
		computetest.Network{ID: networkID, Name: "jobs", Total: 10},
		computetest.Network{ID: "44444444-4444-4444-8444-444444444444", Name: "storage", Total: 10},
	))
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	spec.Class.Network = "jobs, storage"
	spec.Class.Extra = map[string]string{openstack.ExtraVNICType: "accelerator-direct", openstack.ExtraPortDeviceProfile: "nic"}
	server := mustCreate(t, provider, spec)
	ports := cloud.Ports()
	require.Len(t, ports, 2)
	for _, port := range ports {
		assert.Equal(t, server.ID, port.DeviceID)
		assert.Equal(t, "accelerator-direct", port.VNICType)
		assert.Equal(t, "nic", port.Profile)
	}
	assert.Equal(t, "44444444-4444-4444-8444-444444444444", ports[1].NetworkID)

	require.NoError(t, provider.Delete(t.Context(), server))
	assert.Empty(t, cloud.Ports(), "Nova only unbinds ports that it was given")
}

// Ports that were made for a server which Nova refuses must not stay.
func TestRefusedCreateTakesItsPortsBack(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithQuota(computetest.Quota{Cores: 0, RAM: -1, Instances: -1, Ports: -1}))
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	spec.Class.Extra = map[string]string{openstack.ExtraVNICType: "direct"}
	_, err := provider.Create(t.Context(), spec)
	require.ErrorIs(t, err, elasticpool.ErrQuota)
	assert.Empty(t, cloud.Ports())
}

func TestCreateRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	cloud := newAccelerated(t, computetest.WithImages(
		computetest.Image{ID: imageID, Name: "worker", Status: "active"},
		computetest.Image{ID: "11111111-1111-4111-8111-111111111112", Name: "twice", Status: "active"},
		computetest.Image{ID: "11111111-1111-4111-8111-111111111113", Name: "twice", Status: "active"},
		computetest.Image{ID: "11111111-1111-4111-8111-111111111114", Name: "coming", Status: "queued"},
		computetest.Image{ID: "11111111-1111-4111-8111-111111111115", Name: "large", Status: "active", MinDisk: 100},
	), computetest.WithFlavors(
		computetest.Flavor{ID: "1", Name: "small", VCPUs: 1, RAM: 2048, Disk: 10},
		computetest.Flavor{ID: "2", Name: "fpga", VCPUs: 4, RAM: 8192, Disk: 20, ExtraSpecs: map[string]string{"accel:device_profile": "fpga"}},
		computetest.Flavor{ID: "3", Name: "gone", VCPUs: 4, RAM: 8192, Disk: 20, ExtraSpecs: map[string]string{"accel:device_profile": "no-such-profile"}},
	))
	provider := newProvider(t, cloud, openstack.Settings{})
	for _, test := range []struct {
		name   string
		change func(*elasticpool.ServerSpec)
		class  error
		words  []string
	}{
		{"no flavor of the name", func(s *elasticpool.ServerSpec) { s.Class.Flavor = "smal" }, elasticpool.ErrInvalid, []string{`"smal"`}},
		{"flavor in other case", func(s *elasticpool.ServerSpec) { s.Class.Flavor = "Small" }, elasticpool.ErrInvalid, nil},
		{"no flavor", func(s *elasticpool.ServerSpec) { s.Class.Flavor = "" }, elasticpool.ErrInvalid, nil},
		{"part of an image's name", func(s *elasticpool.ServerSpec) { s.Class.Image = "work" }, elasticpool.ErrInvalid, []string{`"work"`}},
		{"two images of the name", func(s *elasticpool.ServerSpec) { s.Class.Image = "twice" }, elasticpool.ErrInvalid, []string{"2 images", "id"}},
		{"image not yet there", func(s *elasticpool.ServerSpec) { s.Class.Image = "coming" }, elasticpool.ErrTransient, nil},
		{"image too large", func(s *elasticpool.ServerSpec) { s.Class.Image = "large" }, elasticpool.ErrInvalid, []string{"too small"}},
		{"image id unknown", func(s *elasticpool.ServerSpec) { s.Class.Image = networkID }, elasticpool.ErrInvalid, nil},
		{"no network of the name", func(s *elasticpool.ServerSpec) { s.Class.Network = "jobs,data" }, elasticpool.ErrInvalid, []string{`"data"`}},
		{"another device profile", func(s *elasticpool.ServerSpec) { s.Class.Flavor, s.Class.DeviceProfile = "fpga", "gpu" }, elasticpool.ErrInvalid, []string{`"gpu"`, `"fpga"`}},
		{"flavor without device profile", func(s *elasticpool.ServerSpec) { s.Class.DeviceProfile = "fpga" }, elasticpool.ErrInvalid, []string{`"fpga"`, `""`}},
		{"device profile unknown", func(s *elasticpool.ServerSpec) { s.Class.Flavor, s.Class.DeviceProfile = "gone", "no-such-profile" }, elasticpool.ErrInvalid, []string{"no-such-profile"}},
		{"unknown key", func(s *elasticpool.ServerSpec) { s.Class.Extra = map[string]string{"confg_drive": "true"} }, elasticpool.ErrInvalid, []string{"confg_drive", "config_drive"}},
		{"size that is none", func(s *elasticpool.ServerSpec) { s.Class.Extra = map[string]string{"boot_volume_gb": "40G"} }, elasticpool.ErrInvalid, []string{"40G"}},
		{"ports without a network", func(s *elasticpool.ServerSpec) {
			s.Class.Network, s.Class.Extra = "", map[string]string{"vnic_type": "direct"}
		}, elasticpool.ErrInvalid, []string{"network"}},
		{"template", func(s *elasticpool.ServerSpec) { s.Class.UserData = "a\n{{.Quueue}}" }, elasticpool.ErrInvalid, []string{"class small:2", "Quueue"}},
		{"user data too long", func(s *elasticpool.ServerSpec) { s.Class.UserData = strings.Repeat("x", 50_000) }, elasticpool.ErrInvalid, []string{"65535"}},
		{"another pool", func(s *elasticpool.ServerSpec) { s.Pool = "physics2" }, elasticpool.ErrInvalid, []string{"physics2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			spec := smallVM("01J0A")
			test.change(&spec)
			_, err := provider.Create(t.Context(), spec)
			require.ErrorIs(t, err, test.class)
			cloudError := new(elasticpool.CloudError)
			require.ErrorAs(t, err, &cloudError)
			assert.Contains(t, err.Error(), "in cloud ihep")
			for _, words := range test.words {
				assert.Contains(t, err.Error(), words)
			}
		})
	}
	t.Cleanup(func() { assert.Empty(t, cloud.Servers()) })
}

func TestCreateGivesTheAcceleratorsOfTheClass(t *testing.T) {
	t.Parallel()
	cloud := newAccelerated(t)
	provider := newProvider(t, cloud, openstack.Settings{})
	mustCreate(t, provider, fpgaVM("01J0A"))
	assert.Equal(t, "fpga", cloud.Servers()[0].Flavor.Name)
}

// Nova has no token that makes a creation unique: whoever repeats it makes a second VM.
func TestCreateIsNotRepeatedAfterALostReply(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	cloud.Inject(computetest.Fault{Method: http.MethodPost, Path: "/servers", Lost: true})
	server := mustCreate(t, provider, smallVM("01J0A"))
	assert.Equal(t, 1, sent(cloud, http.MethodPost, "/servers"))
	require.Len(t, cloud.Servers(), 1)
	assert.Equal(t, cloud.Servers()[0].ID, server.ID)

	again := mustCreate(t, provider, smallVM("01J0A"))
	assert.Equal(t, server.ID, again.ID, "a VM is made once")
	assert.Len(t, cloud.Servers(), 1)
}

func TestCreateOfAnUnclearOutcome(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault computetest.Fault
		then  *computetest.Fault // for the looks afterwards
		class error
		posts int
		made  int
	}{
		{name: "cut before it was read", fault: computetest.Fault{Cut: true}, class: elasticpool.ErrUnknownOutcome, posts: 1},
		{name: "proxy gave up", fault: computetest.Fault{Status: http.StatusGatewayTimeout}, class: elasticpool.ErrUnknownOutcome, posts: 1},
		{name: "bad gateway", fault: computetest.Fault{Status: http.StatusBadGateway}, class: elasticpool.ErrUnknownOutcome, posts: 1},
		{
			name: "answer without an id", fault: computetest.Fault{Status: http.StatusAccepted, Body: `{"server": {}}`},
			class: elasticpool.ErrUnknownOutcome, posts: 1,
		},
		{
			name: "made, and no looking", fault: computetest.Fault{Lost: true},
			then:  &computetest.Fault{Method: http.MethodGet, Path: "/servers/detail", Skip: 1, Status: http.StatusInternalServerError, Times: -1},
			class: elasticpool.ErrUnknownOutcome, posts: 1, made: 1,
		},
		{name: "failure of Nova", fault: computetest.Fault{Status: http.StatusInternalServerError}, class: elasticpool.ErrTransient, posts: 1},
		{name: "unavailable", fault: computetest.Fault{Status: http.StatusServiceUnavailable, Header: map[string]string{"Retry-After": "1"}}, class: elasticpool.ErrTransient, posts: 1},
		{name: "too many requests", fault: computetest.Fault{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1"}}, class: elasticpool.ErrTransient, posts: 1},
		{name: "over the rate", fault: computetest.Fault{Status: http.StatusRequestEntityTooLarge, Body: `{"overLimit": {"code": 413, "message": "This request was rate-limited.", "retryAfter": "1"}}`}, class: elasticpool.ErrTransient, posts: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cloud := computetest.New()
				provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{})
				test.fault.Method, test.fault.Path = http.MethodPost, "/servers"
				cloud.Inject(test.fault)
				if test.then != nil {
					cloud.Inject(*test.then)
				}
				_, err := provider.Create(t.Context(), smallVM("01J0A"))
				require.ErrorIs(t, err, test.class)
				assert.Equal(t, test.posts, sent(cloud, http.MethodPost, "/servers"))
				assert.Len(t, cloud.Servers(), test.made)
			})
		})
	}
}

// The caller's deadline comes while Nova works: the VM is looked for all the same.
func TestCreateLooksForTheServerAfterTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New()
		provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{})
		cloud.Inject(computetest.Fault{Method: http.MethodPost, Path: "/servers", Wait: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		server, err := provider.Create(ctx, smallVM("01J0A"))
		require.NoError(t, err)
		require.Len(t, cloud.Servers(), 1)
		assert.Equal(t, cloud.Servers()[0].ID, server.ID)
	})
}

func TestCreateWithoutConnection(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	mustCreate(t, provider, smallVM("01J0A"))
	delete(to, "cloud.test")
	_, err := provider.Create(t.Context(), smallVM("01J0B"))
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	assert.Len(t, cloud.Servers(), 1)
}

// A name that stands for something else by now must not turn a class off.
func TestCreateLooksNamesUpAnew(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	mustCreate(t, provider, smallVM("01J0A"))
	cloud.SetImages(computetest.Image{ID: "11111111-1111-4111-8111-111111111119", Name: "worker", Status: "active"})
	mustCreate(t, provider, smallVM("01J0B"))
	images := 0
	for _, request := range cloud.Requests() {
		if strings.HasSuffix(request.Path, "/images") {
			images++
		}
	}
	assert.Equal(t, 2, images, "names are remembered until a request is refused")
	assert.Len(t, cloud.Servers(), 2)
}

func TestNamesGrowOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New()
		provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{})
		for _, vm := range []string{"01J0A", "01J0B"} {
			mustCreate(t, provider, smallVM(vm))
		}
		assert.Equal(t, 1, sent(cloud, http.MethodGet, "/flavors/detail"))
		time.Sleep(6 * time.Minute)
		mustCreate(t, provider, smallVM("01J0C"))
		assert.Equal(t, 2, sent(cloud, http.MethodGet, "/flavors/detail"))
	})
}

func TestIdsNeedNoServices(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.Without("image", "network", "block-storage"))
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	_, err := provider.Create(t.Context(), spec)
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
	assert.Contains(t, err.Error(), "no image service")
	spec.Class.Image, spec.Class.Network = imageID, networkID
	server := mustCreate(t, provider, spec)
	require.NoError(t, provider.Delete(t.Context(), server))
	assert.Empty(t, cloud.Servers())
}
