package virtdriver

import (
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Composition is what [Compose] made.
type Composition struct {
	// XML is the domain with the devices. It is the input, byte for byte, with
	// the text of the new devices between two of its bytes; only an empty
	// element <devices/> is opened for them.
	XML []byte
	// Attached are the ARQs whose devices the domain now has, those that it had
	// before included, in the order given.
	Attached []cyborgclient.ARQ
	// Skipped are the ARQs that a policy left out, in the order given.
	Skipped []cyborgclient.ARQ
}

// Compose puts the devices of bound ARQs into a libvirt domain XML, each as a
// <hostdev>, in the order given, after the last <hostdev> of the domain or else
// at the end of its devices, indented and quoted like what is there. It stands
// for nova/virt/libvirt/driver.py, _guest_add_accel_pci_devices, but decides
// for each ARQ, where Nova up to 2026.1 leaves out all devices when one handle
// is not of type PCI.
//
// A device that the domain has already, with nothing said differently, is not
// added again, so composing twice is composing once. What would give a guest
// that does not start, or one without its accelerator, is refused with a
// [*ComposeError]: XML that is not well formed with its namespaces, is beyond the
// limits of libxml2, or has a document type declaration (which could change what
// the rest says), a root that is no <domain>, none or
// two <devices>, a host address that two devices claim (also an
// <interface type="hostdev"> or an NVMe disk), an ARQ without a usable handle,
// a domain type that cannot take PCI devices of the host. Without ARQs the XML
// is still checked.
func Compose(domainXML []byte, arqs []cyborgclient.ARQ, opts ...ComposeOption) (*Composition, error) {
	config, err := newComposeConfig(opts)
	if err != nil {
		return nil, err
	}
	doc, err := readDomain(domainXML)
	if err != nil {
		return nil, err
	}
	present, err := hostDevices(doc)
	if err != nil {
		return nil, err
	}
	wanted, skipped, err := config.devices(arqs, doc.virtType)
	if err != nil {
		return nil, err
	}
	if err := refuseTwins(wanted); err != nil {
		return nil, err
	}
	composition := &Composition{Skipped: skipped}
	var missing []device
	for _, d := range wanted {
		composition.Attached = append(composition.Attached, d.arq)
		switch had, ok := present[d.address]; {
		case !ok:
			missing = append(missing, d)
		case difference(had.element, d.element) != "":
			return nil, had.inUse(d)
		}
	}
	composition.XML = doc.insert(missing)
	return composition, nil
}

// refuseTwins finds two ARQs that hold the same host device.
func refuseTwins(devices []device) error {
	for i, d := range devices {
		first := slices.IndexFunc(devices[:i], func(other device) bool { return other.address == d.address })
		if first >= 0 {
			return &ComposeError{
				ARQs: []string{devices[first].arq.UUID, d.arq.UUID},
				Err:  wrap(ErrAddressTwice, "%s", d.address),
			}
		}
	}
	return nil
}
