package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"os"

	"github.com/novacyborg/novacyborg/examples/internal/inputfile"
	"github.com/novacyborg/novacyborg/requestspec"
)

//go:embed flavor.yaml profile.yaml
var builtin embed.FS

// readFiles reads the files that the user named. Without a flavor they are those beside this program.
func readFiles(a arguments) (requestspec.Input, []requestspec.Profile, error) {
	read := os.ReadFile
	if a.flavor == "" {
		read, a.flavor, a.profile = builtin.ReadFile, "flavor.yaml", "profile.yaml"
	}
	var in requestspec.Input
	content, err := read(a.flavor)
	if err != nil {
		return in, nil, err
	}
	if in.Flavor, err = inputfile.Flavor(a.flavor, content); err != nil || a.profile == "" {
		return in, nil, err
	}
	if content, err = read(a.profile); err != nil {
		return in, nil, err
	}
	profile, err := inputfile.DeviceProfile(a.profile, content)
	return in, []requestspec.Profile{profile.Profile}, err
}

// resolve gives the flavor its profile, and says what to do if that is not the one that was given.
func resolve(a arguments, in requestspec.Input, profiles []requestspec.Profile) (requestspec.Input, error) {
	resolved, err := requestspec.Resolve(in, profiles, a.options()...)
	if !errors.Is(err, requestspec.ErrProfile) || !a.lenient && in.Flavor.CheckDeviceProfile() != nil {
		return resolved, err
	}
	wanted, flavor := in.Flavor.DeviceProfile(), cmp.Or(a.flavor, "flavor.yaml")
	if len(profiles) == 0 {
		return resolved, fmt.Errorf("%s asks for the device profile %q: give the file of it with -profile", flavor, wanted)
	}
	return resolved, fmt.Errorf("%s asks for the device profile %q, but %s has %q: give the file of %q with -profile",
		flavor, wanted, cmp.Or(a.profile, "profile.yaml"), profiles[0].Name, wanted)
}
