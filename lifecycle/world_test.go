package lifecycle_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
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

// The device profiles of a world.
const (
	oneGPU      = "gpu"      // one GPU
	oneFPGA     = "fpga"     // one FPGA
	bothKinds   = "both"     // one FPGA and one GPU, two groups
	programmed  = "function" // one FPGA that has to be programmed first, so that its bind goes on after the answer
	portProfile = "port"     // one GPU, for ports
)

// programmingTime is how long an FPGA takes to be programmed.
const programmingTime = 17 * time.Second

// world is a cloud in this process: Placement, Cyborg, a hypervisor on each host, and a disk with the records of the
// instances. It starts no listener, so that it can live in a synctest bubble, and outlives the processes that work in
// it, see [world.start]. Its own clients go past every gate.
type world struct {
	t          *testing.T
	placement  *placement.Client
	cyborg     *cyborgclient.Client
	places     *placementtest.Server
	fake       *fakecyborg.Server
	hypervisor *hypervisor
	disk       *disk
	hosts      []string
	release    fakecyborg.Release
	// given are ARQs that somebody else made: they may be free, and must never go.
	given []string

	// steady is a process that is never killed.
	steady *process

	mu       sync.Mutex
	receiver *virtdriver.Receiver // that of the process that started last, or listens
}

// newWorld makes a cloud of so many hosts, each with two FPGAs and four GPUs.
func newWorld(t *testing.T, hosts int, release fakecyborg.Release) *world {
	t.Helper()
	names := make([]string, hosts)
	for i := range names {
		names[i] = fmt.Sprintf("node-%d", i)
	}
	return newWorldOf(t, worldSeed(names), release)
}

func newWorldOf(t *testing.T, seed fakecyborg.Seed, release fakecyborg.Release) *world {
	t.Helper()
	w := &world{t: t, disk: newDisk(), hypervisor: newHypervisor(), release: release}
	w.hypervisor.holds = w.holds
	var err error
	w.places, err = placementtest.New()
	require.NoError(t, err)
	w.placement = placementClient(t, placement.WithTransport(w.places.Transport()))
	for _, host := range seed.Hosts {
		w.hosts = append(w.hosts, host.Name)
	}
	events := make(chan fakecyborg.Event, 64)
	w.fake, err = fakecyborg.New(fakecyborg.WithSeed(seed), fakecyborg.WithRelease(release),
		fakecyborg.WithPlacement(w.placement), fakecyborg.WithEvents(events))
	require.NoError(t, err)
	t.Cleanup(w.fake.Close)
	require.NoError(t, w.fake.Report(t.Context()))
	w.cyborg = cyborgClient(t, cyborgclient.WithTransport(w.fake.Transport()))
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go w.deliver(events, done)
	w.steady = w.start()
	return w
}

// deliver brings the events to whichever process runs.
func (w *world) deliver(events <-chan fakecyborg.Event, done <-chan struct{}) {
	for {
		select {
		case event := <-events:
			w.mu.Lock()
			receiver := w.receiver
			w.mu.Unlock()
			if receiver != nil {
				receiver.Deliver(virtdriver.Event(event))
			}
		case <-done:
			return
		}
	}
}

func worldSeed(hosts []string) fakecyborg.Seed {
	one := func(class string) fakecyborg.Group { return fakecyborg.Group{{Key: "resources:" + class, Value: "1"}} }
	seed := fakecyborg.Seed{
		DeviceProfiles: []fakecyborg.DeviceProfile{
			{Name: oneGPU, Groups: []fakecyborg.Group{one("PGPU")}},
			{Name: bothKinds, Groups: []fakecyborg.Group{one("FPGA"), one("PGPU")}},
			{Name: programmed, Groups: []fakecyborg.Group{append(one("FPGA"), fakecyborg.Property{Key: "accel:function_id", Value: "c32c"})}},
			{Name: portProfile, Groups: []fakecyborg.Group{one("PGPU")}},
			{Name: oneFPGA, Groups: []fakecyborg.Group{one("FPGA")}},
		},
		Images: []driver.Image{{ID: "7d0b4a1e-2f57-4c8f-9d2c-0d4bb31c6a10", FunctionID: "c32c"}},
	}
	for _, name := range hosts {
		host := fakecyborg.Host{
			Name: name, ComputeNode: &fakecyborg.ComputeNode{VCPUs: 64, MemoryMB: 65536, DiskGB: 500}, ProgrammingTime: programmingTime,
		}
		for _, bus := range []string{"3b", "5e"} {
			host.Devices = append(host.Devices, fakecyborg.Device{Driver: "fpga", Card: driver.Card{Address: "0000:" + bus + ":00.0"}})
		}
		for _, bus := range []string{"86", "af", "d8", "da"} {
			host.Devices = append(host.Devices, fakecyborg.Device{Driver: "pgpu", Card: driver.Card{Address: "0000:" + bus + ":00.0"}})
		}
		seed.Hosts = append(seed.Hosts, host)
	}
	return seed
}

func placementClient(t *testing.T, opts ...placement.Option) *placement.Client {
	t.Helper()
	client, err := placement.New(t.Context(), append(opts, placement.WithEndpoint("http://placement.localhost"),
		placement.WithToken("admin"), placement.WithRetries(2, time.Second, 2*time.Second))...)
	require.NoError(t, err)
	return client
}

func cyborgClient(t *testing.T, opts ...cyborgclient.Option) *cyborgclient.Client {
	t.Helper()
	client, err := cyborgclient.New(t.Context(), append(opts, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithRetries(2, time.Second, 2*time.Second))...)
	require.NoError(t, err)
	return client
}

// worldRequest asks for an instance with the devices of a profile, "" for none.
func worldRequest(profile string) lifecycle.CreateRequest {
	return lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: uuid.NewString(), ProjectID: "project", UserID: "user"},
		Spec:     requestspec.Input{Flavor: worldFlavor(2, profile)},
		Domain:   []byte(domainOf("own")),
	}
}

func worldFlavor(vcpus int, profile string) requestspec.Flavor {
	flavor := requestspec.Flavor{VCPUs: vcpus, MemoryMB: 1024, RootGB: 5}
	if profile != "" {
		flavor.ExtraSpecs = map[string]string{"accel:device_profile": profile}
	}
	return flavor
}

// domainOf is a domain XML without devices, which its title tells from others.
func domainOf(title string) string {
	return "<domain type='kvm'>\n  <name>guest</name>\n  <title>" + title + "</title>\n  <memory unit='KiB'>1048576</memory>\n" +
		"  <os><type arch='x86_64' machine='q35'>hvm</type></os>\n  <devices>\n    <console type='pty'/>\n  </devices>\n</domain>\n"
}

// giveARQs makes ARQs of a profile as an outside agent would, to be given to a creation.
func (w *world) giveARQs(profile string) []string {
	w.t.Helper()
	arqs, err := w.cyborg.CreateARQs(w.t.Context(), profile)
	require.NoError(w.t, err)
	var made []string
	for _, arq := range arqs {
		made = append(made, arq.UUID)
	}
	w.given = append(w.given, made...)
	return made
}

// record is the last saved record of an instance; the zero Record if there is none.
func (w *world) record(instance string) lifecycle.Record {
	record, _ := w.disk.load(instance)
	return record
}
