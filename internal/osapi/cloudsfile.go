package osapi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// readOptionalEntries is readEntries for a file that need not be there, nor have
// the section.
func readOptionalEntries(path, section string) (map[string]cloudEntry, error) {
	entries, err := readEntries(path, section)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoSection) {
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

// errNoSection says that a file has nothing that could be an entry.
var errNoSection = errors.New("is missing")

func parseEntries(path string, text []byte, section string) (map[string]cloudEntry, error) {
	document, err := parseYAML(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	value, ok := document[section]
	if !ok {
		return nil, fmt.Errorf("%s: the section %q %w", path, section, errNoSection)
	}
	plain, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("%s: line %d: the section %q does not consist of entries", path, lineOf(text, section), section)
	}
	entries := make(map[string]cloudEntry, len(plain))
	for name, entry := range plain {
		keys, ok := entry.(map[string]any)
		if !ok && entry != nil {
			return nil, fmt.Errorf("%s: line %d: an entry of the section %q does not consist of keys and values", path, lineOf(text, section, name), section)
		}
		entries[name] = keys
	}
	return entries, nil
}
