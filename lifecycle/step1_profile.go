package lifecycle

import (
	"context"
	"slices"

	"github.com/novacyborg/novacyborg/requestspec"
)

// readProfiles is step 1: the device profile that the flavor names, then that of each accelerator port, each by one
// GET /v2/device_profiles?name= (nova/accelerator/cyborg.py:get_device_profile_groups).
func (c *creation) readProfiles(ctx context.Context) error {
	c.Spec.Profile, c.Spec.Ports = nil, slices.Clone(c.Spec.Ports)
	if !c.lenient {
		if err := c.Spec.Flavor.CheckDeviceProfile(); err != nil {
			return err
		}
	}
	if name := c.profileName(); name != "" {
		groups, err := c.readProfile(ctx, name)
		if err != nil {
			return err
		}
		c.Spec.Profile = groups
	}
	for i, port := range c.Spec.Ports {
		if !port.Accelerator() {
			continue
		}
		groups, err := c.readProfile(ctx, port.DeviceProfile)
		if err != nil {
			return err
		}
		c.Spec.Ports[i].Groups = groups
	}
	return nil
}

// profileName is the flavor's device profile; Nova, and so lenient mode, knows one spelling of the key only.
func (c *creation) profileName() string {
	if c.lenient {
		return c.Spec.Flavor.ExtraSpecs["accel:device_profile"]
	}
	return c.Spec.Flavor.DeviceProfile()
}

func (c *creation) readProfile(ctx context.Context, name string) ([]requestspec.ProfileGroup, error) {
	profile, err := c.cyborg.DeviceProfileByName(ctx, name)
	if err != nil {
		return nil, err
	}
	snap, err := snapshot(profile)
	if err != nil {
		return nil, err
	}
	c.profiles = append(c.profiles, snap)
	return profile.Groups, nil
}
