package main

import (
	"cmp"
	"embed"
	"fmt"
	"os"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/examples/internal/inputfile"
	"github.com/novacyborg/novacyborg/requestspec"
)

//go:embed flavor.json profile.json domain.xml seed.yaml
var builtin embed.FS

type inputFiles struct{ flavor, profile, domain string }

type input struct {
	flavor requestspec.Flavor
	// profile is nil when it is the cloud's affair.
	profile *cyborgclient.DeviceProfileCreate
	domain  []byte
}

func (f inputFiles) read(cloud string) (input, error) {
	var in input
	content, err := readFile(f.flavor, "flavor.json")
	if err != nil {
		return in, err
	}
	if in.flavor, err = inputfile.Flavor(cmp.Or(f.flavor, "flavor.json"), content); err != nil {
		return in, err
	}
	if in.domain, err = readFile(f.domain, "domain.xml"); err != nil {
		return in, err
	}
	in.profile, err = f.readProfile(in.flavor.DeviceProfile(), cloud)
	return in, err
}

// readProfile reads the profile that the flavor asks for. A file that has another one is a mistake, except the built-in
// file where the cloud or nobody has to have the profile.
func (f inputFiles) readProfile(wanted, cloud string) (*cyborgclient.DeviceProfileCreate, error) {
	content, err := readFile(f.profile, "profile.json")
	if err != nil {
		return nil, err
	}
	profile, err := inputfile.DeviceProfile(cmp.Or(f.profile, "profile.json"), content)
	switch {
	case err != nil:
		return nil, err
	case profile.Name == wanted:
		return &cyborgclient.DeviceProfileCreate{Name: profile.Name, Description: profile.Description, Groups: profile.Groups}, nil
	case f.profile == "" && (cloud != "" || wanted == ""):
		return nil, nil
	case wanted == "":
		return nil, fmt.Errorf("%s asks for no device profile, but %s has %q: put accel:device_profile: %[3]s into the extra_specs",
			cmp.Or(f.flavor, "the built-in flavor.json"), f.profile, profile.Name)
	}
	return nil, fmt.Errorf("%s asks for the device profile %q, but %s has %q: give the file of %[2]q with -profile",
		cmp.Or(f.flavor, "the built-in flavor.json"), wanted, cmp.Or(f.profile, "the built-in profile.json"), profile.Name)
}

// readFile reads the file that the user named, or the one beside this program.
func readFile(path, otherwise string) ([]byte, error) {
	if path == "" {
		return builtin.ReadFile(otherwise)
	}
	return os.ReadFile(path) //nolint:gosec // the user names the file
}
