package driver

import "github.com/novacyborg/novacyborg/internal/pci"

// intelFPGAKind is an Intel PAC with Arria 10. Without virtual functions the
// card itself is the one accelerator; with them each is one, and the deployable
// bears the name of the last.
// It mirrors cyborg/accelerator/drivers/fpga/intel/sysinfo.py.
func intelFPGAKind() Kind {
	return Kind{
		name: "fpga", needs: "address", reads: set("function_id", "region_id", "vfs", "vf_addresses"),
		programmable: true, describe: describeIntelFPGA,
	}
}

func describeIntelFPGA(k Kind, host string, card Card, at pci.Address) (Device, error) {
	functions, err := k.virtualFunctions(card, at)
	if err != nil {
		return Device{}, err
	}
	deployable := Deployable{Name: host + "_" + at.String(), Driver: "intel", Attributes: intelFPGAAttributes(card, len(functions))}
	if len(functions) == 0 {
		functions = []pci.Address{at}
	}
	for _, function := range functions {
		deployable.Name = host + "_" + function.String()
		deployable.Handles = append(deployable.Handles, pciHandle(function))
	}
	return sysfsDevice("FPGA", "0x09c4", at, deployable), nil
}

// intelFPGAAttributes are the traits of the card and its class, and then those
// of the virtual functions: the function id is read where the port is, which
// SR-IOV moves into them. The driver numbers them from the last number of the
// card's traits on, for each function anew, so that keys come twice.
func intelFPGAAttributes(card Card, vfs int) []Pair {
	traits := []string{"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10"}
	function := "CUSTOM_FPGA_FUNCTION_ID_INTEL_" + upper(card.FunctionID)
	if card.FunctionID != "" && vfs == 0 {
		traits = append(traits, function)
	}
	if card.RegionID != "" {
		traits = append(traits, "CUSTOM_FPGA_REGION_INTEL_"+upper(card.RegionID))
	}
	pairs := append(numberedTraits(0, traits...), Pair{Key: classKey, Value: "FPGA"})
	if card.FunctionID != "" {
		for range vfs {
			pairs = append(pairs, numberedTraits(len(traits)-1, function)...)
		}
	}
	return pairs
}

// sysfsDevice is a device of the drivers that read sysfs: all of Intel's.
func sysfsDevice(kind, product string, at pci.Address, deployables ...Deployable) Device {
	return Device{
		Type: kind, Vendor: "0x8086", Model: "miss_model_info",
		StdBoardInfo: `{"product_id": "` + product + `"}`, VendorBoardInfo: "miss_vb_info",
		ControlPath: at.String(), Deployables: deployables,
	}
}
