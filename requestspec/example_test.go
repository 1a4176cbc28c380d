package requestspec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/requestspec"
)

func ExampleBuild() {
	request, err := requestspec.Build(requestspec.Input{
		Flavor: requestspec.Flavor{
			VCPUs: 2, MemoryMB: 2048, RootGB: 20,
			ExtraSpecs: map[string]string{"accel:device_profile": "fpga"},
		},
		Profile: []requestspec.ProfileGroup{
			requestspec.GroupOf(map[string]string{"resources:FPGA": "1", "trait:CUSTOM_FPGA_INTEL": "required"}),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(request.RequesterIDs())
	fmt.Println(request.Query())
	// Output:
	// [device_profile_0]
	// limit=1000&requireddevice_profile_0=CUSTOM_FPGA_INTEL&resources=DISK_GB%3A20%2CMEMORY_MB%3A2048%2CVCPU%3A2&resourcesdevice_profile_0=FPGA%3A1&root_required=COMPUTE_ACCELERATORS%2C%21COMPUTE_STATUS_DISABLED
}

func ExampleBuild_misspelt() {
	_, err := requestspec.Build(requestspec.Input{
		Flavor: requestspec.Flavor{VCPUs: 1, ExtraSpecs: map[string]string{"accel:device_profile": "fpga"}},
		Profile: []requestspec.ProfileGroup{
			requestspec.GroupOf(map[string]string{"resources:FGPA": "1", "trait:CUSTOM_FPGA_INTEL": "required"}),
		},
	})
	if faults, ok := errors.AsType[*requestspec.Error](err); ok {
		for _, fault := range faults.Findings {
			fmt.Println(fault.Where, "|", fault.Key, "|", requestspec.Code(fault))
		}
	}
	// Output:
	// device profile fpga, group 0 | resources:FGPA | resource_class
	// device profile fpga, group 0 |  | trait_only
}

func ExampleLenient() {
	request, err := requestspec.Build(requestspec.Input{
		Flavor: requestspec.Flavor{VCPUs: 1, ExtraSpecs: map[string]string{"resources:GPU": "1"}},
	}, requestspec.Lenient())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(request.Query())
	fmt.Println(request.Findings[0].Error())
	// Output:
	// limit=1000&resources=VCPU%3A1&root_required=%21COMPUTE_STATUS_DISABLED
	// flavor: "resources:GPU" = "1": class is neither a standard one nor CUSTOM_…; Nova skips it; did you mean PGPU or VGPU?
}

func ExampleMatch() {
	groups := []requestspec.Group{
		{Suffix: "device_profile_0", Resources: map[string]int64{"FPGA": 2}},
		{Suffix: "device_profile_1", Resources: map[string]int64{"FPGA": 1}, Required: []string{"CUSTOM_GZIP"}},
	}
	allocation := []requestspec.ProviderAllocation{
		{Provider: "card-a", Resources: map[string]int64{"FPGA": 1}, Traits: []string{"CUSTOM_GZIP"}},
		{Provider: "card-b", Resources: map[string]int64{"FPGA": 2}},
	}
	mapping, err := requestspec.Match(context.Background(), groups, allocation, nil)
	fmt.Println(mapping, err)
	// Output: map[device_profile_0:[card-b] device_profile_1:[card-a]] <nil>
}

func ExampleProfileGroup() {
	var group requestspec.ProfileGroup
	err := json.Unmarshal([]byte(`{"resources:FPGA": "1", "resources1:FPGA": "2"}`), &group)
	fmt.Println(group[1].Key, group[1].Value, err)
	// Output: resources1:FPGA 2 <nil>
}
