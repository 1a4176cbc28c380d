package driver

import (
	"strconv"
	"strings"
)

// Card is what the operator of the fake says about one card. Which fields a
// driver reads, and their defaults, is in the package documentation; a field
// that the driver does not read must be empty. Each field's key in seeds is its
// name in lower case with underscores.
type Card struct {
	// Address is the PCI address as lspci -D prints it: "0000:3b:00.0".
	Address string
	// VendorID is the PCI vendor id, four hexadecimal digits.
	VendorID string
	// ProductID is the PCI device id, four hexadecimal digits.
	ProductID string
	// Model is the text in the device's model field: what lspci prints between
	// the class and the ids.
	Model string
	// Controller is the name of the PCI class, as lspci prints it.
	Controller string
	// FunctionID is the id of the accelerator function loaded into an FPGA.
	FunctionID string
	// RegionID is the id of the reconfigurable region of an FPGA.
	RegionID string
	// VFs is the number of virtual functions when they have the addresses that
	// follow the card's; 0 when SR-IOV is off.
	VFs int
	// VFAddresses are the addresses of the virtual functions where they do not
	// follow the card's.
	VFAddresses []string
	// UserAddress is the address of the user function of a Xilinx card; empty
	// for the function after the card's, "none" when there is none.
	UserAddress string
	// PhysicalNetwork is the network that a NIC is connected to.
	PhysicalNetwork string
	// FunctionName is the name of what a NIC does, as cyborg.conf gives it.
	FunctionName string
	// VGPUType is the type of mediated devices: "nvidia-222".
	VGPUType string
	// VGPUName is the name of that type: "GRID T4-1B".
	VGPUName string
	// VGPUs is how many of them the card can have.
	VGPUs int
	// ResourceClass is the class of an AI chip, for which Cyborg reports none.
	ResourceClass string
}

// cardField is a field by its key, with its value as text, "" when not set.
type cardField struct{ key, value string }

// fields are all fields of the card.
func (c Card) fields() []cardField {
	return []cardField{
		{"address", c.Address},
		{"vendor_id", c.VendorID},
		{"product_id", c.ProductID},
		{"model", c.Model},
		{"controller", c.Controller},
		{"function_id", c.FunctionID},
		{"region_id", c.RegionID},
		{"vfs", number(c.VFs)},
		{"vf_addresses", strings.Join(c.VFAddresses, ", ")},
		{"user_address", c.UserAddress},
		{"physical_network", c.PhysicalNetwork},
		{"function_name", c.FunctionName},
		{"vgpu_type", c.VGPUType},
		{"vgpu_name", c.VGPUName},
		{"vgpus", number(c.VGPUs)},
		{"resource_class", c.ResourceClass},
	}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
