package driver

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// The defaults of a card shared as mediated devices: a Tesla T4.
const (
	defaultVGPUType = "nvidia-222"
	defaultVGPUName = "GRID T4-1B"
	defaultVGPUs    = 16
)

// vgpuKind is an NVIDIA GPU shared as mediated devices of one type.
// It mirrors cyborg/accelerator/drivers/gpu/nvidia/sysinfo.py.
func vgpuKind() Kind {
	return Kind{
		name: "vgpu", needs: "address", reads: set("product_id", "model", "controller", "vgpu_type", "vgpu_name", "vgpus"),
		describe: describeVGPU,
	}
}

func describeVGPU(_ Kind, host string, card Card, at pci.Address) (Device, error) {
	gpu := nvidiaGPU
	gpu.product, gpu.class = "1eb8", "VGPU"
	card = fillGPU(gpu, card)
	asked := cmp.Or(card.VGPUType, defaultVGPUType)
	handles := make([]Handle, 0, cmp.Or(card.VGPUs, defaultVGPUs))
	for i := range cap(handles) {
		handles = append(handles, mdevHandle(at, asked, i))
	}
	// The second word of the type's name: "GRID T4-1B".
	words := strings.Split(cmp.Or(card.VGPUName, defaultVGPUName), " ")
	name := strings.ReplaceAll(words[1], "-", "_")
	traits := []string{"OWNER_CYBORG", "CUSTOM_NVIDIA_" + upper(card.ProductID) + "_" + upper(name)}
	return gpu.report(host, card, at, traits, handles...), nil
}

// mdevHandle is one mediated device of a card.
// It mirrors cyborg/accelerator/common/utils.py:mdev_str_to_json.
func mdevHandle(at pci.Address, asked string, number int) Handle {
	info := append([]Pair{{Key: "asked_type", Value: asked}}, pciInfo(at)...)
	return Handle{Type: HandleMDEV, Info: append(info, Pair{Key: "vgpu_mark", Value: asked + "_" + strconv.Itoa(number)})}
}
