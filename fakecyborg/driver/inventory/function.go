package inventory

// Function is one PCI function of a machine.
type Function struct {
	// Line is where it was read, 0 when it is from a directory.
	Line int
	// Address is "0000:3b:00.0", in lower case; wider domains stay as they are.
	Address string
	// Class is the PCI class and subclass, 4 hexadecimal digits: "0302".
	Class string
	// ClassName is the name of the class, as lspci prints it; may be empty.
	ClassName string
	// Vendor and Product are the ids, 4 hexadecimal digits each; may be empty.
	Vendor, Product string
	// Model is what lspci prints between the class and the ids; may be empty.
	Model string
	// KernelDriver is the name of the driver in use; may be empty.
	KernelDriver string
	// Parent is the address of the card that a virtual function belongs to.
	Parent string
	// VFs are the addresses of the virtual functions, in order.
	VFs []string
	// Interfaces are the names of network interfaces.
	Interfaces []string
	// MediatedTypes are the types of mediated devices that it offers.
	MediatedTypes []MediatedType
	// FunctionID and RegionID are those of an FPGA.
	FunctionID, RegionID string
}

// MediatedType is a type of mediated devices.
type MediatedType struct {
	// Type is its id: "nvidia-222".
	Type string
	// Name is its name: "GRID T4-1B".
	Name string
	// Instances is how many there can be, made ones included.
	Instances int
}
