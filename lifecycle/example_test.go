package lifecycle_test

import (
	"context"
	"fmt"
	"net/http"

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
