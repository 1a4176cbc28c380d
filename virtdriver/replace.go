package virtdriver

import (
	"bytes"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Replace gives a domain other devices of the host in the places of those that
// it has, as for an evacuation, where the same guest gets new ARQs on another
// host. The first old device becomes the first new one of its kind (PCI hostdev,
// mediated device, interface), and so on: what the domain says about it (address
// in the guest, alias, driver, boot order) stays, so the guest finds its devices
// where they were. Old devices without a new one are taken out, new ones without
// an old one are added. Companions of old devices (see [WithCompanions]) leave
// with them and are replaced by companions only; it is an error when the domain
// has other functions of an old device, for which there is no ARQ, and no option
// says what they are. For a rebuild on the same host, where ARQs stay, old and
// new are the same and nothing changes.
//
// The result is what [Compose] with the new ARQs accepts; the options are its
// options.
func Replace(domainXML []byte, before, after []cyborgclient.ARQ, opts ...ComposeOption) (*Composition, error) {
	const operation = "replace devices of domain"
	old, err := newRemoval(domainXML, before, []ComposeOption{WithTestPCI(Skip), WithUnknown(Skip)})
	if err != nil {
		return nil, inOperation(operation, err)
	}
	leaving, _, err := old.split()
	if err != nil {
		return nil, inOperation(operation, err)
	}
	next, err := newPlan(domainXML, after, opts)
	if err != nil {
		return nil, inOperation(operation, err)
	}
	leaving, err = old.leavingCompanions(leaving, next.wanted, next.config)
	if err != nil {
		return nil, inOperation(operation, err)
	}
	edits, err := old.replacements(leaving, next.wanted)
	if err != nil {
		return nil, inOperation(operation, err)
	}
	replaced, err := newPlan(old.domain.remove(edits), after, opts)
	if err != nil {
		return nil, inOperation(operation, err)
	}
	composition, err := replaced.compose()
	return composition, inOperation(operation, err)
}

// replacements are the edits that take devices out or point them to others.
// Devices that stay are in no edit.
func (p *plan) replacements(leaving, coming []device) ([]edit, error) {
	kept := func(d device, among []device) bool {
		return slices.ContainsFunc(among, func(other device) bool { return other.key == d.key })
	}
	leaving, coming = slices.Clone(leaving), slices.Clone(coming)
	stays := leaving
	leaving = slices.DeleteFunc(slices.Clone(leaving), func(d device) bool { return kept(d, coming) })
	coming = slices.DeleteFunc(coming, func(d device) bool { return kept(d, stays) })
	var edits []edit
	for _, d := range leaving {
		had := p.present[d.key]
		next := slices.IndexFunc(coming, func(c device) bool {
			return c.tag == had.name && (c.mediated == nil) == (d.mediated == nil) && c.companion == d.companion
		})
		if next < 0 {
			edits = append(edits, p.domain.removal(had.place))
			continue
		}
		change, err := p.domain.redirect(had, coming[next])
		if err != nil {
			return nil, err
		}
		edits = append(edits, change)
		coming = slices.Delete(coming, next, next+1)
	}
	return edits, nil
}

// redirect points a device of the domain to another device of the host: the tag
// of its source's address is written anew, in its own quotes.
func (d *domain) redirect(had hostDevice, next device) (edit, error) {
	from, to := sourceTag(d.text[had.start:had.end])
	tag := d.text[had.start+from : had.start+to]
	element, err := next.tree()
	if err != nil {
		return edit{}, next.failure(err)
	}
	address := firstChild(firstChild(element, "source"), "address").Copy()
	address.RemoveAttr("type")
	kept := slices.DeleteFunc(slices.Clone(firstChild(firstChild(had.element, "source"), "address").Attr), namesHostDevice)
	address.Attr = append(kept, address.Attr...)
	doc := etree.NewDocumentWithRoot(address)
	doc.WriteSettings = etree.WriteSettings{AttrSingleQuote: bytes.Contains(tag, []byte("'"))}
	text, _ := doc.WriteToString() // writing into memory cannot fail
	if !bytes.HasSuffix(tag, []byte("/>")) {
		text = strings.TrimSuffix(text, "/>") + ">"
	}
	return edit{had.start + from, had.start + to, text}, nil
}

// namesHostDevice tells the attributes of a source's address that are written
// anew; others stay, such as its type and namespaces.
func namesHostDevice(attr etree.Attr) bool {
	return attr.Space == "" && slices.Contains([]string{"domain", "bus", "slot", "function", "uuid"}, attr.Key)
}
