package novacyborg_test

import (
	"context"
	"fmt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// cloudSeed is the cloud of the example: one host with one GPU, and a device profile that asks for it.
const cloudSeed = `
hosts: [{name: cn1, compute_node: {vcpus: 8, memory_mb: 16384, disk_gb: 100}, devices: [{driver: pgpu, address: "0000:af:00.0"}]}]
device_profiles: [{name: gpu, groups: [{"resources:PGPU": "1"}]}]
`

const (
	instance = "6f0d4c3e-9f57-4d1f-8c1f-8a110b3c2a14"
	domain   = "<domain type='kvm'><name>guest</name><devices></devices></domain>"
)

// Every step of a boot and of a delete by hand, without lifecycle, which does the same and takes back what a failed step
// leaves behind. In a real cloud both clients are made with WithCloud, and the waiter also takes Cyborg's events, from a
// virtdriver.Receiver.
func Example() {
	ctx := context.Background()
	placements, accelerators := fakeCloud(ctx)

	// What is asked for.
	flavor := requestspec.Flavor{VCPUs: 2, MemoryMB: 2048, ExtraSpecs: map[string]string{"accel:device_profile": "gpu"}}
	profile := must(accelerators.DeviceProfileByName(ctx, flavor.DeviceProfile()))
	request := must(requestspec.Build(requestspec.Input{Flavor: flavor, Profile: profile.Groups}))

	// A host that has it.
	found := must(placements.Candidates(ctx, request))
	if len(found.List) == 0 {
		fmt.Println(placements.Explain(ctx, request))
		return
	}
	candidate := found.List[0]
	claim := must(placements.Claim(ctx, placement.Consumer{UUID: instance, ProjectID: "demo", UserID: "demo"}, candidate))
	host := must(placements.Provider(ctx, candidate.RootProvider)).Name

	// Its devices: each ARQ is bound to the provider that serves its group.
	arqs := must(accelerators.CreateARQs(ctx, profile.Name))
	providers := must(cyborgclient.Match(arqs, candidate.Mapping, ""))
	var uuids []string
	var bindings []cyborgclient.Binding
	for _, arq := range arqs {
		uuids = append(uuids, arq.UUID)
		bindings = append(bindings, cyborgclient.Binding{ARQ: arq.UUID, Hostname: host, DeviceRP: providers[arq.UUID], Instance: instance})
	}
	must(0, accelerators.Bind(ctx, bindings))
	waiter := must(virtdriver.NewWaiter(accelerators))
	bound := must(waiter.Wait(ctx, virtdriver.Expectation{Instance: instance, Hostname: host, ARQs: uuids, Providers: providers}))
	composed := must(virtdriver.Compose([]byte(domain), bound))
	fmt.Printf("%s on %s\n%s\n", bound[0].State, host, composed.XML)

	// The instance is deleted.
	must(0, accelerators.DeleteARQsByInstance(ctx, instance))
	must(0, placements.Release(ctx, claim))
	fmt.Println(len(must(accelerators.ARQsByInstance(ctx, instance))), "ARQs are left")
	// Output:
	// Bound on cn1
	// <domain type='kvm'><name>guest</name><devices><hostdev mode='subsystem' type='pci' managed='yes'><source><address domain='0x0000' bus='0xaf' slot='0x00' function='0x0'/></source></hostdev></devices></domain>
	// 0 ARQs are left
}

// fakeCloud is a Placement and a Cyborg in this process, reached without sockets.
func fakeCloud(ctx context.Context) (*placement.Client, *cyborgclient.Client) {
	placements := must(placement.New(ctx, placement.WithEndpoint("http://placement.localhost"), placement.WithToken("admin"),
		placement.WithTransport(must(placementtest.New()).Transport())))
	cyborg := must(fakecyborg.New(fakecyborg.WithSeedYAML("seed", []byte(cloudSeed)), fakecyborg.WithPlacement(placements)))
	must(0, cyborg.Report(ctx))
	return placements, must(cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithTransport(cyborg.Transport())))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
