package lifecycle

import (
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// compose is step 8, pure: the devices of the bound ARQs go into the domain XML
// (nova/virt/libvirt/driver.py:_guest_add_accel_pci_devices). The ARQs of ports become interfaces, not host devices
// (B16), where the port's interface is known; otherwise the caller sees to them.
func (r *run) compose(h Holding, domain string) error {
	if domain == "" {
		r.composition = nil
		return nil
	}
	devices := devicesOf(h, r.bound)
	composition, err := virtdriver.Compose([]byte(domain), devices.ARQs, append(slices.Clone(r.composing), virtdriver.WithPorts(devices.Ports...))...)
	if err != nil {
		return err
	}
	r.composition = composition
	return nil
}

// devicesOf splits the bound ARQs of a holding.
func devicesOf(h Holding, bound []cyborgclient.ARQ) Devices {
	ports := h.portARQs()
	var devices Devices
	for _, arq := range bound {
		i := slices.IndexFunc(h.Spec.Ports, func(p requestspec.Port) bool { return ports[p.ID] == arq.UUID })
		if i < 0 {
			devices.ARQs = append(devices.ARQs, arq)
			continue
		}
		id := h.Spec.Ports[i].ID
		if wire, known := h.Interfaces[id]; known {
			devices.Ports = append(devices.Ports, virtdriver.Port{ID: id, MAC: wire.MAC, VLAN: wire.VLAN, ARQ: arq})
		}
	}
	return devices
}
