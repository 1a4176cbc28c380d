package driver

import (
	"fmt"
	"slices"
	"strings"
)

// Device is one card as Cyborg's API shows it under /v2/devices.
// It mirrors cyborg/objects/driver_objects/driver_device.py:DriverDevice.
type Device struct {
	// Type is FPGA, GPU, AICHIP, QAT, NIC or SSD.
	Type string
	// Vendor is the vendor id in the spelling of the driver: "0x8086", "10de".
	Vendor string
	// Model is free text.
	Model string
	// StdBoardInfo is JSON in a string.
	StdBoardInfo string
	// VendorBoardInfo is text, sometimes JSON.
	VendorBoardInfo string
	// ControlPath is the PCI address by which Cyborg recognises the device. It
	// is unique on the host.
	ControlPath string
	// Stub says that the card is there but cannot be used, as an FPGA without
	// its kernel driver. A report that has it leaves what is known of it alone.
	Stub bool
	// Deployables are the parts that can be given to instances.
	Deployables []Deployable
}

// CheckReport returns an error of [ErrNoClass] for a device with a deployable
// that has no resource class: Cyborg cannot report it to Placement and takes the
// whole device out of its tables again, at each report anew.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_device_make_diff.
func (d Device) CheckReport() error {
	for _, deployable := range d.Deployables {
		if deployable.ResourceClass() == "" {
			return fmt.Errorf("report device %s: deployable %s: %w", d.ControlPath, deployable.Name, ErrNoClass)
		}
	}
	return nil
}

// Deployable is one resource provider's worth of accelerators.
// It mirrors cyborg/objects/driver_objects/driver_deployable.py:DriverDeployable.
type Deployable struct {
	// Name is unique in the whole cloud; the provider's UUID is made of it, see
	// [ProviderUUID].
	Name string
	// Driver is the driver_name field.
	Driver string
	// Accelerators is the num_accelerators field where it differs from the
	// number of handles, as for a Xilinx card, whose two functions are one
	// accelerator; 0 when it does not.
	Accelerators int
	// Attributes hold the resource class (key "rc") and the traits (keys that
	// start with "trait"), in the order in which they are stored.
	Attributes []Pair
	// Handles are the accelerators, in the order in which they are given out.
	Handles []Handle
}

// Handle is one accelerator that can be attached to a guest.
type Handle struct {
	// Type is [HandlePCI], [HandleMDEV] or [HandleTestPCI].
	Type string
	// Info is the attach_handle_info, in its order on the wire.
	Info []Pair
}

// The types of handles.
// They mirror cyborg/common/constants.py:ATTACH_HANDLE_TYPES.
const (
	// HandlePCI is a PCI function.
	HandlePCI = "PCI"
	// HandleMDEV is a mediated device, made when it is attached.
	HandleMDEV = "MDEV"
	// HandleTestPCI has no device behind it; Nova never attaches it.
	HandleTestPCI = "TEST_PCI"
)

// Pair is one member of an ordered object of strings.
type Pair struct {
	// Key is the member's name.
	Key string
	// Value is the member's text.
	Value string
}

// NumAccelerators is the total of the deployable's inventory in Placement.
func (d Deployable) NumAccelerators() int {
	if d.Accelerators > 0 {
		return d.Accelerators
	}
	return len(d.Handles)
}

// ResourceClass is the class under which the deployable's accelerators are
// counted in Placement, "" when the driver gave none.
func (d Deployable) ResourceClass() string {
	for _, attribute := range d.Attributes {
		if attribute.Key == classKey {
			return attribute.Value
		}
	}
	return ""
}

// Traits are the values of the attributes that are traits, in order, each once.
func (d Deployable) Traits() []string {
	var traits []string
	for _, attribute := range d.Attributes {
		if strings.HasPrefix(attribute.Key, traitKey) && !slices.Contains(traits, attribute.Value) {
			traits = append(traits, attribute.Value)
		}
	}
	return traits
}

const (
	// classKey is the attribute that holds the resource class.
	classKey = "rc"
	// traitKey is what the keys of traits start with.
	traitKey = "trait"
)
