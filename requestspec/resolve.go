package requestspec

import (
	"errors"
	"slices"
)

// Resolve looks up the device profiles that the ports and the flavor name and fills Ports[].Groups and Profile.
// It returns an [*Error] when a name has no profile or several, and for what else Nova finds wrong with a profile at
// that time; the ports come first. What else strict mode refuses, a bad name of a profile that is there included, is for
// [Build], which tells it all at once. The input is not changed.
func Resolve(in Input, profiles []Profile, opts ...Option) (Input, error) {
	b := &builder{in: in, lenient: newConfig(opts).lenient}
	b.in.Ports = slices.Clone(in.Ports)
	for i := range b.in.Ports {
		if err := b.resolvePort(&b.in.Ports[i], profiles); err != nil {
			return Input{}, err
		}
	}
	name := in.Flavor.DeviceProfile()
	if b.lenient {
		name = in.Flavor.ExtraSpecs[keyDeviceProfile]
	}
	if name == "" {
		return b.in, nil
	}
	groups, err := findProfile(profiles, name)
	if bad := in.Flavor.CheckDeviceProfile(); err != nil && bad != nil && !b.lenient {
		return Input{}, b.refuse(Finding{Where: "flavor", Key: keyDeviceProfile, Value: name, Reason: ErrProfile, Message: bareMessage(bad)})
	}
	if err != nil {
		return Input{}, b.refuse(Finding{Where: "flavor", Key: keyDeviceProfile, Value: name, Reason: ErrProfile, Message: err.Error()})
	}
	b.in.Profile = groups
	return b.in, nil
}

// resolvePort gives a port its groups. It refuses what Nova refuses of the port at that time, before it looks at the
// next one.
func (b *builder) resolvePort(port *Port, profiles []Profile) error {
	if port.ID == "" {
		return nil
	}
	if port.Accelerator() {
		if err := b.resolvePortProfile(port, profiles); err != nil {
			return err
		}
	}
	return b.addPortRequest(*port)
}

func (b *builder) resolvePortProfile(port *Port, profiles []Profile) error {
	if port.DeviceProfile != "" {
		groups, err := findProfile(profiles, port.DeviceProfile)
		if err != nil {
			return b.refuse(Finding{
				Where: "port " + port.ID, Key: "device_profile", Value: port.DeviceProfile,
				Reason: ErrProfile, Message: err.Error(),
			})
		}
		port.Groups = groups
	}
	return b.checkPortProfile(*port)
}

// findProfile mirrors nova/accelerator/cyborg.py:_CyborgClient.get_device_profile_groups.
func findProfile(profiles []Profile, name string) ([]ProfileGroup, error) {
	var found []Profile
	for _, profile := range profiles {
		if profile.Name == name {
			found = append(found, profile)
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.New("there is no device profile of this name")
	case 1:
		return found[0].Groups, nil
	}
	return nil, errors.New("several device profiles have this name")
}
