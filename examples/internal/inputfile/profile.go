package inputfile

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Profile is a device profile as people write it.
type Profile struct {
	requestspec.Profile
	Description string
}

// DeviceProfile reads a device profile. The keys of a group keep their order, and amounts may be numbers or texts.
// It may be what Cyborg or its command-line client shows: with uuid and times, in a list of one, or as device_profile.
func DeviceProfile(file string, content []byte) (Profile, error) {
	var profile Profile
	r := reader{file: file, open: unwrap, show: "openstack accelerator device profile show NAME -f json", ignored: []string{
		"uuid", "created_at", "updated_at", "links",
	}}
	err := r.read(content, fields{
		"name":        r.text(&profile.Name),
		"description": r.text(&profile.Description),
		"groups":      r.groups(&profile.Groups),
	})
	return profile, err
}

// groups takes the groups of a profile; their keys keep their order.
func (r reader) groups(into *[]requestspec.ProfileGroup) field {
	return r.list(func(n *yaml.Node, at string) error {
		group := requestspec.ProfileGroup{}
		err := r.pairs(n, at, func(key string, value *yaml.Node, at string) error {
			property := requestspec.Property{Key: key}
			defer func() { group = append(group, property) }()
			return r.scalar(&property.Value)(value, at)
		})
		*into = append(*into, group)
		return err
	})
}

// wrappers are the keys that Cyborg and Nova put around the one object that a file is about.
var wrappers = []string{"device_profile", "device_profiles", "flavor"}

// unwrap takes a profile or a flavor out of what the services and their command-line client put around it.
func unwrap(n *yaml.Node) *yaml.Node {
	n = resolve(n)
	for range 2 { // a list in an object, at most; an alias may lead in circles
		switch {
		case n.Kind == yaml.SequenceNode && len(n.Content) == 1:
			n = resolve(n.Content[0])
		case n.Kind == yaml.MappingNode && len(n.Content) == 2 && slices.Contains(wrappers, n.Content[0].Value):
			n = resolve(n.Content[1])
		}
	}
	return n
}
