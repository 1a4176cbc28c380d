package placement_test

import (
	"context"
	"fmt"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

// A host with one FPGA card is reported, the card is claimed, and the claim is given back.
func ExampleNew() {
	ctx := context.Background()
	server, err := placementtest.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := placement.New(ctx,
		placement.WithEndpoint(server.URL()), placement.WithToken("admin"), placement.WithTransport(server.Transport()))
	if err != nil {
		fmt.Println(err)
		return
	}
	owned, err := client.Report(ctx, placement.Tree{Providers: []placement.TreeProvider{{
		UUID: "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c01", Name: "host1",
		Inventories: map[string]placement.Inventory{"VCPU": {Total: 8}},
		Children: []placement.TreeProvider{{
			UUID: "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c02", Name: "host1_card0",
			Inventories: map[string]placement.Inventory{"FPGA": {Total: 1}},
			Traits:      []string{"CUSTOM_ARRIA10"},
		}},
	}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	request := &requestspec.Request{Groups: []requestspec.Group{
		{Resources: map[string]int64{"VCPU": 2}},
		{Suffix: requestspec.RequesterID(0, ""), Resources: map[string]int64{"FPGA": 1}, Required: []string{"CUSTOM_ARRIA10"}},
	}}
	found, err := client.Candidates(ctx, request)
	if err != nil {
		fmt.Println(err)
		return
	}
	card, err := found.List[0].Provider("device_profile_0")
	if err != nil {
		fmt.Println(err)
		return
	}
	claim, err := client.Claim(ctx, placement.Consumer{UUID: "6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c03", ProjectID: "p", UserID: "u"}, found.List[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	verdicts, err := client.Explain(ctx, request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("card", card, "at generation", claim.Generation)
	fmt.Println(verdicts[1].Text)
	fmt.Println(client.Release(ctx, claim))
	owned, err = client.Report(ctx, placement.Tree{}, owned) // nothing is wanted any more
	fmt.Println(len(owned), err)
	// Output:
	// card 6a1b0a0e-5a8f-4b0e-9f43-1d6c8a0b1c02 at generation 1
	// device profile group 0, device_profile_0 (FPGA:1, CUSTOM_ARRIA10): providers with CUSTOM_ARRIA10 exist, 1 of 1 FPGA used, on host1
	// <nil>
	// 0 <nil>
}
