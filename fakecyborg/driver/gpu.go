package driver

import (
	"cmp"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

var nvidiaGPU = lspciCard{
	device: "GPU", kind: "gpu", vendor: "10de", product: "1db4",
	model: "NVIDIA Corporation Device", controller: "3D controller",
	driver: "NVIDIA", class: "PGPU",
}

// nvidiaModels are what lspci calls some cards.
var nvidiaModels = map[string]string{
	"15f7": "NVIDIA Corporation GP100GL [Tesla P100 PCIe 12GB]",
	"1db4": "NVIDIA Corporation GV100GL [Tesla V100 PCIe 16GB]",
	"1eb8": "NVIDIA Corporation TU104GL [Tesla T4]",
	"20f1": "NVIDIA Corporation GA100 [A100 PCIe 40GB]",
	"2335": "NVIDIA Corporation GH100 [H200 SXM 141GB]",
}

// fillGPU is the card with its defaults.
func fillGPU(gpu lspciCard, card Card) Card {
	product := strings.ToLower(cmp.Or(card.ProductID, gpu.product))
	card.Model = cmp.Or(card.Model, nvidiaModels[product])
	return gpu.fill(card)
}

// pgpuKind is a whole NVIDIA GPU.
// It mirrors cyborg/accelerator/drivers/gpu/nvidia/sysinfo.py.
func pgpuKind() Kind {
	return Kind{
		name: "pgpu", needs: "address", reads: set("product_id", "model", "controller"),
		describe: func(_ Kind, host string, card Card, at pci.Address) (Device, error) {
			card = fillGPU(nvidiaGPU, card)
			return nvidiaGPU.report(host, card, at, []string{"OWNER_CYBORG", "CUSTOM_NVIDIA_" + upper(card.ProductID)}), nil
		},
	}
}
