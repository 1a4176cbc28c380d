package virtdriver

import (
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Replace gives a domain other devices of the host in the places of those that
// it has, as for an evacuation, where the same guest gets new ARQs on another
// host. An old device becomes that of the same ARQ or else the first new one of
// its kind (PCI hostdev, mediated device), if there is one from the same group of
// the device profile; an interface becomes that of the port with the same MAC
// address. What the domain says about it (address in the guest, alias, driver,
// boot order) stays, so the guest finds its devices where they were; what the
// options name, how the device is managed and the port's VLAN are written anew.
// Old devices without a new one are taken out, new ones without an old one are
// added. Devices of the domain that the new ARQs hold, but that are not among the
// old ones, are left as they are. For a rebuild on the same host, where ARQs stay,
// old and new are the same and nothing changes.
//
// Companions of old devices (see [WithCompanions]) leave with them and are
// replaced by companions only. Companions are the functions of the same device
// without an ARQ that the old host's topology ([WithTopologyBefore]) names or,
// where it does not know the device, those right behind it, if WithCompanions is
// given; without WithCompanions these are refused. All other functions without an
// ARQ, such as those that Nova gives the guest by a PCI alias, stay and are
// reported, unless [WithOthers] names them.
//
// The result is what [Compose] with the new ARQs accepts; the options are its
// options.
func Replace(domainXML []byte, before, after []cyborgclient.ARQ, opts ...ComposeOption) (*Composition, error) {
	composition, err := replace(domainXML, before, after, opts)
	return composition, inOperation("replace devices of domain", err)
}

func replace(domainXML []byte, before, after []cyborgclient.ARQ, opts []ComposeOption) (*Composition, error) {
	config, err := newComposeConfig(opts)
	if err != nil {
		return nil, err
	}
	doc, err := readDomain(domainXML)
	if err != nil {
		return nil, err
	}
	old, err := config.before().plan(doc, withoutState(before))
	if err != nil {
		return nil, err
	}
	next, err := config.plan(doc, after)
	if err != nil {
		return nil, err
	}
	present, _, err := old.split()
	if err != nil {
		return nil, err
	}
	leaving, err := old.leaving(present, next.wanted)
	if err != nil {
		return nil, err
	}
	next.reports = append(next.reports, old.strangers(leaving, next.wanted)...)
	return next.inherit(old.successions(leaving, next.wanted))
}

// before is for the devices that leave: their handles are read, and nothing is
// decided about them.
func (c composeConfig) before() composeConfig {
	c.ports, c.choose, c.guestSlots = nil, nil, nil
	c.testPCI, c.unknown, c.removing = Skip, Skip, true
	return c
}

// inherit gives places of the domain to other devices, takes out what has no
// successor, and adds the rest.
func (p *plan) inherit(places []succession) (*Composition, error) {
	var edits []edit
	gone := make(map[int]bool)
	for _, s := range places {
		if s.next == nil {
			gone[s.had.start] = true
			edits = append(edits, p.domain.removal(s.had.place))
			continue
		}
		changes, err := p.domain.adapt(s.had, *s.next)
		if err != nil {
			return nil, err
		}
		edits = append(edits, changes...)
	}
	doc, err := readDomain(p.domain.remove(edits))
	if err != nil {
		return nil, err
	}
	doc.keepPlaces(p.domain, gone)
	p.domain = doc
	if p.present, err = doc.hostDevices(); err != nil {
		return nil, err
	}
	for _, s := range places {
		if s.next != nil {
			p.changed = append(p.changed, *s.next)
		}
	}
	return p.compose()
}

// keepPlaces makes the errors about devices name the places that these had before
// some were taken out.
func (d *domain) keepPlaces(before *domain, gone map[int]bool) {
	kept := slices.DeleteFunc(slices.Clone(before.children), func(at place) bool { return gone[at.start] })
	for i := range d.children {
		d.children[i].nth, d.children[i].line, d.children[i].column = kept[i].nth, kept[i].line, kept[i].column
	}
}
