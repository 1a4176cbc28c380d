package driver

// Driver makes the report of one kind of card.
// It mirrors the discover method of cyborg/accelerator/drivers/driver.py:GenericDriver.
type Driver interface {
	// Discover describes the card of a host. Errors are of type [*Error] and
	// name the field of the card that is wrong.
	Discover(host string, card Card) (Device, error)
}

// Card is what the operator of the fake says about one card. Which fields a
// driver reads, and their defaults, is in the package documentation; a field
// that the driver does not know must be empty.
type Card struct {
	// Address is the PCI address as lspci -D prints it: "0000:3b:00.0".
	Address string
	// ProductID is the PCI device id, four hexadecimal digits.
	ProductID string
	// Model is the text in the device's model field.
	Model string
	// FunctionID is the id of the accelerator function loaded into an FPGA.
	FunctionID string
	// RegionID is the id of the reconfigurable region of an FPGA.
	RegionID string
	// VFs is the number of virtual functions, 0 when SR-IOV is off.
	VFs int
}

// Device is one card as Cyborg's API shows it under /v2/devices.
// It mirrors cyborg/objects/driver_objects/driver_device.py:DriverDevice.
type Device struct {
	// Type is FPGA, GPU, and so on.
	Type string
	// Vendor is the vendor id in the spelling of the driver: "0x8086", "10de".
	Vendor string
	// Model is free text.
	Model string
	// StdBoardInfo is JSON in a string.
	StdBoardInfo string
	// VendorBoardInfo is text, sometimes JSON.
	VendorBoardInfo string
	// ControlPath is the PCI address by which Cyborg recognises the device.
	ControlPath string
	// Deployables are the parts that can be given to instances.
	Deployables []Deployable
}

// Deployable is one resource provider's worth of accelerators.
// It mirrors cyborg/objects/driver_objects/driver_deployable.py:DriverDeployable.
type Deployable struct {
	// Name is unique in the whole cloud; the provider's UUID is made of it.
	Name string
	// Driver is the driver_name field.
	Driver string
	// Attributes hold the resource class (key "rc") and the traits (keys that
	// start with "trait"), in the order in which they are stored.
	Attributes []Pair
	// Handles are the accelerators, in the order in which they are given out.
	Handles []Handle
}

// Handle is one accelerator that can be attached to a guest.
type Handle struct {
	// Type is PCI or TEST_PCI.
	Type string
	// Info is the attach_handle_info, in its order on the wire.
	Info []Pair
}

// Pair is one member of an ordered object of strings.
type Pair struct {
	// Key is the member's name.
	Key string
	// Value is the member's text.
	Value string
}

// ResourceClass is the class under which the deployable's accelerators are
// counted in Placement, "" when the driver gave none.
func (d Deployable) ResourceClass() string {
	for _, attribute := range d.Attributes {
		if attribute.Key == "rc" {
			return attribute.Value
		}
	}
	return ""
}
