package osapi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// accountFromCloud reads the entry as python-openstackclient does: secrets of
// secure.yaml beside clouds.yaml go over it, the profile it names goes below.
func accountFromCloud(name string) (*account, error) {
	path, err := findCloudsFile()
	if err != nil {
		return nil, err
	}
	entries, err := readEntries(path, "clouds")
	if err != nil {
		return nil, err
	}
	entry, ok := entries[name]
	if !ok {
		return nil, fmt.Errorf("%s: there is no cloud %q", path, name)
	}
	dir := filepath.Dir(path)
	secrets, err := readOptionalEntries(filepath.Join(dir, "secure.yaml"), "clouds")
	if err != nil {
		return nil, err
	}
	entry = secrets[name].over(entry)
	if profile := entry.text("profile", "cloud"); profile != "" {
		profiles, err := readOptionalEntries(filepath.Join(dir, "clouds-public.yaml"), "public-clouds")
		if err != nil {
			return nil, err
		}
		entry = entry.over(profiles[profile])
	}
	return newAccount(fmt.Sprintf("%s: cloud %s", path, name), placeFromEnv().over(entry))
}

func findCloudsFile() (string, error) {
	if path := os.Getenv("OS_CLIENT_CONFIG_FILE"); path != "" {
		return path, nil
	}
	var places []string
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		places = append(places, filepath.Join(dir, "openstack"))
	} else if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, ".config", "openstack"))
	}
	for _, dir := range append([]string{"."}, append(places, "/etc/openstack")...) {
		path := filepath.Join(dir, "clouds.yaml")
		if _, err := os.Stat(path); err == nil { //nolint:gosec // the user's own variable names it
			return path, nil
		}
	}
	return "", errors.New("clouds.yaml: found neither in the working directory, nor in ~/.config/openstack, nor in /etc/openstack; OS_CLIENT_CONFIG_FILE may name it")
}

func readOptionalEntries(path, section string) (map[string]cloudEntry, error) {
	entries, err := readEntries(path, section)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

func readEntries(path, section string) (map[string]cloudEntry, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the user's own configuration
	if err != nil {
		return nil, err
	}
	return parseEntries(path, text, section)
}

func parseEntries(path string, text []byte, section string) (map[string]cloudEntry, error) {
	var document map[string]yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, unreadable(path, err)
	}
	node, ok := document[section]
	if !ok {
		return nil, fmt.Errorf("%s: the section %q is missing", path, section)
	}
	var plain map[string]map[string]any // decoded into a cloudEntry, sections would be cloudEntries too
	if err := node.Decode(&plain); err != nil {
		return nil, unreadable(path, err)
	}
	entries := make(map[string]cloudEntry, len(plain))
	for name, entry := range plain {
		entries[name] = entry
	}
	return entries, nil
}

// yamlValue is how the YAML library shows a value in its errors.
var yamlValue = regexp.MustCompile("`[^`]*`?")

// unreadable takes the values out of an error of the YAML library: one may be a
// password in the wrong place.
func unreadable(path string, err error) error {
	return fmt.Errorf("%s: %s", path, yamlValue.ReplaceAllString(err.Error(), "a value"))
}
