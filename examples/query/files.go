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

// source is a file that was read.
type source struct {
	name    string
	content []byte
}

// files are the files of one run and what they say.
type files struct {
	flavor, profile source
	in              requestspec.Input
	profiles        []requestspec.Profile
}

// readFiles reads the files that the user named. Without a flavor they are those beside this program.
func readFiles(a arguments) (files, error) {
	read := os.ReadFile
	if a.flavor == "" {
		read, a.flavor, a.profile = builtin.ReadFile, "flavor.yaml", "profile.yaml"
	}
	f := files{flavor: source{name: a.flavor}, profile: source{name: a.profile}}
	var err error
	if f.flavor.content, err = read(a.flavor); err != nil {
		return f, err
	}
	if f.in.Flavor, err = inputfile.Flavor(a.flavor, f.flavor.content); err != nil || a.profile == "" {
		return f, err
	}
	if f.profile.content, err = read(a.profile); err != nil {
		return f, err
	}
	profile, err := inputfile.DeviceProfile(a.profile, f.profile.content)
	f.profiles = []requestspec.Profile{profile.Profile}
	return f, err
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
