package virtdriver

import "github.com/beevik/etree"

// checkOptions looks at the options of devices against each other and the rest of
// the domain, which is read as a whole only when an option needs it.
func (p *plan) checkOptions(missing []device) error {
	for i, d := range missing {
		if !d.options.concernOthers() {
			continue
		}
		for _, other := range missing[:i] {
			if err := d.options.clash(other.options.Alias, other.options.BootOrder, "ARQ "+other.arq.UUID); err != nil {
				return d.failure(err)
			}
		}
		root, err := p.domain.root()
		if err != nil {
			return err
		}
		if err := d.options.checkAgainst(root); err != nil {
			return d.failure(err)
		}
	}
	return nil
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

func (o DeviceOptions) checkAgainst(root *etree.Element) error {
	devices := firstChild(root, "devices")
	if isTrue(o.Display) && len(children(devices, "graphics")) == 0 {
		return wrap(ErrOption, "display needs a <graphics> in the domain")
	}
	if o.BootOrder > 0 && len(children(firstChild(root, "os"), "boot")) > 0 {
		return wrap(ErrOption, "boot_order cannot be together with <boot> in <os>")
	}
	teamed := o.TeamingWith == ""
	for _, other := range devices.ChildElements() {
		alias := attribute(firstChild(other, "alias"), "name")
		order, _ := number(attribute(firstChild(other, "boot"), "order"))
		if err := o.clash(alias, uint(order), "a <"+other.Tag+">"); err != nil {
			return err
		}
		teamed = teamed || other.Tag == tagInterface && alias == o.TeamingWith
	}
	if !teamed {
		return wrap(ErrOption, "teaming_with: no <interface> has the alias %q", o.TeamingWith)
	}
	return nil
}

// attribute is empty when the element or the attribute is not there.
func attribute(e *etree.Element, name string) string {
	if e == nil {
		return ""
	}
	return e.SelectAttrValue(name, "")
}
