package virtdriver

import (
	"slices"

	"github.com/beevik/etree"
)

// checkOptions looks at the options of devices against each other and the rest of
// the domain, which is read as a whole only when an option needs it.
func (p *plan) checkOptions(missing []device) error {
	devices := slices.Concat(p.changed, missing)
	for i, d := range devices {
		if !d.options.concernOthers() {
			continue
		}
		for _, other := range devices[:i] {
			if err := d.options.clash(other.options.Alias, other.options.BootOrder, "ARQ "+other.arq.UUID); err != nil {
				return d.failure(err)
			}
			if isTrue(d.options.RAMFB) && isTrue(other.options.RAMFB) {
				return d.failure(wrap(ErrOption, "ramfb is also that of ARQ %s, a guest has one", other.arq.UUID))
			}
		}
		root, err := p.domain.root()
		if err != nil {
			return err
		}
		if err := d.options.checkAgainst(root, p.nthChild(d)); err != nil {
			return d.failure(err)
		}
	}
	return nil
}

// nthChild tells which element of <devices> the device is, -1 for none.
func (p *plan) nthChild(d device) int {
	had, ok := p.present[d.key]
	if !ok {
		return -1
	}
	return slices.IndexFunc(p.domain.children, func(child place) bool { return child.start == had.start })
}

func (o DeviceOptions) concernOthers() bool {
	return o.Alias+o.TeamingWith != "" || o.BootOrder > 0 || isTrue(o.Display)
}

// clash finds what another device has already.
func (o DeviceOptions) clash(alias string, bootOrder uint, who string) error {
	switch {
	case o.Alias != "" && o.Alias == alias:
		return wrap(ErrAlias, "%s is also that of %s", alias, who)
	case o.BootOrder > 0 && o.BootOrder == bootOrder:
		return wrap(ErrOption, "boot_order %d is also that of %s", bootOrder, who)
	}
	return nil
}

// checkAgainst looks at the domain but for one of its devices, which has the
// options.
func (o DeviceOptions) checkAgainst(root *etree.Element, own int) error {
	devices := firstChild(root, "devices")
	if isTrue(o.Display) && len(children(devices, "graphics")) == 0 {
		return wrap(ErrOption, "display needs a <graphics> in the domain")
	}
	if o.BootOrder > 0 && len(children(firstChild(root, "os"), "boot")) > 0 {
		return wrap(ErrOption, "boot_order cannot be together with <boot> in <os>")
	}
	teamed := o.TeamingWith == ""
	for i, other := range devices.ChildElements() {
		if i == own || isForeign(other) {
			continue
		}
		if err := o.checkBeside(other); err != nil {
			return err
		}
		teamed = teamed || other.Tag == tagInterface && aliasOf(other) == o.TeamingWith
	}
	if !teamed {
		return wrap(ErrOption, "teaming_with: no <interface> has the alias %q", o.TeamingWith)
	}
	return nil
}

// checkBeside looks at one other device of the domain.
func (o DeviceOptions) checkBeside(other *etree.Element) error {
	if isTrue(o.RAMFB) && hasRAMFB(other) {
		return wrap(ErrOption, "ramfb is also that of a <%s>, a guest has one", other.Tag)
	}
	order, _ := number(attribute(firstChild(other, "boot"), "order"))
	return o.clash(aliasOf(other), uint(order), "a <"+other.Tag+">")
}

func aliasOf(e *etree.Element) string { return attribute(firstChild(e, "alias"), "name") }

// hasRAMFB tells the devices that bring a boot console of the kind of which QEMU
// takes one (QEMU: hw/display/ramfb.c).
func hasRAMFB(e *etree.Element) bool {
	return e.Tag == tagHostdev && attribute(e, "ramfb") == "on" ||
		e.Tag == "video" && attribute(firstChild(e, "model"), "type") == "ramfb"
}
