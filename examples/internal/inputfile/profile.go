package inputfile

import (
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Profile is a device profile as people write it.
type Profile struct {
	requestspec.Profile
	Description string
}

// DeviceProfile reads a device profile. The keys of a group keep their order, and amounts may be numbers or texts.
func DeviceProfile(file string, content []byte) (Profile, error) {
	var profile Profile
	r := reader{file: file}
	err := r.read(content, fields{
		"name":        r.text(&profile.Name),
		"description": r.text(&profile.Description),
		"groups": r.list(func(n *yaml.Node, at string) error {
			group := requestspec.ProfileGroup{}
			err := r.pairs(n, at, func(key string, value *yaml.Node, at string) error {
				property := requestspec.Property{Key: key}
				defer func() { group = append(group, property) }()
				return r.scalar(&property.Value)(value, at)
			})
			profile.Groups = append(profile.Groups, group)
			return err
		}),
	})
	return profile, err
}
