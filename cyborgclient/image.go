package cyborgclient

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// What an FPGA is programmed with when an ARQ is bound: a Glance image, or the
// one image that has the function (openstack/cyborg:
// cyborg/objects/extarq/fpga_ext_arq.py). These keys stand in the groups of a
// profile and, by the spec of Nova's support for Cyborg, also among the
// properties of the image that an instance boots from.
const (
	bitstreamKey = "accel:bitstream_id"
	functionKey  = "accel:function_id"
)

// ApplyImage returns the groups of a profile with what the properties of an
// instance's image say about programming. Cyborg itself never sees the image, so
// that a profile has to be made from the result; see DeviceProfileForImage.
//
// The image's accel:bitstream_id or accel:function_id goes into each group that
// asks for FPGAs, since Cyborg programs no others. Image and group may say the
// same. Everything else is ErrImageConflict: both keys, in the image or in a
// group, which Cyborg refuses when it binds; two values of one key; and an image that wants programming for a
// profile without an FPGA. An image without these properties, or with empty
// ones, changes nothing.
func ApplyImage(groups []requestspec.ProfileGroup, properties map[string]string) ([]requestspec.ProfileGroup, error) {
	const op = "apply an image's properties to a device profile"
	key, value, err := programming(properties)
	if err != nil {
		return nil, &Error{Op: op, Err: err}
	}
	applied := make([]requestspec.ProfileGroup, len(groups))
	programmed := false
	for i, group := range groups {
		applied[i] = slices.Clone(group)
		if !wantsFPGA(group) {
			continue
		}
		programmed = true
		if accel(group, bitstreamKey) != "" && accel(group, functionKey) != "" {
			return nil, &Error{Op: op, Err: fmt.Errorf("group %d: %w: it has both %s and %s", i, ErrImageConflict, bitstreamKey, functionKey)}
		}
		if applied[i], err = program(applied[i], key, value); err != nil {
			return nil, &Error{Op: op, Err: fmt.Errorf("group %d: %w", i, err)}
		}
	}
	if key != "" && !programmed {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: the image has %s, and no group asks for an FPGA", ErrImageConflict, key)}
	}
	return applied, nil
}

// programming is the property of an image that says what to program.
func programming(properties map[string]string) (key, value string, err error) {
	bitstream, function := properties[bitstreamKey], properties[functionKey]
	switch {
	case bitstream != "" && function != "":
		return "", "", fmt.Errorf("%w: the image has both %s and %s", ErrImageConflict, bitstreamKey, functionKey)
	case bitstream != "" && !uuidLike(bitstream):
		return "", "", fmt.Errorf("%w: the image's %s %q is no uuid", ErrInvalid, bitstreamKey, bitstream)
	case bitstream != "":
		bitstream, err = canonical(bitstream)
		return bitstreamKey, bitstream, err
	case function != "":
		return functionKey, function, nil
	}
	return "", "", nil
}

// program adds the property to a group, unless the group contradicts.
func program(group requestspec.ProfileGroup, key, value string) (requestspec.ProfileGroup, error) {
	if key == "" {
		return group, nil
	}
	for _, has := range []string{bitstreamKey, functionKey} {
		there := accel(group, has)
		switch {
		case there == "":
		case has != key:
			return nil, fmt.Errorf("%w: it has %s, the image has %s", ErrImageConflict, has, key)
		case there != value && (key != bitstreamKey || !sameUUID(there, value)):
			return nil, fmt.Errorf("%w: its %s is %s, the image's is %s", ErrImageConflict, has, there, value)
		default:
			return group, nil
		}
	}
	return append(group, requestspec.Property{Key: key, Value: value}), nil
}

// accel is the value of a group's property, "" for none.
func accel(group requestspec.ProfileGroup, key string) string {
	for _, property := range group {
		if property.Key == key && property.Value != nil {
			return fmt.Sprint(property.Value)
		}
	}
	return ""
}

// wantsFPGA mirrors how Cyborg chooses the kind of an ARQ: by the group's first
// resource.
func wantsFPGA(group requestspec.ProfileGroup) bool {
	for _, property := range group {
		if class, ok := strings.CutPrefix(property.Key, "resources:"); ok {
			return strings.TrimSpace(class) == "FPGA"
		}
	}
	return false
}

// DeviceProfileForImage returns the profile to make the ARQs of an instance
// from: the one that was given, when the image's properties change nothing (see
// ApplyImage), or one derived from it. A derived profile is created if it is not
// there, which admins may do; its name is the given one's with a hash of the
// combined groups, so that all instances with the same combination share it.
func (c *Client) DeviceProfileForImage(ctx context.Context, profile *DeviceProfile, properties map[string]string) (*DeviceProfile, error) {
	if profile == nil {
		return nil, invalid("derive a profile for an image", "there is no profile")
	}
	op := "derive a profile of " + profile.Name + " for an image"
	groups, err := ApplyImage(profile.Groups, properties)
	if err != nil {
		return nil, err
	}
	digest, err := groupsDigest(groups)
	if err != nil {
		return nil, invalid(op, "%w", err)
	}
	if before, err := groupsDigest(profile.Groups); err == nil && before == digest {
		return profile, nil
	}
	return c.ensureProfile(ctx, op, DeviceProfileCreate{
		Name:        derivedName(profile.Name, digest),
		Description: "made of " + profile.Name + " for an image",
		Groups:      groups,
	})
}

// ensureProfile finds the profile or creates it, also while others do the same.
func (c *Client) ensureProfile(ctx context.Context, op string, create DeviceProfileCreate) (*DeviceProfile, error) {
	found, err := c.DeviceProfileByName(ctx, create.Name)
	if errors.Is(err, ErrNotFound) {
		found, err = c.CreateDeviceProfile(ctx, create)
	}
	if errors.Is(err, ErrExists) {
		found, err = c.DeviceProfileByName(ctx, create.Name)
	}
	if err != nil {
		return nil, err
	}
	want, wantErr := groupsDigest(create.Groups)
	have, haveErr := groupsDigest(found.Groups)
	if err := errors.Join(wantErr, haveErr); err != nil || want != have {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: profile %s has other groups", ErrExists, create.Name)}
	}
	return found, nil
}

// derivedName keeps below the 255 characters that the database takes.
func derivedName(name, digest string) string {
	const most = 255
	suffix := "-" + digest
	return name[:min(len(name), most-len(suffix))] + suffix
}

// groupsDigest is the same for groups that mean the same: numbers come back as
// strings and keys may come back in another order.
func groupsDigest(groups []requestspec.ProfileGroup) (string, error) {
	plain := make([]map[string]string, len(groups))
	for i, group := range groups {
		plain[i] = make(map[string]string, len(group))
		for _, property := range group {
			value, err := propertyText(property.Value)
			if err != nil {
				return "", fmt.Errorf("group %d: key %q: %w", i, property.Key, err)
			}
			plain[i][property.Key] = value
		}
	}
	text, err := json.Marshal(plain)
	return fmt.Sprintf("%x", sha256.Sum256(text))[:12], err
}
