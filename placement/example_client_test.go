package placement_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

// The hosts of the examples, each with one FPGA card.
const (
	host1 = "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c11"
	card1 = "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c12"
	host2 = "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c21"
	card2 = "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c22"
)

// host is a compute node with one FPGA card.
func host(uuid, name, card string) placement.TreeProvider {
	return placement.TreeProvider{
		UUID: uuid, Name: name, Inventories: map[string]placement.Inventory{"VCPU": {Total: 8}},
		Children: []placement.TreeProvider{{UUID: card, Name: name + "_card", Inventories: map[string]placement.Inventory{"FPGA": {Total: 1}}}},
	}
}

// cloud makes a client of a new Placement in memory that holds two hosts.
func cloud(ctx context.Context, opts ...placement.Option) (*placement.Client, placement.Owned, error) {
	server, err := placementtest.New()
	if err != nil {
		return nil, nil, err
	}
	opts = append(opts, placement.WithEndpoint(server.URL()), placement.WithToken("admin"), placement.WithTransport(server.Transport()))
	client, err := placement.New(ctx, opts...)
	if err != nil {
		return nil, nil, err
	}
	owned, err := client.Report(ctx, placement.Tree{Providers: []placement.TreeProvider{host(host1, "host1", card1), host(host2, "host2", card2)}}, nil)
	return client, owned, err
}

// fpga asks for two VCPUs and one FPGA.
func fpga(required ...string) *requestspec.Request {
	return &requestspec.Request{Groups: []requestspec.Group{
		{Resources: map[string]int64{"VCPU": 2}},
		{Suffix: requestspec.RequesterID(0, ""), Resources: map[string]int64{"FPGA": 1}, Required: required},
	}}
}

// Each candidate says which provider serves which group. When there is none, Explain says why.
func ExampleClient_Candidates() {
	ctx := context.Background()
	client, _, err := cloud(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := client.Candidates(ctx, fpga())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, candidate := range found.List {
		card, err := candidate.Provider(requestspec.RequesterID(0, ""))
		fmt.Println(candidate.RootProvider, card, err)
	}
	verdicts, err := client.Explain(ctx, fpga("HW_CPU_X86_AVX"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, verdict := range verdicts {
		fmt.Println(verdict.Reason, "-", verdict.Text)
	}
	// Unordered output:
	// 6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c11 6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c12 <nil>
	// 6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c21 6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c22 <nil>
	// fits - the flavor's own group (VCPU:2): 2 candidates
	// traits - device profile group 0, device_profile_0 (FPGA:1, HW_CPU_X86_AVX): providers have room, but each of them lacks HW_CPU_X86_AVX
}

// An instance moves: for a while it holds both hosts, then only the second.
func ExampleClient_Move() {
	ctx := context.Background()
	client, _, err := cloud(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := client.Candidates(ctx, fpga())
	if err != nil {
		fmt.Println(err)
		return
	}
	consumer := placement.Consumer{UUID: "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c03", ProjectID: "p", UserID: "u"}
	source, err := client.Claim(ctx, consumer, found.List[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	both, err := client.Move(ctx, source, found.List[1])
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := client.Drop(ctx, both, source.Allocations)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(source.Allocations), len(both.Allocations), len(target.Allocations), "providers")
	fmt.Println("the old claim:", errors.Is(client.Release(ctx, source), placement.ErrConsumerChanged))
	fmt.Println("the new one:", client.Release(ctx, target))
	// Output:
	// 2 4 2 providers
	// the old claim: true
	// the new one: <nil>
}

// What a reporter owns is kept from report to report, also while its program does not run. A card that is claimed when it
// should go is withdrawn, and goes once it is released.
func ExampleClient_Report() {
	ctx := context.Background()
	client, owned, err := cloud(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, err := json.Marshal(owned)
	if err != nil {
		fmt.Println(err)
		return
	}
	var restored placement.Owned
	if err := json.Unmarshal(stored, &restored); err != nil {
		fmt.Println(err)
		return
	}
	claim, err := client.Claim(ctx, placement.Consumer{UUID: "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c03", ProjectID: "p", UserID: "u"},
		placement.Candidate{Allocations: map[string]map[string]int64{card2: {"FPGA": 1}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	left := placement.Tree{Providers: []placement.TreeProvider{host(host1, "host1", card1)}}
	restored, err = client.Report(ctx, left, restored)
	fmt.Println("in use:", errors.Is(err, placement.ErrInUse))
	if err := client.Release(ctx, claim); err != nil {
		fmt.Println(err)
		return
	}
	restored, err = client.Report(ctx, left, restored)
	fmt.Println(len(restored), "providers are left:", err)
	_, err = client.ProviderByName(ctx, "host2")
	fmt.Println("gone:", errors.Is(err, placement.ErrNotFound))
	// Output:
	// in use: true
	// 2 providers are left: <nil>
	// gone: true
}

// A reporter that has lost its memory, but whose uuids nobody else uses, takes for its own what it once reported.
func ExampleOwning() {
	ctx := context.Background()
	client, _, err := cloud(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	bigger := host(host1, "host1", card1)
	bigger.Children[0].Inventories = map[string]placement.Inventory{"FPGA": {Total: 2}}
	_, err = client.Report(ctx, placement.Tree{Providers: []placement.TreeProvider{bigger}}, nil)
	fmt.Println(errors.Is(err, placement.ErrForeign))
	_, err = client.Report(ctx, placement.Tree{Providers: []placement.TreeProvider{bigger}}, placement.Owning(host(host1, "host1", card1)))
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// A hook sees each request: here it prints what a metric would count.
func ExampleWithHook() {
	ctx := context.Background()
	watching := false
	client, _, err := cloud(ctx, placement.WithHook(func(_ context.Context, call placement.Call) {
		if watching {
			fmt.Println(call.Service, call.Operation, call.Method, call.Status, call.Attempts)
		}
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	watching = true
	if _, err := client.Candidates(ctx, fpga()); err != nil {
		fmt.Println(err)
	}
	// Output: placement get allocation candidates GET 200 1
}
