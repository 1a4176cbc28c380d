package driver

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// nicKind is an Intel X710 or XXV710. Each virtual function is a deployable of
// its own; without them the card is.
// It mirrors cyborg/accelerator/drivers/nic/intel/sysinfo.py.
func nicKind() Kind {
	return Kind{
		name: "nic", needs: "address", reads: set("product_id", "vfs", "vf_addresses", "physical_network", "function_name"),
		describe: describeNIC,
	}
}

func describeNIC(k Kind, host string, card Card, at pci.Address) (Device, error) {
	product := strings.ToLower(cmp.Or(card.ProductID, "158b"))
	if product != "158b" && product != "1572" {
		return Device{}, k.wrong("product_id", card.ProductID, fmt.Errorf("%w: the driver knows 158b and 1572", ErrFormat))
	}
	functions, err := k.virtualFunctions(card, at)
	if err != nil {
		return Device{}, err
	}
	trait := "CUSTOM_VF"
	if len(functions) == 0 {
		trait, functions = "CUSTOM_PF", []pci.Address{at}
	}
	deployables := make([]Deployable, 0, len(functions))
	for _, function := range functions {
		deployables = append(deployables, Deployable{
			Name: host + "_" + function.String(), Driver: "intel",
			Attributes: attributes("CUSTOM_NIC", nicTraits(trait, card)...),
			Handles:    []Handle{nicHandle(function, card.PhysicalNetwork)},
		})
	}
	return sysfsDevice("NIC", "0x"+product, at, deployables...), nil
}

func nicTraits(first string, card Card) []string {
	traits := []string{first}
	for _, name := range []string{card.FunctionName, card.PhysicalNetwork} {
		if name != "" {
			traits = append(traits, "CUSTOM_"+upper(name))
		}
	}
	return traits
}

func nicHandle(at pci.Address, network string) Handle {
	handle := pciHandle(at)
	if network != "" {
		handle.Info = append(handle.Info, Pair{Key: "physical_network", Value: network})
	}
	return handle
}
