package fakecyborg

import (
	"errors"
	"fmt"
)

// loader puts a seed into an empty store, under the same rules as the API, and
// names the place of what breaks them.
type loader struct {
	store *store
	// place turns a path of keys into what an error shows.
	place func(path string) string
	// taken maps what must be unique to the path where it was first.
	taken map[string]string
}

func (l *loader) load(seed Seed) error {
	l.taken = make(map[string]string)
	for i, host := range seed.Hosts {
		if err := l.loadHost(fmt.Sprintf("hosts[%d]", i), host); err != nil {
			return err
		}
	}
	for i, p := range seed.DeviceProfiles {
		if err := l.loadProfile(fmt.Sprintf("device_profiles[%d]", i), p); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) fail(path string, err error) error {
	return &SeedError{Place: l.place(path), Err: err}
}

// claim refuses a second use of what must be unique.
func (l *loader) claim(path, what, value string) error {
	key := what + "\x00" + sameKey(value)
	if first, taken := l.taken[key]; taken {
		return l.fail(path, fmt.Errorf("%s %q is already at %s", what, value, l.place(first)))
	}
	l.taken[key] = path
	return nil
}

func (l *loader) loadHost(path string, host Host) error {
	if host.Name == "" {
		return l.fail(path, errors.New("a host needs a name"))
	}
	if err := l.claim(path+".name", "host", host.Name); err != nil {
		return err
	}
	if node := host.ComputeNode; node != nil {
		if err := l.checkNode(path+".compute_node", *node); err != nil {
			return err
		}
	}
	for i, card := range host.Devices {
		if err := l.loadDevice(fmt.Sprintf("%s.devices[%d]", path, i), host.Name, card); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) checkNode(path string, node ComputeNode) error {
	if node.UUID != "" && !looksLikeUUID(node.UUID) {
		return l.fail(path+".uuid", fmt.Errorf("%q is not a uuid", node.UUID))
	}
	for _, amount := range []struct {
		key   string
		value int
	}{{"vcpus", node.VCPUs}, {"memory_mb", node.MemoryMB}, {"disk_gb", node.DiskGB}} {
		if amount.value < 1 {
			return l.fail(path, fmt.Errorf("%s is %d, want at least 1", amount.key, amount.value))
		}
	}
	return nil
}
