package pciowner

import "errors"

// Nova is what nova.conf says about PCI devices.
type Nova struct {
	// Specs are the entries of [pci]device_spec and its old names, in Nova's
	// order: the first that matches a device counts.
	Specs []DeviceSpec
	// ReportInPlacement is [pci]report_in_placement: Nova makes a provider for
	// each device.
	ReportInPlacement bool
}

// novaOptions are the names of Nova's list (nova/conf/pci.py, device_spec), the
// old ones last.
var novaOptions = []option{{"pci", "device_spec"}, {"pci", "passthrough_whitelist"}, {"DEFAULT", "pci_passthrough_whitelist"}}

// ParseNova reads the files of nova-compute, in the order in which they are given
// to it. The devices are those of its host. Errors are of type [*Error], joined.
func ParseNova(devices []Device, files ...File) (*Nova, error) {
	devices, err := Normalize(devices)
	if err != nil {
		return nil, err
	}
	conf, err := parseConfiguration(files)
	if err != nil {
		return nil, err
	}
	n := &Nova{}
	values, valueErr := substitute(conf.multi(novaOptions...))
	var specErr, flagErr error
	n.Specs, specErr = parseSpecs(values, newHost(devices))
	n.ReportInPlacement, flagErr = conf.flag(option{"pci", "report_in_placement"})
	if err := errors.Join(valueErr, specErr, flagErr); err != nil {
		return nil, err
	}
	return n, n.checkReport()
}

// checkReport refuses entries with devname when Nova reports to Placement
// (nova/compute/pci_placement_translator.py, ensure_no_dev_spec_with_devname), and
// those for one use when it does not (nova/pci/devspec.py, _init_dev_details).
func (n *Nova) checkReport() error {
	var faults []error
	for _, s := range n.Specs {
		switch {
		case n.ReportInPlacement && s.Devname != "":
			faults = append(faults, s.fail("with report_in_placement an entry must not name an interface, it names "+s.Devname))
		case !n.ReportInPlacement && s.Tag(oneTimeUse) == "true":
			faults = append(faults, s.fail("one_time_use needs report_in_placement"))
		}
	}
	return errors.Join(faults...)
}

func (s DeviceSpec) fail(detail string) *Error {
	return &Error{File: s.File, Line: s.Line, Option: s.Option, Err: ErrSpec, Detail: detail}
}

// Spec is the entry that gives Nova a device, nil when there is none.
func (n *Nova) Spec(d Device) *DeviceSpec {
	for i := range n.Specs {
		if n.Specs[i].Matches(d) {
			return &n.Specs[i]
		}
	}
	return nil
}
