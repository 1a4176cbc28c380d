package lifecycle

import (
	"context"

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
	var flavor []cyborgclient.ARQ
	for i, arq := range a.bound { // in the order of a.created, as the wait was asked for them
		if a.created[i].port == "" {
			flavor = append(flavor, arq)
		}
	}
	composition, err := virtdriver.Compose(a.Domain, flavor, a.compose...)
	if err != nil {
		return err
	}
	a.composition = composition
	return nil
}
