package openstack_test

import (
	"context"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

func ExampleNew() {
	ctx := context.Background()
	cloud := computetest.New(computetest.WithQuota(computetest.Quota{Cores: 8, RAM: -1, Instances: -1, Ports: -1}))
	provider, err := openstack.New(ctx, "ihep", openstack.Settings{Pool: "physics"},
		cyborgclient.WithEnv(), cyborgclient.WithTransport(cloud.Transport())) // a real cloud needs no transport
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := provider.Create(ctx, elasticpool.ServerSpec{
		Pool: "physics", VM: "01J0A", Name: elasticpool.ServerName("physics", "01J0A"), Queue: "juno",
		Class: elasticpool.Class{Name: "small", Flavor: "small", Image: "worker", Network: "jobs"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	servers, complete, err := provider.Servers(ctx, "physics")
	fmt.Println(servers[0].VM, servers[0].Queue, servers[0].Status, complete, err)
	limits, err := provider.Limits(ctx)
	fmt.Println(limits.Free, err)
	fmt.Println(provider.Delete(ctx, server))
	// Output:
	// 01J0A juno active true <nil>
	// map[cpus:7] <nil>
	// <nil>
}

func ExampleProvider_Reap() {
	ctx := context.Background()
	cloud := computetest.New()
	provider, err := openstack.New(ctx, "ihep", openstack.Settings{Pool: "physics"}, cyborgclient.WithTransport(cloud.Transport()))
	if err != nil {
		fmt.Println(err)
		return
	}
	cloud.AddVolume(computetest.Volume{Status: "available", Metadata: map[string]string{
		elasticpool.TagPool: "physics", elasticpool.TagVM: "01J0A",
	}})
	for _, grace := range []time.Duration{time.Hour, 0} {
		reaped, err := provider.Reap(ctx, "physics", grace)
		fmt.Println(len(reaped), err)
	}
	// Output:
	// 0 <nil>
	// 1 <nil>
}

func ExampleClassOfFault() {
	fmt.Println(openstack.ClassOfFault("No valid host was found. There are not enough hosts available."))
	fmt.Println(openstack.ClassOfFault("Image 4f1c is unacceptable: Image has no associated data"))
	// Output:
	// no capacity
	// invalid class
}
