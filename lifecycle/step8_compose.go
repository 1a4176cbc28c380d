package lifecycle

import (
	"context"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// composeDomain is step 8, pure: the devices of the flavor's ARQs go into the domain XML
// (nova/virt/libvirt/driver.py:_guest_add_accel_pci_devices). The ARQs of ports become interfaces, not host devices
// (B16).
func (a *attempt) composeDomain(context.Context) error {
	if len(a.Domain) == 0 {
		return nil
	}
	ports := a.portARQs()
	flavor := slices.DeleteFunc(slices.Clone(a.bound), func(arq cyborgclient.ARQ) bool {
		for _, uuid := range ports {
			if uuid == arq.UUID {
				return true
			}
		}
		return false
	})
	composition, err := virtdriver.Compose(a.Domain, flavor, a.compose...)
	if err != nil {
		return err
	}
	a.composition = composition
	return nil
}
