package virtdriver

import (
	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Composition is what [Compose] made.
type Composition struct {
	// XML is the domain with the devices. It is the input, byte for byte, with
	// the text of the new devices between its bytes; only of an empty element
	// <devices/> the slash becomes a blank and an end tag is added.
	XML []byte
	// Attached are the ARQs whose devices the domain now has, those that it had
	// before included, in the guest's order.
	Attached []cyborgclient.ARQ
	// Skipped are the ARQs that a policy left out, in the order given, and
	// Reports the reasons for those that are to be reported ([Report]). [Replace]
	// also reports what it left in without knowing whose it is.
	Skipped []cyborgclient.ARQ
	Reports []error
	// Mediated are the mediated devices that must exist on the host before the
	// guest starts, those of devices that the domain had before included.
	Mediated []MediatedDevice
}

// Compose puts the devices of bound ARQs into a libvirt domain XML, each as a
// <hostdev>: PCI handles in the order given and then, as in Nova 2026.2, mediated
// devices; after the last <hostdev> of the domain or else at the end of its
// devices; indented and quoted like what is there. It stands for
// nova/virt/libvirt/driver.py, _guest_add_accel_pci_devices, but decides for each
// ARQ, where Nova up to 2026.1 leaves out all devices when one handle is not of
// type PCI.
//
// A device that the domain has already, with nothing said differently, is not
// added again, so composing twice is composing once. What would give a guest
// that does not start, or one without its accelerator, is refused with a
// [*ComposeError]: XML that is not well formed with its namespaces, is beyond the
// limits of libxml2, or has a document type declaration (which could change what
// the rest says), a root that is no <domain>, none or
// two <devices>, a host device that two claim (also an
// <interface type="hostdev"> or an NVMe disk), an ARQ that is not bound or
// without a usable handle, a domain type that cannot take devices of the host, a
// function of the guest without function 0 or in a slot that its bus does not
// have, an interface with another VLAN than its port, options that the domain
// contradicts.
// Without ARQs the XML is still checked.
func Compose(domainXML []byte, arqs []cyborgclient.ARQ, opts ...ComposeOption) (*Composition, error) {
	p, err := newPlan(domainXML, arqs, opts)
	if err != nil {
		return nil, err
	}
	return p.compose()
}

func (p *plan) compose() (*Composition, error) {
	missing, err := p.missing()
	if err != nil {
		return nil, err
	}
	text, err := p.domain.insert(missing)
	if err != nil {
		return nil, err
	}
	return &Composition{
		XML: text, Attached: arqsOf(p.wanted), Skipped: p.skipped, Reports: p.reports, Mediated: mediatedOf(p.wanted),
	}, nil
}
