package driver

import "slices"

// clone is a copy that shares nothing with the device.
func (d Device) clone() Device {
	d.Deployables = slices.Clone(d.Deployables)
	for i := range d.Deployables {
		d.Deployables[i] = d.Deployables[i].clone()
	}
	return d
}

func (d Deployable) clone() Deployable {
	d.Attributes = slices.Clone(d.Attributes)
	d.Handles = slices.Clone(d.Handles)
	for i := range d.Handles {
		d.Handles[i].Info = slices.Clone(d.Handles[i].Info)
	}
	return d
}

// deployable is the device's deployable of that name.
func (d Device) deployable(name string) (Deployable, bool) {
	i := slices.IndexFunc(d.Deployables, func(part Deployable) bool { return part.Name == name })
	if i < 0 {
		return Deployable{}, false
	}
	return d.Deployables[i], true
}
