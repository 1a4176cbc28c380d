package requestspec

import (
	"math/big"
)

// readPorts makes the groups of the ports: for each the groups of its device profile, then what Neutron asks for
// (nova/network/neutron.py:API.create_resource_requests).
func (b *builder) readPorts() error {
	for _, port := range b.in.Ports {
		if port.ID == "" {
			// Nova has no port without an id.
			b.note(Finding{Where: "port", Reason: ErrKey, Message: "the port has no id, so nothing is asked for it"})
			continue
		}
		if err := b.readPort(port); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) readPort(port Port) error {
	place := "port " + port.ID
	if port.Accelerator() {
		if err := b.checkPortProfile(port); err != nil {
			return err
		}
		if err := b.addProfile(place+", "+profilePlace(port.DeviceProfile), port.Groups, port.ID); err != nil {
			return err
		}
	} else if port.DeviceProfile != "" {
		b.note(Finding{
			Where: place, Key: "device_profile", Value: port.DeviceProfile, Reason: ErrProfile,
			Message: "the profile has no effect: the port's vnic_type is not " + vnicAccelerator,
		})
	}
	if err := b.addPortRequest(port); err != nil {
		return err
	}
	if port.ResourceRequest != nil && len(port.ResourceRequest.SameSubtree) > 0 {
		b.subtrees = append(b.subtrees, port.ResourceRequest.SameSubtree)
	}
	return nil
}

// checkPortProfile refuses what Nova refuses of a port's profile and finds what strict mode refuses.
func (b *builder) checkPortProfile(port Port) error {
	place := "port " + port.ID
	if port.DeviceProfile == "" {
		return b.refuse(Finding{
			Where: place, Reason: ErrProfile,
			Message: "the port is " + port.VNICType + ", but has no device profile",
		})
	}
	if err := CheckProfileName(port.DeviceProfile); err != nil {
		b.note(Finding{Where: place, Key: "device_profile", Value: port.DeviceProfile, Reason: ErrProfile, Message: bareMessage(err)})
	}
	if len(port.Groups) == 0 {
		b.note(Finding{
			Where: place + ", " + profilePlace(port.DeviceProfile), Reason: ErrProfile,
			Message: "the profile has no groups, so it asks for no device",
		})
	}
	if port.VNICType == vnicAcceleratorPhysical {
		b.note(Finding{
			Where: place, Key: "vnic_type", Value: port.VNICType, Reason: ErrProfile, Advice: true,
			Message: "Nova schedules such a port, but cannot attach it",
		})
	}
	return b.checkPortDevices(port)
}

// checkPortDevices mirrors nova/accelerator/cyborg.py:get_device_amount_of_dp_groups: the plain sum of all amounts,
// of any class, must not be above 1.
func (b *builder) checkPortDevices(port Port) error {
	place := "port " + port.ID + ", " + profilePlace(port.DeviceProfile)
	sum := new(big.Int)
	for _, group := range port.Groups {
		for _, p := range group {
			if parsed, ok := parseKey(p.Key); !ok || parsed.prefix != prefixResources {
				continue
			}
			n, err := parseAmount(p.Value)
			if err != nil {
				return b.refuse(newFinding(place, p, ErrAmount, "amount is "+err.Error()))
			}
			sum.Add(sum, n.big())
		}
	}
	if sum.Cmp(big.NewInt(1)) > 0 {
		return b.refuse(Finding{
			Where: place, Reason: ErrProfile,
			Message: "the profile asks for " + sum.String() + " devices, a port can have one",
		})
	}
	return nil
}

// addPortRequest makes the groups of what Neutron asks for.
func (b *builder) addPortRequest(port Port) error {
	for _, group := range port.ResourceRequest.groups(port.ID) {
		d, err := b.portGroup("port "+port.ID+", resource request", group)
		if err != nil {
			return err
		}
		b.outside = append(b.outside, d)
	}
	return nil
}

// portGroup takes Neutron's group as it is; Nova does not check its classes and traits, and converts its amounts
// (nova/objects/request_spec.py:RequestGroup.from_port_request, from_extended_port_request).
func (b *builder) portGroup(where string, group PortRequestGroup) (*draft, error) {
	d := newDraft(group.ID, where)
	for _, class := range sortedKeys(group.Resources) {
		p := Property{Key: class, Value: group.Resources[class]}
		if !validClass(class) {
			b.note(newFinding(where, p, ErrClass, "Placement has no such class"))
		}
		n, err := parseAmount(p.Value)
		if err != nil {
			return nil, b.refuse(newFinding(where, p, ErrAmount, "amount is "+err.Error()))
		}
		b.notePortAmount(where, p, n)
		d.ask(class, n)
	}
	for _, trait := range group.Required {
		if !validName(trait) {
			b.note(newFinding(where, Property{Key: trait, Value: "required"}, ErrTrait, "Placement has no such trait"))
		}
		d.required.add(trait)
	}
	return d, nil
}

// notePortAmount finds amounts that Neutron does not send and those that Placement refuses.
func (b *builder) notePortAmount(where string, p Property, n amount) {
	_, isText := p.Value.(string)
	switch {
	case isText || isInexact(p.Value):
		b.note(newFinding(where, p, ErrAmount, "amount must be a whole number in JSON; Nova takes "+n.String()))
	case n.sign() < 0:
		b.note(newFinding(where, p, ErrAmount, "amount must be 0 or more"))
	case n.above(largestTotal):
		b.noteTooMuch(where, p)
	}
}
