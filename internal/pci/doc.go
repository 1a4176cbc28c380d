// Package pci reads, prints and compares the addresses of PCI functions.
//
// The same address is written in many ways along the flow: Cyborg's attach
// handles carry four separate hexadecimal fields that may or may not be padded
// or prefixed ("0", "0000", "0x0000"), Nova joins them without padding, lspci
// and sysfs print "0000:3b:00.0", and libvirt's XML writes each field as an
// attribute. [Parse] takes the four fields, [ParseAddress] takes the joined
// text; both give an [Address], whose zero-padded String is the one spelling
// that sysfs, lspci and libvirt's node device names agree on. Addresses are
// plain comparable values, so == is numeric equality.
//
// Parsing is strict. Nova prints whatever a handle holds
// (nova/virt/libvirt/driver.py, _guest_add_accel_pci_devices), so a value out
// of range shows only when the guest starts; here it is an [Error] that names
// the field.
package pci
