package driver

import "github.com/novacyborg/novacyborg/internal/pci"

// qatKind is an Intel QuickAssist card. Each virtual function is a deployable of
// its own; without them the card is.
// It mirrors cyborg/accelerator/drivers/qat/intel/sysinfo.py.
func qatKind() Kind {
	return Kind{
		name: "qat", needs: "address", reads: set("vfs", "vf_addresses"),
		describe: func(k Kind, host string, card Card, at pci.Address) (Device, error) {
			functions, err := k.virtualFunctions(card, at)
			if err != nil {
				return Device{}, err
			}
			if len(functions) == 0 {
				functions = []pci.Address{at}
			}
			deployables := make([]Deployable, 0, len(functions))
			for _, function := range functions {
				deployables = append(deployables, Deployable{
					Name: host + "_" + function.String(), Driver: "intel",
					Attributes: attributes("CUSTOM_QAT"), Handles: []Handle{pciHandle(function)},
				})
			}
			return sysfsDevice("QAT", "0x37c8", at, deployables...), nil
		},
	}
}
