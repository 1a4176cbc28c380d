package functional_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

const profileName = "fpga-and-gpu"

// cloud is a Placement, a fake Cyborg whose devices are reported into it, and clients of both. The manager's calls go
// over wires that a test can cut; the other clients' do not.
type cloud struct {
	placement     *placement.Client
	cyborg        *cyborgclient.Client
	receiver      *virtdriver.Receiver
	placementWire *wire
	cyborgWire    *wire
	manager       *lifecycle.Manager
	hosts         []string
}

// newCloud makes a cloud on an in-memory Placement. It starts no listener, so that it can live in a synctest bubble.
func newCloud(t *testing.T, opts ...lifecycle.Option) *cloud {
	t.Helper()
	server, err := placementtest.New()
	require.NoError(t, err)
	return newCloudOn(t, "http://placement.localhost", server.Transport(), opts...)
}

// newCloudOn makes a cloud on any Placement. Host names are new each time, so that clouds can share a real one.
func newCloudOn(t *testing.T, url string, transport http.RoundTripper, opts ...lifecycle.Option) *cloud {
	t.Helper()
	c := &cloud{placementWire: &wire{under: transport}}
	c.placement = placementClient(t, url, transport)
	suffix := uuid.NewString()[:8]
	c.hosts = []string{"fpga-" + suffix, "mixed-" + suffix}

	events := make(chan fakecyborg.Event, 16)
	server, err := fakecyborg.New(fakecyborg.WithSeed(seed(c.hosts)), fakecyborg.WithPlacement(c.placement),
		fakecyborg.WithEvents(events))
	require.NoError(t, err)
	t.Cleanup(server.Close)
	require.NoError(t, server.Report(t.Context()))

	c.cyborgWire = &wire{under: server.Transport()}
	c.cyborg = cyborgClient(t, server.Transport())
	c.receiver, err = virtdriver.NewReceiver()
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go deliver(events, c.receiver, done)

	opts = append(opts, lifecycle.WithWaiter(virtdriver.WithReceiver(c.receiver)))
	c.manager, err = lifecycle.New(placementClient(t, url, c.placementWire), cyborgClient(t, c.cyborgWire), opts...)
	require.NoError(t, err)
	return c
}

func deliver(events <-chan fakecyborg.Event, receiver *virtdriver.Receiver, done <-chan struct{}) {
	for {
		select {
		case event := <-events:
			receiver.Deliver(virtdriver.Event(event))
		case <-done:
			return
		}
	}
}

func placementClient(t *testing.T, url string, transport http.RoundTripper) *placement.Client {
	t.Helper()
	client, err := placement.New(t.Context(), placement.WithEndpoint(url), placement.WithToken("admin"),
		placement.WithTransport(transport), placement.WithRetries(2, time.Second, 2*time.Second))
	require.NoError(t, err)
	return client
}

func cyborgClient(t *testing.T, transport http.RoundTripper) *cyborgclient.Client {
	t.Helper()
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithTransport(transport), cyborgclient.WithRetries(2, time.Second, 2*time.Second))
	require.NoError(t, err)
	return client
}

// seed describes two hosts: one with FPGA cards only, of which one has virtual functions, one with an FPGA card and two GPUs, and a profile that only the
// second can serve.
func seed(hosts []string) fakecyborg.Seed {
	node := &fakecyborg.ComputeNode{VCPUs: 32, MemoryMB: 65536, DiskGB: 500}
	return fakecyborg.Seed{
		Hosts: []fakecyborg.Host{
			{Name: hosts[0], ComputeNode: node, Devices: []fakecyborg.Device{
				{Driver: "fpga", Card: driver.Card{Address: "0000:3b:00.0"}},
				{Driver: "fpga", Card: driver.Card{Address: "0000:d8:00.0"}},
				{Driver: "fpga", Card: driver.Card{Address: "0000:86:00.0", VFs: 4}},
			}},
			{Name: hosts[1], ComputeNode: node, Devices: []fakecyborg.Device{
				{Driver: "fpga", Card: driver.Card{Address: "0000:5e:00.0"}},
				{Driver: "pgpu", Card: driver.Card{Address: "0000:af:00.0"}},
				{Driver: "pgpu", Card: driver.Card{Address: "0000:d8:00.0"}},
			}},
		},
		DeviceProfiles: []fakecyborg.DeviceProfile{{Name: profileName, Groups: []fakecyborg.Group{
			{{Key: "resources:FPGA", Value: "1"}, {Key: "trait:CUSTOM_FPGA_INTEL", Value: "required"}},
			{{Key: "resources:PGPU", Value: "1"}, {Key: "trait:CUSTOM_NVIDIA_1DB4", Value: "required"}},
		}}},
	}
}

// request asks for an instance with the given device profile, confined to the cloud's own hosts by what they offer.
func request(profile string) lifecycle.CreateRequest {
	return lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: uuid.NewString(), ProjectID: uuid.NewString(), UserID: uuid.NewString()},
		Spec: requestspec.Input{Flavor: requestspec.Flavor{
			VCPUs: 2, MemoryMB: 2048, RootGB: 20, ExtraSpecs: map[string]string{"accel:device_profile": profile},
		}},
		Domain: []byte(domainXML),
	}
}

const domainXML = `<domain type='kvm'>
  <name>guest</name>
  <memory unit='KiB'>2097152</memory>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <devices>
    <console type='pty'/>
  </devices>
</domain>
`

// requireNothingLeft fails the test if the instance still owns an ARQ, an allocation or a waiter, or if any ARQ is left.
func (c *cloud) requireNothingLeft(t *testing.T, instance string) {
	t.Helper()
	arqs, err := c.cyborg.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	assert.Empty(t, arqs, "ARQs are left")
	allocations, err := c.placement.Allocations(t.Context(), instance)
	require.NoError(t, err)
	assert.Empty(t, allocations.Allocations, "allocations are left")
	assert.Zero(t, c.receiver.Waiting(), "waiters are left")
}

// occupy binds one GPU of the provider in Cyborg without a claim in Placement, as a leaked ARQ does.
func (c *cloud) occupy(t *testing.T, instance, provider string) {
	t.Helper()
	arqs, err := c.cyborg.CreateARQs(t.Context(), profileName)
	require.NoError(t, err)
	require.Len(t, arqs, 2)
	_, err = c.cyborg.DeleteARQs(t.Context(), arqs[0].UUID)
	require.NoError(t, err)
	require.NoError(t, c.cyborg.Bind(t.Context(), []cyborgclient.Binding{
		{ARQ: arqs[1].UUID, Hostname: c.hosts[1], DeviceRP: provider, Instance: instance},
	}))
}
