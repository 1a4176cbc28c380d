package requestspec

import "fmt"

// Flavor is what a request needs to know of a Nova flavor (nova/objects/flavor.py:Flavor).
// Memory and swap are in MiB, disks in GiB.
type Flavor struct {
	Name        string            `json:"name,omitempty"`
	VCPUs       int               `json:"vcpus"`
	MemoryMB    int               `json:"memory_mb"`
	RootGB      int               `json:"root_gb"`
	EphemeralGB int               `json:"ephemeral_gb"`
	SwapMB      int               `json:"swap_mb"`
	ExtraSpecs  map[string]string `json:"extra_specs,omitempty"`
}

// The extra specs that name a device profile: the one Nova reads, and the one of the specification.
const (
	keyDeviceProfile     = "accel:device_profile"
	keyDeviceProfileName = "accel:device_profile_name"
)

// DeviceProfile returns the name of the device profile that the flavor asks for, "" when it asks for none:
// the value of accel:device_profile or, if that is absent, of accel:device_profile_name.
// Nova reads the first key only, and so does [Lenient].
func (f Flavor) DeviceProfile() string {
	if name := f.ExtraSpecs[keyDeviceProfile]; name != "" {
		return name
	}
	return f.ExtraSpecs[keyDeviceProfileName]
}

// CheckDeviceProfile returns an error that wraps [ErrProfile] when the flavor names a device profile that cannot
// exist, or two different ones. Strict [Build] asks the same; ask it before the profile is fetched, so that a bad
// name is no request.
func (f Flavor) CheckDeviceProfile() error {
	first, hasFirst := f.ExtraSpecs[keyDeviceProfile]
	second, hasSecond := f.ExtraSpecs[keyDeviceProfileName]
	switch {
	case hasFirst && hasSecond && first != second:
		return fmt.Errorf("%w: %s is %q, but %s is %q: give one of them, or the same",
			ErrProfile, keyDeviceProfile, first, keyDeviceProfileName, second)
	case hasFirst:
		return CheckProfileName(first)
	case hasSecond:
		return CheckProfileName(second)
	}
	return nil
}
