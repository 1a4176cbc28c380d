package driver

import "github.com/novacyborg/novacyborg/internal/pci"

var inspurSSD = lspciCard{
	device: "SSD", kind: "ssd", vendor: "1bd4", product: "1001",
	model: "Inspur Electronic Information Industry Co., Ltd. Device", controller: "Non-Volatile memory controller",
	driver: "INSPUR", class: "CUSTOM_SSD",
}

// ssdKind is an Inspur NVMe drive.
// It mirrors cyborg/accelerator/drivers/ssd/utils.py.
func ssdKind() Kind {
	return Kind{
		name: "ssd", needs: "address", reads: set("product_id", "model", "controller"),
		describe: func(_ Kind, host string, card Card, at pci.Address) (Device, error) {
			card = inspurSSD.fill(card)
			traits := []string{"CUSTOM_SSD_INSPUR", "CUSTOM_SSD_PRODUCT_ID_" + upper(card.ProductID)}
			return inspurSSD.report(host, card, at, traits), nil
		},
	}
}
