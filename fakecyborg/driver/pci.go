package driver

import (
	"cmp"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// pciVendors are the vendors that the driver knows by name.
var pciVendors = map[string]string{
	"10de": "NVIDIA", "102b": "MATROX", "8086": "INTEL", "1bd4": "INSPUR", "10ee": "XILINX", "19e5": "HUAWEI",
}

// pciName is the name of the kind.
const pciName = "pci"

// pciKind is any PCI function that cyborg.conf hands out. Its type is always GPU.
// It mirrors cyborg/accelerator/drivers/pci/pci/sysinfo.py of 2026.2; before,
// the trait OWNER_CYBORG was missing, see [Kind.Unowned].
func pciKind() Kind {
	return Kind{name: pciName, needs: "address", reads: set("vendor_id", "product_id"), describe: describePCI}
}

func describePCI(k Kind, host string, card Card, at pci.Address) (Device, error) {
	vendor := strings.ToLower(cmp.Or(card.VendorID, "10de"))
	product := strings.ToLower(cmp.Or(card.ProductID, "1db4"))
	var traits []string
	if !k.unowned {
		traits = append(traits, "OWNER_CYBORG")
	}
	if name, known := pciVendors[vendor]; known {
		traits = append(traits, "CUSTOM_PCI_"+name)
	}
	traits = append(traits, "CUSTOM_PCI_PRODUCT_ID_"+upper(product))
	return Device{
		Type: "GPU", Vendor: vendor, Model: product,
		StdBoardInfo: boardInfo("product_id", product, "controller", ""), VendorBoardInfo: "miss_vb_info",
		ControlPath: at.String(),
		Deployables: []Deployable{{
			Name: host + "_" + at.String(), Driver: cmp.Or(pciVendors[vendor], upper(vendor)),
			Attributes: attributes("CUSTOM_PCI", traits...), Handles: []Handle{pciHandle(at)},
		}},
	}, nil
}
