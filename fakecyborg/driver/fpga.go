package driver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// fpgaDriver reports an Intel PAC with Arria 10. It reads address, function_id,
// region_id and vfs. Without virtual functions the card itself is the one
// accelerator; with them each is one, and the deployable bears the name of the
// last.
// It mirrors cyborg/accelerator/drivers/fpga/intel/sysinfo.py.
type fpgaDriver struct{}

// maxVFs is what fits on the card's bus behind the physical function 00.0.
const maxVFs = 255

func (fpgaDriver) Discover(host string, card Card) (Device, error) {
	address, err := card.address("fpga")
	if err != nil {
		return Device{}, err
	}
	if err := checkFPGA(card); err != nil {
		return Device{}, err
	}
	functions, err := fpgaFunctions(address, card.VFs)
	if err != nil {
		return Device{}, err
	}
	handles := make([]Handle, 0, len(functions))
	for _, function := range functions {
		handles = append(handles, pciHandle(function))
	}
	return Device{
		Type: "FPGA", Vendor: "0x8086", Model: "miss_model_info",
		StdBoardInfo: `{"product_id": "0x09c4"}`, VendorBoardInfo: "miss_vb_info",
		ControlPath: address.String(),
		Deployables: []Deployable{{
			Name:       host + "_" + functions[len(functions)-1].String(),
			Driver:     "intel",
			Attributes: append(numberedTraits(fpgaTraits(card)...), Pair{Key: "rc", Value: "FPGA"}),
			Handles:    handles,
		}},
	}, nil
}

func checkFPGA(card Card) error {
	if err := card.refuse("fpga", "product_id", "model"); err != nil {
		return err
	}
	if err := hexID("fpga", "function_id", card.FunctionID, 0); err != nil {
		return err
	}
	if err := hexID("fpga", "region_id", card.RegionID, 0); err != nil {
		return err
	}
	if card.VFs < 0 || card.VFs > maxVFs {
		return &Error{Driver: "fpga", Field: "vfs", Value: strconv.Itoa(card.VFs), Err: fmt.Errorf("%w: want 0 to %d", ErrFormat, maxVFs)}
	}
	return nil
}

// fpgaFunctions are the functions that guests can get: the card, or the
// virtual functions that follow it on its bus.
func fpgaFunctions(card pci.Address, vfs int) ([]pci.Address, error) {
	if vfs == 0 {
		return []pci.Address{card}, nil
	}
	functions := make([]pci.Address, 0, vfs)
	first := int(card.Device)*8 + int(card.Function) + 1
	if first+vfs > 256 {
		return nil, &Error{Driver: "fpga", Field: "vfs", Value: strconv.Itoa(vfs), Err: fmt.Errorf("%w: the bus of %s has no room for them", ErrFormat, card)}
	}
	for number := first; number < first+vfs; number++ {
		function := card
		function.Device, function.Function = uint8(number>>3&0x1f), uint8(number&7)
		functions = append(functions, function)
	}
	return functions, nil
}

func fpgaTraits(card Card) []string {
	traits := []string{"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10"}
	if card.FunctionID != "" {
		traits = append(traits, "CUSTOM_FPGA_FUNCTION_ID_INTEL_"+strings.ToUpper(card.FunctionID))
	}
	if card.RegionID != "" {
		traits = append(traits, "CUSTOM_FPGA_REGION_INTEL_"+strings.ToUpper(card.RegionID))
	}
	return traits
}
