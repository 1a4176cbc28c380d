package driver

import "slices"

// Apply returns the devices that are known once the difference is carried out:
// those that were known, in their order, then the new ones. The list itself is
// not changed. What [CompareCarefully] found makes of the known devices the
// found ones but for stubs, refusals and the order.
func (d Difference) Apply(known []Device) []Device {
	changes := make(map[string]DeviceChange, len(d.Changed))
	for _, change := range d.Changed {
		changes[change.ControlPath] = change
	}
	gone := byControlPath(d.Deleted)
	var after []Device
	for _, device := range known {
		if _, deleted := gone[device.ControlPath]; deleted {
			continue
		}
		device = device.clone()
		if change, ok := changes[device.ControlPath]; ok {
			change.apply(&device)
		}
		after = append(after, device)
	}
	for _, device := range d.Added {
		after = append(after, device.clone())
	}
	return after
}

func (c DeviceChange) apply(device *Device) {
	deployables := device.Deployables
	*device = c.Found
	device.Deployables = slices.DeleteFunc(deployables, func(part Deployable) bool {
		return slices.ContainsFunc(c.Deleted, func(deleted Deployable) bool { return deleted.Name == part.Name })
	})
	for _, change := range c.Changed {
		at := slices.IndexFunc(device.Deployables, func(part Deployable) bool { return part.Name == change.Name })
		if at >= 0 {
			change.apply(&device.Deployables[at])
		}
	}
	for _, part := range c.Added {
		device.Deployables = append(device.Deployables, part.clone())
	}
}

func (c DeployableChange) apply(part *Deployable) {
	accelerators := part.NumAccelerators()
	if slices.Contains(c.Fields, fieldAccelerators) {
		accelerators = c.Found.NumAccelerators()
	}
	if slices.Contains(c.Fields, fieldDriver) {
		part.Driver = c.Found.Driver
	}
	for _, change := range c.Attributes {
		part.Attributes = change.apply(part.Attributes)
	}
	part.Handles = slices.DeleteFunc(part.Handles, func(known Handle) bool { return slices.ContainsFunc(c.Deleted, known.same) })
	for _, handle := range c.Retyped {
		if at := slices.IndexFunc(part.Handles, handle.same); at >= 0 {
			part.Handles[at].Type = handle.Type
		}
	}
	part.Handles = append(part.Handles, c.Added...)
	if part.Accelerators = 0; accelerators != len(part.Handles) {
		part.Accelerators = accelerators
	}
}

func (c AttributeChange) apply(pairs []Pair) []Pair {
	at := -1
	if c.Old != nil {
		at = slices.Index(pairs, *c.Old)
	}
	switch {
	case c.New == nil && at >= 0:
		return slices.Delete(pairs, at, at+1)
	case c.New != nil && at >= 0:
		pairs[at] = *c.New
	case c.New != nil:
		return append(pairs, *c.New)
	}
	return pairs
}
