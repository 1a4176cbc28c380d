package driver

// Difference is what a report changes in what is known of a host's devices.
// [Compare] and [CompareCarefully] make it, [Difference.Apply] carries it out on
// a list of devices. Deletions come first, then additions, then changes.
type Difference struct {
	// Deleted are known devices that were not found any more. Their providers go,
	// and then all that belongs to them, up to the first handle that is in use.
	Deleted []Device
	// Added are new devices.
	Added []Device
	// Changed are known devices that were found different.
	Changed []DeviceChange
	// Refused are devices and deployables that cannot be reported to Placement;
	// they are not kept.
	Refused []Refusal
}

// Refusal says what was not kept.
type Refusal struct {
	// Device is the control path.
	Device string
	// Deployable is the name of the one that is refused.
	Deployable string
	// Err is the reason, of [ErrNoClass].
	Err error
}

// DeviceChange is what is different in a device.
type DeviceChange struct {
	// ControlPath is the device's.
	ControlPath string
	// Found is the device as it was found; its own fields are to be stored.
	Found Device
	// Fields are those of the device's own fields that differ, by the names of
	// the API: "type", "vendor", "model", "std_board_info", "vendor_board_info".
	Fields []string
	// Deleted are deployables that were not found any more.
	Deleted []Deployable
	// Added are new deployables.
	Added []Deployable
	// Changed are known deployables that were found different.
	Changed []DeployableChange
}

// DeployableChange is what is different in a deployable.
type DeployableChange struct {
	// Name is the deployable's.
	Name string
	// Found is the deployable as it was found.
	Found Deployable
	// Fields are those of "num_accelerators" and "driver_name" that are to be
	// stored.
	Fields []string
	// Attributes are the changes of single attributes, in order.
	Attributes []AttributeChange
	// Deleted are handles that were not found any more; those in use cannot go.
	Deleted []Handle
	// Added are new handles.
	Added []Handle
	// Retyped are known handles that were found with another type.
	Retyped []Handle
	// Steps are what is to be done to the deployable's provider, in order.
	Steps []Step
}

// AttributeChange deletes, adds or changes one attribute.
type AttributeChange struct {
	// Old is the attribute that goes, nil when it is new.
	Old *Pair
	// New is the attribute that comes, nil when it was deleted. Where both are
	// given, the row stays and gets another value.
	New *Pair
}

// StepKind is what a [Step] does.
type StepKind string

// The kinds of steps.
const (
	// StepInventory replaces the provider's inventory by one of class Name with
	// total and max_unit Total.
	StepInventory StepKind = "inventory"
	// StepRemoveTrait takes the trait Name from the provider, and then deletes
	// the trait itself, which fails where another provider has it or it is a
	// standard one.
	StepRemoveTrait StepKind = "remove trait"
	// StepAddTrait makes the trait Name, if it is new, and puts it on the provider.
	StepAddTrait StepKind = "add trait"
	// StepDeleteClass deletes the resource class Name, which fails where it is
	// in use or a standard one.
	StepDeleteClass StepKind = "delete resource class"
)

// Step is one change of a provider in Placement.
type Step struct {
	// Kind is what to do.
	Kind StepKind
	// Name is the trait or the resource class.
	Name string
	// Total is the inventory's.
	Total int
}

// Empty says whether there is nothing to do.
func (d Difference) Empty() bool {
	return len(d.Deleted)+len(d.Added)+len(d.Changed) == 0
}

func (c DeviceChange) empty() bool {
	return len(c.Fields)+len(c.Deleted)+len(c.Added)+len(c.Changed) == 0
}

func (c DeployableChange) empty() bool {
	return len(c.Fields)+len(c.Attributes)+len(c.Deleted)+len(c.Added)+len(c.Retyped)+len(c.Steps) == 0
}
