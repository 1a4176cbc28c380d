package placement_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/limits"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/registeredlimits"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// unifiedLimits takes limits from Keystone, where those of a resource class are named as Nova names them: "class:FPGA".
// Its login needs a role that sees the limits of all projects. It reads both lists for each class; a program with many
// requests keeps them for a while.
type unifiedLimits struct{ keystone *gophercloud.ServiceClient }

// Limit returns the project's own limit, or else the registered one, which is the default of all projects.
func (u unifiedLimits) Limit(ctx context.Context, projectID, class string) (int64, error) {
	name := "class:" + class
	page, err := limits.List(u.keystone, limits.ListOpts{ResourceName: name}).AllPages(ctx)
	if err != nil {
		return 0, err
	}
	own, err := limits.ExtractLimits(page)
	if err != nil {
		return 0, err
	}
	for _, limit := range own {
		if limit.ProjectID == projectID && limit.ResourceName == name {
			return int64(limit.ResourceLimit), nil
		}
	}
	return u.registered(ctx, name)
}

func (u unifiedLimits) registered(ctx context.Context, name string) (int64, error) {
	page, err := registeredlimits.List(u.keystone, registeredlimits.ListOpts{ResourceName: name}).AllPages(ctx)
	if err != nil {
		return 0, err
	}
	defaults, err := registeredlimits.ExtractRegisteredLimits(page)
	if err != nil {
		return 0, err
	}
	for _, limit := range defaults {
		if limit.ResourceName == name {
			return int64(limit.DefaultLimit), nil
		}
	}
	return placement.Unlimited, nil
}

// keystone answers as Keystone does: project p2 has a limit of its own.
func keystone() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		list, members := "limits", `{"project_id": "p2", "resource_name": "class:FPGA", "resource_limit": 4}`
		if r.URL.Path == "/v3/registered_limits" {
			list, members = "registered_limits", `{"resource_name": "class:FPGA", "default_limit": 1}`
		}
		if r.URL.Query().Get("resource_name") != "class:FPGA" {
			members = ""
		}
		fmt.Fprintf(w, `{%q: [%s], "links": {"self": "", "next": null, "previous": null}}`, list, members)
	}))
}

// Limits come from Keystone's unified limits. Two FPGAs are more than the default, but not more than p2 may have.
func ExampleClient_CheckLimits() {
	ctx := context.Background()
	identity := keystone()
	defer identity.Close()
	limits := unifiedLimits{&gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{HTTPClient: *identity.Client()}, Endpoint: identity.URL + "/v3/",
	}}
	client, _, err := cloud(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &requestspec.Request{GroupPolicy: "none", Groups: []requestspec.Group{
		{Resources: map[string]int64{"VCPU": 2}},
		{Suffix: requestspec.RequesterID(0, ""), Resources: map[string]int64{"FPGA": 1}},
		{Suffix: requestspec.RequesterID(1, ""), Resources: map[string]int64{"FPGA": 1}},
	}}
	for _, project := range []string{"p1", "p2"} {
		err := client.CheckLimits(ctx, limits, project, request)
		fmt.Println(errors.Is(err, placement.ErrOverLimit), err)
	}
	// Output:
	// true check limits of project p1: 2 FPGA asked for, but 0 of 1 are used: over the project's limit
	// false <nil>
}
