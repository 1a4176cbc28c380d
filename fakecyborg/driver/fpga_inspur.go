package driver

import "github.com/novacyborg/novacyborg/internal/pci"

var inspurFPGA = lspciCard{
	device: "FPGA", kind: "fpga", vendor: "1bd4", product: "a115",
	model: "Inspur Electronic Information Industry Co., Ltd. Device", controller: "Processing accelerators",
	driver: "INSPUR", class: "FPGA",
}

// inspurFPGAKind is an Inspur FPGA, which Cyborg cannot program. The real driver
// takes every device of the vendor, its SSDs too.
// It mirrors cyborg/accelerator/drivers/fpga/inspur/sysinfo.py.
func inspurFPGAKind() Kind {
	return Kind{
		name: "inspur_fpga", needs: "address", reads: set("product_id", "model", "controller"),
		describe: func(_ Kind, host string, card Card, at pci.Address) (Device, error) {
			card = inspurFPGA.fill(card)
			traits := []string{"CUSTOM_FPGA_INSPUR", "CUSTOM_FPGA_PRODUCT_ID_" + upper(card.ProductID)}
			return inspurFPGA.report(host, card, at, traits), nil
		},
	}
}
