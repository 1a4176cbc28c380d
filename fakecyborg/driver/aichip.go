package driver

import (
	"cmp"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// aichipKind is a Huawei Ascend 310. The real driver gives it neither resource
// class nor traits, so that Cyborg never keeps it, see [Device.CheckReport];
// with resource_class it can be used. The deployable's name has no host in it:
// cards at the same address of two hosts clash.
// It mirrors cyborg/accelerator/drivers/aichip/huawei/ascend.py:AscendDriver.
func aichipKind() Kind {
	return Kind{name: "aichip", needs: "address", reads: set("model", "controller", "resource_class"), describe: describeAIChip}
}

func describeAIChip(_ Kind, _ string, card Card, at pci.Address) (Device, error) {
	deployable := Deployable{
		Name:   cmp.Or(card.Model, "Device") + "_" + strings.NewReplacer(":", "_", ".", "_").Replace(at.String()),
		Driver: "huawei", Handles: []Handle{pciHandle(at)},
	}
	if card.ResourceClass != "" {
		deployable.Attributes = attributes(card.ResourceClass)
	}
	return Device{
		Type: "AICHIP", Vendor: "19e5",
		StdBoardInfo: boardInfo("device_id", "d100", "class", cmp.Or(card.Controller, "Processing accelerators")),
		ControlPath:  at.String(), Deployables: []Deployable{deployable},
	}, nil
}
