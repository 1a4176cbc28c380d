package virtdriver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// hostDevice is a device of the domain that is a device of the host.
type hostDevice struct {
	place

	key     hostKey
	element *etree.Element
}

// takesHostDevice lists the elements of a domain that name a PCI device of the
// host, or a mediated device, in source/address, with the types that make them
// do so.
var takesHostDevice = map[string][]string{tagHostdev: {"pci", "mdev"}, tagInterface: {"hostdev"}, "disk": {"nvme"}}

// hostDevices finds the host devices that the domain already has.
func (d *domain) hostDevices() (map[hostKey]hostDevice, error) {
	found := make(map[hostKey]hostDevice)
	for i, child := range d.children {
		if !slices.Contains(takesHostDevice[child.name], child.kind) {
			continue
		}
		element, err := d.element(i)
		if err != nil {
			return nil, err
		}
		key, ok, err := sourceKey(element, child.kind)
		if err != nil {
			return nil, child.failure(wrap(ErrAddress, "%w", err))
		}
		if !ok {
			continue
		}
		if first, twice := found[key]; twice {
			if child.name == "disk" && first.name == "disk" { // namespaces of one controller
				continue
			}
			return nil, child.failure(wrap(ErrAddressTwice, "%s is also in line %d, %s", key, first.line, first.path()))
		}
		found[key] = hostDevice{child, key, element}
	}
	return found, nil
}

// sourceKey tells which device of the host an element names, if it names one.
func sourceKey(element *etree.Element, kind string) (key hostKey, ok bool, err error) {
	source := firstChild(firstChild(element, "source"), "address")
	if source == nil {
		return hostKey{}, false, nil
	}
	if kind == "mdev" {
		text, has := find(source, "uuid")
		if !has { // channel devices of mainframes have none
			return hostKey{}, false, nil
		}
		if key, err = mdevKey(text); err != nil {
			err = fmt.Errorf("mediated device %q: %w", text, err)
		}
		return key, err == nil, err
	}
	if attributeOr(source, "type", "pci") != "pci" {
		return hostKey{}, false, nil
	}
	key.address, err = sourceAddress(source)
	return key, err == nil, err
}

// children are the child elements of that name in no namespace; libvirt passes
// over all others. The element itself is in none.
func children(e *etree.Element, name string) []*etree.Element {
	if e == nil {
		return nil
	}
	return slices.DeleteFunc(e.SelectElements(name), isForeign)
}

// isForeign tells elements of a namespace.
func isForeign(e *etree.Element) bool { return e.Space != "" || e.NamespaceURI() != "" }

// firstChild is nil when there is none.
func firstChild(e *etree.Element, name string) *etree.Element {
	if found := children(e, name); len(found) > 0 {
		return found[0]
	}
	return nil
}

func sourceAddress(source *etree.Element) (pci.Address, error) {
	var fields [4]string
	for i, name := range []string{"domain", "bus", "slot", "function"} {
		text := attributeOr(source, name, "0")
		n, ok := number(text)
		if !ok {
			return pci.Address{}, fmt.Errorf("%s %q is no number", name, text)
		}
		fields[i] = strconv.FormatUint(n, 16)
	}
	return pci.Parse(fields[0], fields[1], fields[2], fields[3])
}

// number reads an attribute as libvirt does: 0x is hexadecimal, a leading 0
// octal, anything else decimal, so bus="10" is bus 0x0a. White space and a plus
// before it count for nothing, white space behind it is too much
// (libvirt: src/conf/device_conf.c, virPCIDeviceAddressParseXML;
// src/util/virstring.c, virStrToLong_uip).
func number(text string) (uint64, bool) {
	digits, base := strings.TrimPrefix(strings.TrimLeft(text, " \t\n\v\f\r"), "+"), 10
	if after, isOctal := strings.CutPrefix(digits, "0"); isOctal && after != "" {
		digits, base = after, 8
		if after[0] == 'x' || after[0] == 'X' {
			digits, base = after[1:], 16
		}
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return n, err == nil
}

// inUse is the error for an ARQ whose host device the domain has otherwise.
func (h hostDevice) inUse(d device, said string) *ComposeError {
	return h.about(d, wrap(ErrAddressInUse, "%s, and %s", d.key, said))
}

// difference tells what an element of the domain says otherwise than the wanted
// one, in words; it is empty when there is nothing. What it says in addition
// (libvirt adds alias, driver and the guest's address) is no difference.
func difference(have, want *etree.Element) string {
	if have.Tag != want.Tag {
		return fmt.Sprintf("the device is <%s>, not <%s>", have.Tag, want.Tag)
	}
	for _, attr := range want.Attr {
		if got := attributeOr(have, attr.Key, implied[attr.Key]); !sameValue(attr.Key, got, attr.Value) {
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
var implied = map[string]string{
	"mode": "subsystem", "managed": "no", "display": "off", "ramfb": "off", "domain": "0", "bus": "0", "slot": "0", "function": "0",
}

// sameValue compares numbers by value, uuids and MAC addresses in either case.
func sameValue(name, a, b string) bool {
	if name == "uuid" {
		x, err := mdevKey(a)
		y, err2 := mdevKey(b)
		return err == nil && err2 == nil && x == y
	}
	x, isNumber := number(a)
	y, areNumbers := number(b)
	return a == b || isNumber && areNumbers && x == y || name == "address" && strings.EqualFold(a, b)
}
