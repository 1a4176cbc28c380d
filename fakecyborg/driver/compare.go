package driver

// Compare tells what a report of found devices does to the known devices of a
// host, as Cyborg's conductor does it. Devices are the same when their control
// paths are, deployables when their names are, handles when their infos are,
// attributes when their keys are. What is known includes the attributes that
// were made through the API. Neither list is changed.
//
// It has the conductor's faults:
//
//   - A stub is neither added nor deleted nor changed.
//   - Attributes that were made through the API are deleted, unless their key
//     is also reported. Their values are taken for traits in that: a trait of
//     that name goes from the provider.
//   - Of attributes with the same key only the first counts, see the FPGA with
//     virtual functions: its function id can change without notice.
//   - A trait that only moves to a later key is lost in Placement: the new key
//     adds it, then the old key's change removes it.
//   - driver_name is never changed.
//   - An added attribute counts as a trait whatever its key is.
//   - After a change of the class the old one is deleted for everybody.
//   - A device with a deployable without class is refused as a whole, a new
//     deployable of a known device alone, and a known deployable that lost its
//     class is left as it was when the number of its accelerators changed.
//
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_device_make_diff,
// where the order within additions and changes is that of Python's sets; here it
// is that of the report.
func Compare(known, found []Device) Difference {
	return compareDevices(known, found, compareDeployables)
}

// CompareCarefully is [Compare] without its faults: traits are compared as sets,
// so that none is lost and no other value is taken for one, attributes with the
// same key all count, driver_name is changed, and no resource class is deleted.
// A known deployable that lost its class is refused, that is, left as it was. To
// keep the attributes that were made through the API, leave them out of what is
// known.
func CompareCarefully(known, found []Device) Difference {
	return compareDevices(known, found, compareDeployablesCarefully)
}

// compareParts makes the change of one deployable, or refuses it.
type compareParts func(known, found Deployable) (DeployableChange, error)

func compareDevices(known, found []Device, compare compareParts) Difference {
	var d Difference
	foundAt, knownAt := byControlPath(found), byControlPath(known)
	for _, device := range known {
		if _, still := foundAt[device.ControlPath]; !still {
			d.Deleted = append(d.Deleted, device.clone())
		}
	}
	seen := make(map[string]bool)
	for _, device := range found {
		if seen[device.ControlPath] || device.Stub {
			continue
		}
		seen[device.ControlPath] = true
		if before, ok := knownAt[device.ControlPath]; ok {
			d.change(before, device.clone(), compare)
			continue
		}
		d.add(device.clone())
	}
	return d
}

// byControlPath is the first device of each control path.
func byControlPath(devices []Device) map[string]Device {
	first := make(map[string]Device, len(devices))
	for _, device := range devices {
		if _, ok := first[device.ControlPath]; !ok {
			first[device.ControlPath] = device
		}
	}
	return first
}

func (d *Difference) add(device Device) {
	for _, deployable := range device.Deployables {
		if deployable.ResourceClass() == "" {
			d.refuse(device, deployable)
			return
		}
	}
	d.Added = append(d.Added, device)
}

func (d *Difference) refuse(device Device, deployable Deployable) {
	d.Refused = append(d.Refused, Refusal{Device: device.ControlPath, Deployable: deployable.Name, Err: ErrNoClass})
}

// change compares a device that is known with what was found of it.
func (d *Difference) change(known, found Device, compare compareParts) {
	change := DeviceChange{ControlPath: found.ControlPath, Found: found, Fields: deviceFields(known, found)}
	for _, deployable := range known.Deployables {
		if _, still := found.deployable(deployable.Name); !still {
			change.Deleted = append(change.Deleted, deployable.clone())
		}
	}
	for _, deployable := range found.Deployables {
		before, ok := known.deployable(deployable.Name)
		switch {
		case !ok && deployable.ResourceClass() == "":
			d.refuse(found, deployable)
		case !ok:
			change.Added = append(change.Added, deployable)
		default:
			part, err := compare(before, deployable)
			if err != nil {
				d.refuse(found, deployable)
			} else if !part.empty() {
				change.Changed = append(change.Changed, part)
			}
		}
	}
	if !change.empty() {
		d.Changed = append(d.Changed, change)
	}
}

func deviceFields(known, found Device) []string {
	var fields []string
	for _, field := range []struct{ name, known, found string }{
		{"type", known.Type, found.Type},
		{"vendor", known.Vendor, found.Vendor},
		{"model", known.Model, found.Model},
		{"std_board_info", known.StdBoardInfo, found.StdBoardInfo},
		{"vendor_board_info", known.VendorBoardInfo, found.VendorBoardInfo},
	} {
		if field.known != field.found {
			fields = append(fields, field.name)
		}
	}
	return fields
}
