package virtdriver

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/beevik/etree"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// hostDevice is a device of the domain that is a PCI device of the host.
type hostDevice struct {
	place

	element *etree.Element
}

// takesHostPCI lists the elements of a domain that name a PCI device of the
// host in source/address, with the type that makes them do so.
var takesHostPCI = map[string]string{"hostdev": "pci", "interface": "hostdev", "disk": "nvme"}

// hostDevices finds the host devices that the domain already has.
func hostDevices(d *domain) (map[pci.Address]hostDevice, error) {
	found := make(map[pci.Address]hostDevice)
	for _, child := range d.children {
		if kind, ok := takesHostPCI[child.name]; !ok || child.kind != kind {
			continue
		}
		element, err := readElement(d.text[child.start:child.end])
		if err != nil {
			return nil, child.failure(err)
		}
		source := firstChild(firstChild(element, "source"), "address")
		if source == nil || source.SelectAttrValue("type", "pci") != "pci" {
			continue
		}
		address, err := sourceAddress(source)
		if err != nil {
			return nil, child.failure(wrap(ErrAddress, "%w", err))
		}
		if first, twice := found[address]; twice {
			return nil, child.failure(wrap(ErrAddressTwice, "%s is also in line %d, %s", address, first.line, first.path))
		}
		found[address] = hostDevice{child, element}
	}
	return found, nil
}

// children are the child elements of that name in no namespace; libvirt passes
// over all others. The element itself is in none.
func children(e *etree.Element, name string) []*etree.Element {
	return slices.DeleteFunc(e.SelectElements(name), func(child *etree.Element) bool {
		return child.Space != "" || child.NamespaceURI() != ""
	})
}

// firstChild is nil when there is none.
func firstChild(e *etree.Element, name string) *etree.Element {
	if e == nil {
		return nil
	}
	if found := children(e, name); len(found) > 0 {
		return found[0]
	}
	return nil
}

func sourceAddress(source *etree.Element) (pci.Address, error) {
	var fields [4]string
	for i, name := range []string{"domain", "bus", "slot", "function"} {
		text := source.SelectAttrValue(name, "0")
		n, ok := number(text)
		if !ok {
			return pci.Address{}, fmt.Errorf("%s %q is no number", name, text)
		}
		fields[i] = strconv.FormatUint(n, 16)
	}
	return pci.Parse(fields[0], fields[1], fields[2], fields[3])
}

var numeral = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|[0-9]+)$`)

// number reads an attribute as libvirt does: 0x is hexadecimal, a leading 0
// octal, anything else decimal, so bus="10" is bus 0x0a
// (libvirt: src/conf/device_conf.c, virPCIDeviceAddressParseXML).
func number(text string) (uint64, bool) {
	if !numeral.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 0, 32)
	return n, err == nil
}

// inUse is the error for an ARQ whose host device the domain has otherwise.
func (h hostDevice) inUse(d device) *ComposeError {
	e := h.failure(wrap(ErrAddressInUse, "%s, and %s", d.address, difference(h.element, d.element)))
	e.ARQs = []string{d.arq.UUID}
	return e
}

// difference tells what an element of the domain says otherwise than the wanted
// one, in words; it is empty when there is nothing. What it says in addition
// (libvirt adds alias, driver and the guest's address) is no difference.
func difference(have, want *etree.Element) string {
	if have.Tag != want.Tag {
		return fmt.Sprintf("the device is <%s>, not <%s>", have.Tag, want.Tag)
	}
	for _, attr := range want.Attr {
		if got := have.SelectAttrValue(attr.FullKey(), implied[attr.Key]); !sameValue(got, attr.Value) {
			return fmt.Sprintf("%s of <%s> is %q, not %q", attr.Key, have.Tag, got, attr.Value)
		}
	}
	for _, child := range want.ChildElements() {
		found := fmt.Sprintf("<%s> has no <%s>", have.Tag, child.Tag)
		for _, other := range children(have, child.Tag) {
			if found = difference(other, child); found == "" {
				break
			}
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// implied are the values that libvirt takes for missing attributes.
var implied = map[string]string{"managed": "no"}

func sameValue(a, b string) bool {
	x, isNumber := number(a)
	y, areNumbers := number(b)
	return a == b || isNumber && areNumbers && x == y
}
