package driver

import (
	"cmp"
	"fmt"
	"strings"
)

// pgpuDriver reports a whole NVIDIA GPU. It reads address, product_id (1db4, a
// Tesla V100, when empty) and model.
// It mirrors cyborg/accelerator/drivers/gpu/utils.py.
type pgpuDriver struct{}

func (pgpuDriver) Discover(host string, card Card) (Device, error) {
	address, err := card.address("pgpu")
	if err != nil {
		return Device{}, err
	}
	if err := card.refuse("pgpu", "function_id", "region_id", "vfs"); err != nil {
		return Device{}, err
	}
	if err := hexID("pgpu", "product_id", card.ProductID, 4); err != nil {
		return Device{}, err
	}
	product := cmp.Or(card.ProductID, "1db4")
	traits := numberedTraits("OWNER_CYBORG", "CUSTOM_NVIDIA_"+strings.ToUpper(product))
	return Device{
		Type: "GPU", Vendor: "10de", Model: cmp.Or(card.Model, "miss model info"),
		StdBoardInfo:    fmt.Sprintf(`{"product_id": %q, "controller": "3D controller"}`, product),
		VendorBoardInfo: `{"vendor_info": "gpu_vb_info"}`,
		ControlPath:     address.String(),
		Deployables: []Deployable{{
			Name:       host + "_" + address.String(),
			Driver:     "NVIDIA",
			Attributes: append([]Pair{{Key: "rc", Value: "PGPU"}}, traits...),
			Handles:    []Handle{pciHandle(address)},
		}},
	}, nil
}
