package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

const exampleSeed = `
hosts:
  - name: cn1
    compute_node: {vcpus: 8, memory_mb: 16384, disk_gb: 100}
    devices:
      - {driver: pgpu, address: "0000:af:00.0"}
device_profiles:
  - {name: gpu, groups: [{"resources:PGPU": "1"}]}
`

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// exampleCloud is a Placement and a Cyborg in this process, with a manager of instances in them.
type exampleCloud struct {
	placement, cyborg http.RoundTripper
	manager           *lifecycle.Manager
}

func newExampleCloud(ctx context.Context, opts ...lifecycle.Option) exampleCloud {
	return newSeededCloud(ctx, exampleSeed, opts...)
}

func newSeededCloud(ctx context.Context, seed string, opts ...lifecycle.Option) exampleCloud {
	placementServer := must(placementtest.New())
	placementClient := must(placement.New(ctx, placement.WithEndpoint("http://placement.localhost"),
		placement.WithToken("admin"), placement.WithTransport(placementServer.Transport())))
	cyborgServer := must(fakecyborg.New(fakecyborg.WithSeedYAML("seed.yaml", []byte(seed)),
		fakecyborg.WithPlacement(placementClient)))
	if err := cyborgServer.Report(ctx); err != nil {
		panic(err)
	}
	cyborg := must(cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithTransport(cyborgServer.Transport())))
	return exampleCloud{
		placement: placementServer.Transport(), cyborg: cyborgServer.Transport(),
		manager: must(lifecycle.New(placementClient, cyborg, opts...)),
	}
}

func exampleRequest(profile string) lifecycle.CreateRequest {
	return lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: "0b3c2a14-6f0d-4c3e-9f57-2d1f6c1f8a11", ProjectID: "demo", UserID: "demo"},
		Spec: requestspec.Input{Flavor: requestspec.Flavor{
			VCPUs: 2, MemoryMB: 2048, ExtraSpecs: map[string]string{"accel:device_profile": profile},
		}},
		Domain: []byte("<domain type='kvm'>\n  <name>guest</name>\n  <devices>\n  </devices>\n</domain>"),
	}
}

func ExampleManager_Create() {
	ctx := context.Background()
	manager := newExampleCloud(ctx).manager
	created, err := manager.Create(ctx, exampleRequest("gpu"))
	if err != nil {
		panic(err)
	}
	fmt.Println(created.Record.Now.Host, created.ARQs[0].State)
	fmt.Printf("%s\n", created.Composition.XML)
	fmt.Println(manager.Delete(ctx, created.Record))
	// Output:
	// cn1 Bound
	// <domain type='kvm'>
	//   <name>guest</name>
	//   <devices>
	//     <hostdev mode='subsystem' type='pci' managed='yes'>
	//       <source>
	//         <address domain='0x0000' bus='0xaf' slot='0x00' function='0x0'/>
	//       </source>
	//     </hostdev>
	//   </devices>
	// </domain>
	// <nil>
}

func ExampleNew() {
	ctx := context.Background()
	manager := newExampleCloud(ctx).manager // lifecycle.New(placementClient, cyborgClient, options…)
	_, err := manager.Create(ctx, exampleRequest("nobody"))
	fmt.Println(err)
	// Output:
	// create instance 0b3c2a14-6f0d-4c3e-9f57-2d1f6c1f8a11: device profiles: get device profile nobody: not found: there is no device profile of this name
}

// exampleHypervisor says what it is asked for. A real one defines and starts domains.
type exampleHypervisor struct {
	out         io.Writer
	unreachable bool
}

func (h *exampleHypervisor) say(what string, guest lifecycle.Guest) error {
	if h.unreachable {
		return errors.New(guest.Host + " does not answer")
	}
	_, err := fmt.Fprintln(h.out, what, "on", guest.Host)
	return err
}

func (h *exampleHypervisor) Spawn(_ context.Context, guest lifecycle.Guest) error {
	return h.say("spawn", guest)
}

func (h *exampleHypervisor) Destroy(_ context.Context, guest lifecycle.Guest) error {
	return h.say("destroy", guest)
}

func (h *exampleHypervisor) Power(_ context.Context, guest lifecycle.Guest, action lifecycle.PowerAction) error {
	return h.say(string(action), guest)
}

func (h *exampleHypervisor) Attach(_ context.Context, guest lifecycle.Guest, devices lifecycle.Devices) error {
	return h.say(fmt.Sprintf("attach %d", len(devices.ARQs)), guest)
}

func (h *exampleHypervisor) Detach(_ context.Context, guest lifecycle.Guest, devices lifecycle.Devices) error {
	return h.say(fmt.Sprintf("detach %d", len(devices.ARQs)), guest)
}

func (h *exampleHypervisor) Migrate(_ context.Context, guest lifecycle.Guest, to string) error {
	return h.say("migrate to "+to, guest)
}

// A deletion cannot destroy the guest, because the host does not answer. Nothing that the guest may use is freed. When the
// program starts again, Resume finishes the deletion from the stored record.
func ExampleWithHypervisor() {
	ctx := context.Background()
	parent := must(os.MkdirTemp("", "example"))
	defer func() { _ = os.RemoveAll(parent) }()
	store := must(lifecycle.NewFileStore(filepath.Join(parent, "records")))
	defer func() { _ = store.Close() }()
	hypervisor := &exampleHypervisor{out: os.Stdout}
	manager := newExampleCloud(ctx, lifecycle.WithStore(store), lifecycle.WithHypervisor(hypervisor)).manager
	created := must(manager.Create(ctx, exampleRequest("gpu")))
	hypervisor.unreachable = true
	fmt.Println(manager.Delete(ctx, created.Record))
	fmt.Println(len(must(store.All())), "on record")

	hypervisor.unreachable = false
	for _, record := range must(store.All()) { // what a program does when it starts
		fmt.Println(must(manager.Resume(ctx, record)).Record.State)
	}
	fmt.Println(len(must(store.All())), "on record")
	// Output:
	// spawn on cn1
	// delete instance 0b3c2a14-6f0d-4c3e-9f57-2d1f6c1f8a11 on cn1: guest: destroy guest on cn1: cn1 does not answer
	// 1 on record
	// destroy on cn1
	// none
	// 0 on record
}

const twoHosts = `
hosts:
  - name: cn1
    compute_node: {vcpus: 8, memory_mb: 16384, disk_gb: 100}
    devices:
      - {driver: pgpu, address: "0000:af:00.0"}
  - name: cn2
    compute_node: {vcpus: 8, memory_mb: 16384, disk_gb: 100}
    devices:
      - {driver: pgpu, address: "0000:3b:00.0"}
      - {driver: fpga, address: "0000:5e:00.0"}
device_profiles:
  - {name: gpu, groups: [{"resources:PGPU": "1"}]}
  - {name: fpga, groups: [{"resources:FPGA": "1"}]}
  - {name: fpga-gpu, groups: [{"resources:FPGA": "1"}, {"resources:PGPU": "1"}]}
`

// A resize to a flavor with other accelerators. Until it is confirmed, Revert would take it back.
func ExampleManager_Resize() {
	ctx := context.Background()
	manager := newSeededCloud(ctx, twoHosts, lifecycle.WithHypervisor(&exampleHypervisor{out: os.Stdout})).manager
	created := must(manager.Create(ctx, exampleRequest("gpu")))
	flavor := requestspec.Flavor{VCPUs: 4, MemoryMB: 4096, ExtraSpecs: map[string]string{"accel:device_profile": "fpga-gpu"}}
	resized := must(manager.Resize(ctx, created.Record, lifecycle.ResizeRequest{Flavor: flavor}))
	fmt.Println(resized.Record.State, resized.Record.Now.Host, len(resized.ARQs))
	confirmed := must(manager.Confirm(ctx, resized.Record))
	fmt.Println(confirmed.Record.State)
	// Output:
	// spawn on cn1
	// destroy on cn1
	// spawn on cn2
	// moved cn2 2
	// active
}

// A running guest gets a GPU beside its FPGA, and gives it back. Interrupt allows that it is without the FPGA for a moment.
func ExampleManager_Attach() {
	ctx := context.Background()
	manager := newSeededCloud(ctx, twoHosts, lifecycle.WithHypervisor(&exampleHypervisor{out: os.Stdout})).manager
	created := must(manager.Create(ctx, exampleRequest("fpga")))
	attached := must(manager.Attach(ctx, created.Record, lifecycle.AttachRequest{Profile: "gpu", Interrupt: true}))
	sets := attached.Record.Now.Sets
	detached := must(manager.Detach(ctx, attached.Record, sets[len(sets)-1].Owner))
	fmt.Println(len(attached.Record.ARQs()), len(detached.Record.ARQs()))
	// Output:
	// spawn on cn2
	// detach 1 on cn2
	// attach 2 on cn2
	// detach 1 on cn2
	// 2 1
}
