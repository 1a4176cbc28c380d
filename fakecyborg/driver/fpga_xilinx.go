package driver

import (
	"fmt"

	"github.com/novacyborg/novacyborg/internal/pci"
)

var xilinxFPGA = lspciCard{
	device: "FPGA", kind: "fpga", vendor: "10ee", product: "5000",
	model: "Xilinx Corporation Device", controller: "Processing accelerators",
	driver: "XILINX", class: "FPGA",
}

// xilinxFPGAKind is a Xilinx card. Its two functions, for management and for
// the user, are two handles but one accelerator: a request for one gives two
// ARQs, so that a guest gets both.
// It mirrors cyborg/accelerator/drivers/fpga/xilinx/sysinfo.py.
func xilinxFPGAKind() Kind {
	return Kind{
		name: "xilinx_fpga", needs: "address", reads: set("product_id", "model", "controller", "user_address"),
		programmable: true, describe: describeXilinxFPGA,
	}
}

func describeXilinxFPGA(k Kind, host string, card Card, at pci.Address) (Device, error) {
	handles, err := k.xilinxHandles(card, at)
	if err != nil {
		return Device{}, err
	}
	card = xilinxFPGA.fill(card)
	traits := []string{"CUSTOM_FPGA_XILINX", "CUSTOM_FPGA_PRODUCT_ID_" + upper(card.ProductID)}
	device := xilinxFPGA.report(host, card, at, traits, handles...)
	if len(handles) > 1 {
		device.Deployables[0].Accelerators = 1
	}
	return device, nil
}

// noUser is the user_address of a card with one function.
const noUser = "none"

func (k Kind) xilinxHandles(card Card, at pci.Address) ([]Handle, error) {
	switch card.UserAddress {
	case noUser:
		return []Handle{pciHandle(at)}, nil
	case "":
		if at.Function == 7 {
			return nil, k.wrong("address", card.Address, fmt.Errorf("%w: no function follows it, give user_address", ErrFormat))
		}
		user := at
		user.Function++
		return []Handle{pciHandle(at), pciHandle(user)}, nil
	}
	user, err := k.address("user_address", card.UserAddress)
	if err != nil {
		return nil, err
	}
	if first := at; user == at || user.Domain != first.Domain || user.Bus != first.Bus || user.Device != first.Device {
		return nil, k.wrong("user_address", card.UserAddress, fmt.Errorf("%w: want another function of the device of %s, or none", ErrFormat, at))
	}
	return []Handle{pciHandle(at), pciHandle(user)}, nil
}
