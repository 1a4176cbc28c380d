// Package pciowner says who owns each PCI device of a host: Nova, by its PCI
// list, or Cyborg, by its drivers, and finds the devices that both claim. A
// device must be given to one of them by configuration, and neither looks at
// the other's; a device that both hand out ends in two guests at once, or
// rather in one, and in an error for the other.
//
// # Use
//
//	nova, err := pciowner.ParseNova(devices, pciowner.File{Name: "nova.conf", Text: text})
//	…
//	cyborg, err := pciowner.ParseCyborg(devices, pciowner.File{Name: "cyborg.conf", Text: text})
//	…
//	report, err := pciowner.Check(pciowner.Input{Host: host, Devices: devices, Nova: nova, Cyborg: cyborg})
//	…
//	for _, finding := range report.Conflicts() { … }
//
// Every source is optional. What the services show counts as well as what their
// files say: deployables and bound ARQs of Cyborg's API, and the providers of
// the host in Placement, where Nova (with report_in_placement) names a device
// host_0000:3B:00.0 and Cyborg host_0000:3b:00.0, so that one device can be there
// twice.
//
// # Nova's list
//
// [ParseNova] reads [pci]device_spec and its old names, [pci]passthrough_whitelist
// and [DEFAULT]pci_passthrough_whitelist, as oslo.config and Nova read them:
// repeated keys, continuation lines, quotes and the $$ of a dollar sign; JSON
// objects and lists of them; addresses as globs with parts left out, or as an
// object of regular expressions; vendor_id, product_id, devname, and tags
// (physical_network, parent_ifname, trusted, managed, remote_managed,
// live_migratable, one_time_use, resource_class, traits). Nova takes any other key for a tag; one that
// resembles a key that is read is a finding. What Nova refuses at its start is an
// [Error] here, with file, line and option; all of them come at once. Regular
// expressions outside of what addresses need (look-around, back references) are
// refused too, see [ErrRegexp].
//
// Nova asks the host while it reads its list: which interface belongs to which
// device, and which device can have virtual functions. That is why [ParseNova]
// takes the devices.
//
// # Cyborg's claims
//
// [ParseCyborg] reads [agent]enabled_drivers, [pci]passthrough_whitelist of the
// generic driver, and [gpu_devices] with the [vgpu_…] sections. What a driver
// takes of a host is what its discovery looks for.
//
// # Counterparts
//
//	ParseNova     nova/pci/whitelist.py, nova/pci/devspec.py, nova/conf/pci.py
//	ParseCyborg   cyborg/conf/devices.py, cyborg/accelerator/drivers/
//	Check         nova/compute/pci_placement_translator.py for the providers' names
package pciowner
