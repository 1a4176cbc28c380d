package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"os"
	"slices"

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
	flavor, ports, image source
	profileFiles         []source // one for each of profiles
	in                   requestspec.Input
	profiles             []requestspec.Profile
}

// readFiles reads the files that the user named. Without a flavor, flavor and profile are those beside this program.
func readFiles(a arguments) (files, error) {
	read := os.ReadFile
	if a.flavor == "" {
		read, a.flavor, a.profiles = builtin.ReadFile, "flavor.yaml", list{"profile.yaml"}
	}
	var f files
	if err := f.flavor.read(a.flavor, read); err != nil {
		return f, err
	}
	var err error
	if f.in.Flavor, err = inputfile.Flavor(f.flavor.name, f.flavor.content); err != nil {
		return f, err
	}
	for _, name := range a.profiles {
		var file source
		if err := file.read(name, read); err != nil {
			return f, err
		}
		profile, err := inputfile.DeviceProfile(name, file.content)
		if err != nil {
			return f, err
		}
		f.profileFiles, f.profiles = append(f.profileFiles, file), append(f.profiles, profile.Profile)
	}
	return f, f.readPortsAndImage(a)
}

func (f *files) readPortsAndImage(a arguments) error {
	var err error
	if a.ports != "" {
		if err := f.ports.read(a.ports, os.ReadFile); err != nil {
			return err
		}
		if f.in.Ports, err = inputfile.Ports(a.ports, f.ports.content); err != nil {
			return err
		}
	}
	if a.image == "" {
		return nil
	}
	if err := f.image.read(a.image, os.ReadFile); err != nil {
		return err
	}
	f.in.Image, err = inputfile.Image(a.image, f.image.content)
	return err
}

func (s *source) read(name string, read func(string) ([]byte, error)) error {
	content, err := read(name)
	s.name, s.content = name, content
	return err
}

// resolve gives the flavor its profile, and says what to do if that is not the one that was given.
func resolve(a arguments, in requestspec.Input, profiles []requestspec.Profile) (requestspec.Input, error) {
	resolved, err := requestspec.Resolve(in, profiles, a.options()...)
	wanted := in.Flavor.DeviceProfile()
	given := slices.ContainsFunc(profiles, func(p requestspec.Profile) bool { return p.Name == wanted })
	byPort := wanted == "" || given || slices.ContainsFunc(in.Ports, requestspec.Port.Accelerator)
	if !errors.Is(err, requestspec.ErrProfile) || byPort || !a.lenient && in.Flavor.CheckDeviceProfile() != nil {
		return resolved, err
	}
	flavor := cmp.Or(a.flavor, "flavor.yaml")
	if len(profiles) == 0 {
		return resolved, fmt.Errorf("%s asks for the device profile %q: give the file of it with -profile", flavor, wanted)
	}
	return resolved, fmt.Errorf("%s asks for the device profile %q, but %s has %q: give the file of %q with -profile",
		flavor, wanted, a.profiles[0], profiles[0].Name, wanted)
}
