package requestspec

import (
	"fmt"
	"strconv"
)

// Profile is a device profile: its name and its groups in order. The index of a group is part of its
// requester id.
type Profile struct {
	Name   string         `json:"name"`
	Groups []ProfileGroup `json:"groups"`
}

// ProfileGroup is one group of a device profile: a JSON object whose key order is kept when it is read and
// written, because the order decides when a group names a resource class twice: the last one wins.
type ProfileGroup []Property

// Property is one key and value of a device profile group. Value is what JSON gives: a string (what Cyborg sends),
// a json.Number, a bool, nil, or a list or object.
type Property struct {
	Key   string
	Value any
}

// GroupOf makes a profile group of a map, sorted by key.
func GroupOf(properties map[string]string) ProfileGroup {
	group := make(ProfileGroup, 0, len(properties))
	for _, key := range sortedKeys(properties) {
		group = append(group, Property{Key: key, Value: properties[key]})
	}
	return group
}

// RequesterID returns the id of a device profile's group: device_profile_<index><owner>. The owner is the port's
// id for the profile of a port and "" for the profile of the flavor. The id is also the Placement suffix of the
// group. Ids must be built and looked up, never parsed: index and owner are not separated.
// It mirrors nova/accelerator/cyborg.py:get_device_profile_group_requester_id.
func RequesterID(index int, owner string) string {
	return "device_profile_" + strconv.Itoa(index) + owner
}

// CheckProfileName returns an error that wraps [ErrProfile] when no device profile can have the name: Cyborg takes
// letters, digits, hyphens and underscores only (cyborg/api/controllers/v2/device_profiles.py). Ask it before any
// server is called, a placeholder such as <profile_name> then never leaves the machine.
func CheckProfileName(name string) error {
	valid := name != ""
	for i := range len(name) {
		c := name[i]
		valid = valid && (isAlphanumeric(c) || c == '-' || c == '_')
	}
	if valid {
		return nil
	}
	return fmt.Errorf("%w: %q is not a valid profile name: use letters, digits, hyphens and underscores", ErrProfile, name)
}
