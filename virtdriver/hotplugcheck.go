package virtdriver

import (
	"slices"

	"github.com/beevik/etree"
)

// checkPlug makes the checks that libvirt and the emulator make at run time
// (libvirt: src/qemu/qemu_hotplug.c, qemuDomainAttachHostPCIDevice;
// src/conf/domain_addr.c, virDomainPCIAddressEnsureAddr).
func (p *plan) checkPlug(missing []device) error {
	if len(missing) == 0 {
		return nil
	}
	root, err := p.domain.root()
	if err != nil {
		return err
	}
	if err := checkIOMMU(root); err != nil {
		return &ComposeError{Err: err}
	}
	occupied, err := p.domain.guestAddresses()
	if err != nil {
		return err
	}
	buses := readBuses(root)
	buses.occupy(occupied)
	anywhere := 0
	for _, d := range missing {
		if d.guest == nil {
			anywhere++
		}
		if err := buses.plug(d); err != nil {
			return d.failure(err)
		}
	}
	if free := buses.free(); buses.known && anywhere > free {
		return &ComposeError{Err: wrap(ErrNoPort, "%d devices need one each, the guest has %d (%s)", anywhere, free, buses.kind())}
	}
	return nil
}

// checkIOMMU wants the guest's IOMMU, if it has one, to tell the host what it
// maps (QEMU: hw/i386/intel_iommu.c, vtd_decide_config).
func checkIOMMU(root *etree.Element) error {
	iommu := firstChild(firstChild(root, "devices"), "iommu")
	if attribute(iommu, "model") == "intel" && attribute(firstChild(iommu, "driver"), "caching_mode") != "on" {
		return wrap(ErrHotPlug, `the guest has an IOMMU of model "intel" without caching_mode="on"`)
	}
	return nil
}

// plug takes the place that the device names, if it names one.
func (b busMap) plug(d device) error {
	switch {
	case isTrue(d.options.RAMFB):
		return wrap(ErrHotPlug, "ramfb is for devices that are there from the start")
	case d.guest == nil:
		return nil
	case d.guest.Function > 0 || d.guest.multifunction:
		return wrap(ErrHotPlug, "guest address %s: only function 0, and that alone, can be plugged in", d.guest.Address)
	}
	return b.take(d.guest.Bus, d.guest.Device)
}

// checkUnplug makes the checks of a device that is to go (libvirt:
// src/qemu/qemu_hotplug.c, qemuDomainDetachDeviceLive).
func (p *plan) checkUnplug(had hostDevice) *ComposeError {
	at, ok, err := ownAddress(had.element)
	switch {
	case err != nil:
		return had.failure(wrap(ErrGuestAddress, "%w", err))
	case !ok:
		return nil
	}
	root, err := p.domain.root()
	if err != nil {
		return had.failure(err)
	}
	occupied, err := p.domain.guestAddresses()
	if err != nil {
		return had.failure(err)
	}
	if i := slices.IndexFunc(occupied, func(o occupant) bool { return o.slot() == at.slot() && o.Function != at.Function }); i >= 0 {
		return had.failure(wrap(ErrHotPlug, "%s and %s are functions of one device of the guest", had.path(), occupied[i].path()))
	}
	if buses := readBuses(root); !buses.hotPlugs(at.Bus) {
		return had.failure(wrap(ErrHotPlug, "bus %d of the guest lets no device go", at.Bus))
	}
	return nil
}
