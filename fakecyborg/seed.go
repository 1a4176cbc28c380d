package fakecyborg

import (
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// Seed is what a server holds when it starts. See the package documentation for
// the YAML form.
type Seed struct {
	// Hosts are the compute hosts with their devices.
	Hosts []Host
	// DeviceProfiles exist from the start.
	DeviceProfiles []DeviceProfile
	// ARQs are accelerator requests that exist from the start.
	ARQs []ARQ
	// Images are the bitstreams of the image service; nil when there is none, see
	// [WithImages].
	Images driver.Images
	// Faults are rules that are in force from the start.
	Faults []faults.Rule
}

// Host is a compute host.
type Host struct {
	// Name is the host's name in devices, and the name of its resource provider:
	// 1 to 200 bytes.
	Name string
	// ComputeNode makes the fake report the host's own resource provider first,
	// as nova-compute would; nil when a real nova-compute, or somebody else, does it.
	ComputeNode *ComputeNode
	// ProgrammingTime is how long it takes to load an image into a device.
	ProgrammingTime time.Duration
	// Devices are the host's cards.
	Devices []Device
}

// ComputeNode is the inventory of a host's own resource provider.
type ComputeNode struct {
	// UUID is the provider's id, with dashes and in lower case as Placement wants
	// it; empty for version 5 of the host's name in the DNS namespace.
	UUID string
	// VCPUs is the number of virtual processors. It and the other amounts are 1
	// to 2147483647, what Placement takes.
	VCPUs int
	// MemoryMB is the memory in MiB.
	MemoryMB int
	// DiskGB is the disk in GiB.
	DiskGB int
}

// Device is a card of a host.
type Device struct {
	// Driver is the name of the driver that reports it, see [driver.Named].
	Driver string
	// Card is what the driver reads.
	driver.Card
	// Disabled devices have the status "maintaining".
	Disabled bool
	// Broken devices are there but cannot be used, see [driver.Machine.Break].
	Broken bool
	// Vanished devices are not there any more, which Cyborg has not noticed.
	Vanished bool
	// Bitstream is the id of the image that was loaded by a bind, "" for none.
	Bitstream string
	// Attributes are those that were made through the API.
	Attributes []Attribute
}

// Attribute is an attribute of a deployable that was made through the API.
type Attribute struct {
	// Deployable is the number of the deployable in the device, counted from 1; 0
	// is the first.
	Deployable int
	// Key is its key.
	Key string
	// Value is its value.
	Value string
}

// DeviceProfile is a device profile of the seed.
type DeviceProfile struct {
	// Name of the profile.
	Name string
	// UUID is random when empty.
	UUID string
	// Description may be empty.
	Description string
	// Groups are the request groups; the order of groups and keys is kept.
	Groups []Group
}

// Group is one request group of a device profile, in order.
type Group []Property

// Property is one key of a group, such as "resources:FPGA", with its value.
type Property struct {
	// Key starts with "resources:", "trait:" or "accel:".
	Key string
	// Value is an amount, "required", "forbidden" or free text.
	Value string
	// Null takes the place of the value: Cyborg stores such a key that starts with
	// "accel:", and then trips over it.
	Null bool
}

// SeedError says what is wrong in a seed and where. It unwraps to the reason.
type SeedError struct {
	// Place is file and line, and the path of keys, where there is one:
	// "seed.yaml:7: hosts[0].devices[1].driver".
	Place string
	// Err is the reason.
	Err error
}

// Error names the place and the reason, in one line whatever the seed holds.
func (e *SeedError) Error() string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(e.Place + ": " + e.Err.Error())
}

// Unwrap returns the reason.
func (e *SeedError) Unwrap() error { return e.Err }
