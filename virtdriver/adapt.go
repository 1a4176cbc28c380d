package virtdriver

import (
	"bytes"
	"encoding/xml"
	"strings"

	"github.com/beevik/etree"
)

// adapt gives the edits that make a device of the domain say what the wanted one
// says. What it says in addition stays as it is, but for the VLAN of an interface,
// which a port has or has not.
func (d *domain) adapt(had hostDevice, next device) ([]edit, error) {
	want, err := next.tree()
	if err != nil {
		return nil, err
	}
	at := d.span(had.place)
	return append(d.adaptElement(at, had.element, want), d.adaptVLAN(at, had.element, want)...), nil
}

func (d *domain) adaptElement(at *span, have, want *etree.Element) []edit {
	edits := d.adaptTag(at, have, want)
	for _, child := range want.ChildElements() {
		switch own := at.named(child.Tag); {
		case child.Tag == tagVLAN:
		case len(own) > 0:
			edits = append(edits, d.adaptElement(own[0], firstChild(have, child.Tag), child)...)
		default:
			edits = append(edits, d.addition(at, child))
		}
	}
	return edits
}

// adaptTag writes the attributes that differ, in their own quotes.
func (d *domain) adaptTag(at *span, have, want *etree.Element) []edit {
	tag := d.text[at.start:at.inner]
	end := at.start + len(bytes.TrimRight(tag, "/>"+blanks))
	var edits []edit
	for _, attr := range want.Attr {
		if sameValue(attr.Key, attributeOr(have, attr.Key, implied[attr.Key]), attr.Value) {
			continue
		}
		var value bytes.Buffer
		_ = xml.EscapeText(&value, []byte(attr.Value)) // writing into memory cannot fail
		if from, to, ok := attributeValue(tag, attr.Key); ok {
			edits = append(edits, edit{at.start + from, at.start + to, value.String()})
			continue
		}
		edits = append(edits, edit{end, end, " " + style{singleQuote: d.singleQuote}.spell(attr.Key+`="`+value.String()+`"`)})
	}
	return edits
}

// adaptVLAN puts the wanted <vlan> into the place of the one that is there.
func (d *domain) adaptVLAN(at *span, have, want *etree.Element) []edit {
	if vlanOf(have) == vlanOf(want) {
		return nil
	}
	var edits []edit
	old, next := at.named(tagVLAN), firstChild(want, tagVLAN)
	for _, vlan := range old {
		edits = append(edits, d.cut(at.inner, vlan.start, vlan.end))
	}
	switch {
	case next == nil:
	case len(old) > 0:
		edits[0].text = d.inStyleOf(old[0], at.name, next)
	default:
		edits = append(edits, d.addition(at, next))
	}
	return edits
}

// addition puts an element behind the last child, of which a device has one: its
// source.
func (d *domain) addition(to *span, child *etree.Element) edit {
	last := to.children[len(to.children)-1]
	return edit{last.end, last.end, d.inStyleOf(last, to.name, child)}
}

// inStyleOf writes a child of a device like one that is there.
func (d *domain) inStyleOf(sibling *span, device string, child *etree.Element) string {
	s, like := styleAt(d.text, sibling.start), d.style(device)
	s.step, s.singleQuote = like.step, like.singleQuote
	doc := etree.NewDocumentWithRoot(child.Copy())
	doc.Indent(1)
	text, _ := doc.WriteToString() // writing into memory cannot fail
	return s.lay(strings.TrimRight(text, "\n"))
}
