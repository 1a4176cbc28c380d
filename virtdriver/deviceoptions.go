package virtdriver

import (
	"regexp"
	"strings"

	"libvirt.org/go/libvirtxml"
)

// DeviceOptions are what a device of the guest can say in addition. What is
// left out is left to libvirt. Nova sets none of them.
type DeviceOptions struct {
	// Managed overrides what the domain's type says about PCI devices: true lets
	// libvirt take the device from its host driver and give it back.
	Managed *bool `json:"managed,omitempty"`
	// Driver is how the hypervisor drives a PCI device: "vfio" or "xen".
	Driver string `json:"driver,omitempty"`
	// DriverModel is the host's kernel driver for a PCI device in the place of
	// vfio-pci, such as "mlx5_vfio_pci" (libvirt 10.0 and later).
	DriverModel string `json:"driver_model,omitempty"`
	// IOMMUFD lets a PCI device use iommufd (libvirt 12.0 and later).
	IOMMUFD *bool `json:"iommufd,omitempty"`
	// ROMBar says whether the guest sees the device's ROM.
	ROMBar *bool `json:"rom_bar,omitempty"`
	// ROMFile is the absolute path of a ROM image that is used instead.
	ROMFile string `json:"rom_file,omitempty"`
	// BootOrder is the place of a PCI device in the boot order, from 1.
	BootOrder uint `json:"boot_order,omitempty"`
	// GuestAddress is the PCI address in the guest, such as "0000:05:00.0".
	GuestAddress string `json:"guest_address,omitempty"`
	// Alias names the device; libvirt keeps only aliases that start with "ua-".
	Alias string `json:"alias,omitempty"`
	// Display gives the console of a mediated device to the domain's graphics.
	Display *bool `json:"display,omitempty"`
	// RAMFB gives the console also before the guest's driver runs; it needs
	// Display.
	RAMFB *bool `json:"ramfb,omitempty"`
	// TeamingWith is the alias of the interface for which a network function is
	// the fast path that goes away during migration.
	TeamingWith string `json:"teaming_with,omitempty"`
}

// aliasName is what libvirt takes for an alias of the user's
// (libvirt: src/conf/domain_conf.c, virDomainDeviceAliasIsUserAlias).
var aliasName = regexp.MustCompile(`^ua-[a-zA-Z0-9_-]+$`)

// apply writes the options into a hostdev.
func (o DeviceOptions) apply(d *device, hostdev *libvirtxml.DomainHostdev) error {
	if o == (DeviceOptions{}) { // mostly
		return nil
	}
	if err := o.check(d); err != nil {
		return err
	}
	return o.write(d, hostdev)
}

func (o DeviceOptions) write(d *device, hostdev *libvirtxml.DomainHostdev) error {
	if o.GuestAddress != "" {
		address, err := parseGuestAddress(o.GuestAddress)
		if err != nil {
			return wrap(ErrOption, "guest_address: %w", err)
		}
		d.guest = &address
	}
	if o.BootOrder > 0 {
		hostdev.Boot = &libvirtxml.DomainDeviceBoot{Order: o.BootOrder}
	}
	if o.Alias != "" {
		hostdev.Alias = &libvirtxml.DomainAlias{Name: o.Alias}
	}
	if o.ROMBar != nil || o.ROMFile != "" {
		hostdev.ROM = &libvirtxml.DomainROM{Bar: onOff(o.ROMBar)}
		if o.ROMFile != "" {
			hostdev.ROM.File = &o.ROMFile
		}
	}
	if hostdev.SubsysMDev != nil {
		hostdev.SubsysMDev.Display, hostdev.SubsysMDev.RamFB = onOff(o.Display), onOff(o.RAMFB)
		return nil
	}
	o.applyPCI(hostdev)
	return nil
}

func (o DeviceOptions) applyPCI(hostdev *libvirtxml.DomainHostdev) {
	if o.Managed != nil {
		hostdev.Managed = yesNo(o.Managed)
	}
	if o.Driver+o.DriverModel != "" || o.IOMMUFD != nil {
		hostdev.SubsysPCI.Driver = &libvirtxml.DomainHostdevSubsysPCIDriver{Name: o.Driver, Model: o.DriverModel, IommuFD: yesNo(o.IOMMUFD)}
	}
	if o.TeamingWith != "" {
		hostdev.SubsysPCI.Teaming = &libvirtxml.DomainInterfaceTeaming{Type: "transient", Persistent: o.TeamingWith}
	}
}

// check finds options of the other kind of device, and values that libvirt does
// not take.
func (o DeviceOptions) check(d *device) error {
	mediatedOnly := DeviceOptions{Display: o.Display, RAMFB: o.RAMFB}
	pciOnly := DeviceOptions{
		Managed: o.Managed, Driver: o.Driver, DriverModel: o.DriverModel, IOMMUFD: o.IOMMUFD, BootOrder: o.BootOrder, TeamingWith: o.TeamingWith,
	}
	switch {
	case d.mediated != nil && pciOnly != DeviceOptions{}:
		return wrap(ErrOption, "managed, driver, driver_model, iommufd, boot_order and teaming_with are for PCI devices")
	case d.mediated == nil && mediatedOnly != DeviceOptions{}:
		return wrap(ErrOption, "display and ramfb are for mediated devices")
	}
	if !isPrintable(o.ROMFile + o.DriverModel + o.TeamingWith) {
		return wrap(ErrOption, "rom_file %q, driver_model %q or teaming_with %q has control characters", o.ROMFile, o.DriverModel, o.TeamingWith)
	}
	return o.checkValues()
}

func (o DeviceOptions) checkValues() error {
	switch {
	case o.Driver != "" && o.Driver != "vfio" && o.Driver != "xen":
		return wrap(ErrOption, "driver %q, want vfio or xen", o.Driver)
	case o.Alias != "" && !aliasName.MatchString(o.Alias):
		return wrap(ErrOption, "alias %q, want ua- and then letters, digits, _ or -", o.Alias)
	case o.ROMFile != "" && !strings.HasPrefix(o.ROMFile, "/"):
		return wrap(ErrOption, "rom_file %q is no absolute path", o.ROMFile)
	case o.ROMFile != "" && onOff(o.ROMBar) == "off":
		return wrap(ErrOption, "rom_file needs rom_bar")
	case isTrue(o.RAMFB) && !isTrue(o.Display):
		return wrap(ErrOption, "ramfb needs display")
	}
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }

func onOff(b *bool) string { return word(b, "on", "off") }

func yesNo(b *bool) string { return word(b, "yes", "no") }

func word(b *bool, yes, no string) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return yes
	}
	return no
}
