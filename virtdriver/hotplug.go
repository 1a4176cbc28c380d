package virtdriver

import (
	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Fragment is the XML of one device, for virDomainAttachDeviceFlags or
// virDomainDetachDeviceFlags (virsh attach-device, detach-device).
type Fragment struct {
	ARQ cyborgclient.ARQ
	XML string
	// Mediated must exist before the device is plugged in and can go after it is
	// unplugged; nil for other devices.
	Mediated *MediatedDevice
}

// HotPlug gives what is to be plugged into a running guest for bound ARQs,
// leaving out what its live XML has already. Beside the checks of [Compose] it
// makes those that libvirt and the emulator make only when a device is plugged
// in: there must be a free place (a PCI Express port on q35) for each, no function
// but 0 and no boot console can be plugged in, and a virtual IOMMU must cache.
func HotPlug(liveXML []byte, arqs []cyborgclient.ARQ, opts ...ComposeOption) ([]Fragment, error) {
	const operation = "plug into domain"
	p, err := newPlan(liveXML, arqs, opts)
	if err != nil {
		return nil, inOperation(operation, err)
	}
	missing, err := p.missing()
	if err != nil {
		return nil, inOperation(operation, err)
	}
	if err := p.checkPlug(missing); err != nil {
		return nil, inOperation(operation, err)
	}
	var fragments []Fragment
	for _, d := range missing {
		text, err := style{newline: "\n", step: "  ", singleQuote: true}.write([]device{d})
		if err != nil {
			return nil, inOperation(operation, err)
		}
		fragments = append(fragments, Fragment{ARQ: d.arq, XML: text[1:] + "\n", Mediated: d.mediated})
	}
	return fragments, nil
}

// HotUnplug gives what is to be unplugged from a running guest, as its live XML
// has it, with the alias and address by which libvirt finds it. ARQs whose
// devices the guest does not have are left out; an ARQ that is Bound no more, but
// whose handle is known from before, is unplugged too. Refused is what libvirt
// would find out only then: one of several functions of a guest's device, or a
// device on a bus that lets none go.
func HotUnplug(liveXML []byte, arqs []cyborgclient.ARQ, opts ...ComposeOption) ([]Fragment, error) {
	const operation = "unplug from domain"
	p, err := newRemoval(liveXML, arqs, opts)
	if err != nil {
		return nil, inOperation(operation, err)
	}
	present, _, err := p.split()
	if err != nil {
		return nil, inOperation(operation, err)
	}
	var fragments []Fragment
	for _, d := range p.parting(present) {
		had := p.present[d.key]
		if err := p.checkUnplug(had); err != nil {
			err.ARQs = []string{d.arq.UUID}
			return nil, inOperation(operation, err)
		}
		fragments = append(fragments, Fragment{ARQ: d.arq, XML: string(p.domain.text[had.start:had.end]) + "\n", Mediated: d.mediated})
	}
	return fragments, nil
}
