// Package novastories_test has the real Nova take servers with accelerators through their life, once with the real Cyborg and once
// with cmd/fakecyborg in its place, and compares what Nova asked, what it was answered, what it was told, and what it left behind.
//
// functional/realstack starts the services, with Nova and Cyborg configured to look for each other at the addresses where these
// tests listen. Its README has what the stories showed.
package novastories_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/imagedata"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/semaphore"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
)

// TestMain fails the run when a goroutine is left over.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// devices is how many accelerators the host has, by Placement: the two Cyborgs report the same device.
const devices = 16

// quota is how many servers the project may have by default.
const quota = 10

// stack is the services that all stories share.
type stack struct {
	id         string // in the names of what is made
	transport  *http.Transport
	compute    *gophercloud.ServiceClient // an admin's
	image      string
	plain      string // a flavor without accelerators
	user       string // the entry of clouds.yaml whose servers they are
	watch      *watch
	placement  *placement.Client
	wire       *wire
	real, fake *peer
	budget     *semaphore.Weighted // accelerators
	quota      *semaphore.Weighted // servers
}

// settings are what the environment says, see functional/realstack/README.md.
type settings struct{ user, admin, service, forNova, forCyborg, fake string }

// newStack skips the test where no services are named.
func newStack(t *testing.T) *stack {
	t.Helper()
	var in settings
	for name, value := range map[string]*string{
		"NOVACYBORG_COMPUTE_CLOUD": &in.user, "NOVACYBORG_COMPUTE_ADMIN_CLOUD": &in.admin, "NOVACYBORG_CYBORG_SERVICE_CLOUD": &in.service,
		"NOVACYBORG_CYBORG_OF_NOVA": &in.forNova, "NOVACYBORG_NOVA_OF_CYBORG": &in.forCyborg, "NOVACYBORG_FAKE_CYBORG": &in.fake,
	} {
		if *value = os.Getenv(name); *value == "" {
			t.Skip(name + " is not set: no real Nova that asks these tests for Cyborg")
		}
	}
	k := &stack{id: uuid.NewString()[:8], transport: &http.Transport{}, user: in.user, budget: semaphore.NewWeighted(devices), quota: semaphore.NewWeighted(quota)}
	t.Cleanup(k.transport.CloseIdleConnections)
	admin, endpoints := k.login(t, in.admin)
	var err error
	k.compute, err = openstack.NewComputeV2(admin, endpoints)
	require.NoError(t, err)
	k.watch = &watch{compute: k.compute}
	k.placement, err = placement.New(t.Context(), placement.WithCloud(in.service), placement.WithTransport(k.transport))
	require.NoError(t, err)
	accelerator := endpoints
	accelerator.ApplyDefaults("accelerator")
	catalog, err := admin.EndpointLocator(accelerator)
	require.NoError(t, err)
	k.real = k.newPeer(t, "real", catalog, in)
	k.fake = k.newPeer(t, "fake", in.fake, in)
	nova, err := url.Parse(k.compute.Endpoint)
	require.NoError(t, err)
	k.wire = newWire(k.transport, nova, k.real.url)
	listen(t, in.forNova, k.wire.cyborg())
	listen(t, in.forCyborg, k.wire.compute())
	k.image = k.newImage(t, admin, endpoints)
	k.plain = k.newFlavor(t, "plain-"+k.id, nil)
	return k
}

// cloudsFile is what these tests need of clouds.yaml.
type cloudsFile struct {
	Clouds map[string]struct {
		Region string `yaml:"region_name"`
		Auth   struct {
			URL      string `yaml:"auth_url"`
			User     string `yaml:"username"`
			Password string `yaml:"password"`
			Domain   string `yaml:"user_domain_name"`
			Project  string `yaml:"project_name"`
		} `yaml:"auth"`
	} `yaml:"clouds"`
}

// login is a login of its own each time, with a token of its own.
func (k *stack) login(t *testing.T, cloud string) (*gophercloud.ProviderClient, gophercloud.EndpointOpts) {
	t.Helper()
	text, err := os.ReadFile(os.Getenv("OS_CLIENT_CONFIG_FILE"))
	require.NoError(t, err)
	var file cloudsFile
	require.NoError(t, yaml.Unmarshal(text, &file))
	entry, ok := file.Clouds[cloud]
	require.True(t, ok, "clouds.yaml has no %s", cloud)
	provider, err := openstack.NewClient(entry.Auth.URL)
	require.NoError(t, err)
	provider.HTTPClient.Transport = k.transport
	require.NoError(t, openstack.Authenticate(t.Context(), provider, gophercloud.AuthOptions{
		IdentityEndpoint: entry.Auth.URL, Username: entry.Auth.User, Password: entry.Auth.Password,
		DomainName: entry.Auth.Domain, TenantName: entry.Auth.Project,
	}))
	return provider, gophercloud.EndpointOpts{Region: entry.Region}
}

func (k *stack) newPeer(t *testing.T, name, address string, in settings) *peer {
	t.Helper()
	where, err := url.Parse(address)
	require.NoError(t, err)
	admin, err := cyborgclient.New(t.Context(), cyborgclient.WithCloud(in.admin), cyborgclient.WithServiceCloud(in.service),
		cyborgclient.WithEndpoint(address), cyborgclient.WithTransport(k.transport))
	require.NoError(t, err)
	return &peer{name: name, url: where, admin: admin}
}

// newImage makes an image that goes with the test.
func (k *stack) newImage(t *testing.T, admin *gophercloud.ProviderClient, endpoints gophercloud.EndpointOpts) string {
	t.Helper()
	client, err := openstack.NewImageV2(admin, endpoints)
	require.NoError(t, err)
	public := images.ImageVisibilityPublic
	made, err := images.Create(t.Context(), client, images.CreateOpts{
		Name: "stories-" + k.id, DiskFormat: "raw", ContainerFormat: "bare", Visibility: &public,
	}).Extract()
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, images.Delete(context.WithoutCancel(t.Context()), client, made.ID).ExtractErr())
	})
	require.NoError(t, imagedata.Upload(t.Context(), client, made.ID, strings.NewReader("nothing to boot")).ExtractErr())
	return made.ID
}

// newFlavor makes a flavor that goes with the test.
func (k *stack) newFlavor(t *testing.T, name string, specs map[string]string) string {
	t.Helper()
	disk := 1
	flavor, err := flavors.Create(t.Context(), k.compute, flavors.CreateOpts{Name: name, RAM: 64, VCPUs: 1, Disk: &disk}).Extract()
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, flavors.Delete(context.WithoutCancel(t.Context()), k.compute, flavor.ID).ExtractErr())
	})
	if len(specs) > 0 {
		_, err = flavors.CreateExtraSpecs(t.Context(), k.compute, flavor.ID, flavors.ExtraSpecsOpts(specs)).Extract()
		require.NoError(t, err)
	}
	return flavor.ID
}

// listen serves until the test ends. The address is one that the services were told; a connection that somebody makes may have
// it for a while.
func listen(t *testing.T, address string, handler http.Handler) {
	t.Helper()
	var (
		config   net.ListenConfig
		listener net.Listener
	)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var err error
		listener, err = config.Listen(t.Context(), "tcp", address)
		require.NoError(c, err)
	}, time.Minute, time.Second)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		assert.NoError(t, server.Close())
		assert.ErrorIs(t, <-done, http.ErrServerClosed)
	})
}
