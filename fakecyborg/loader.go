package fakecyborg

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
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

func (l *loader) loadDevice(path, host string, card Device) error {
	maker, err := driver.Named(card.Driver)
	if err != nil {
		return l.fail(path+".driver", err)
	}
	found, err := maker.Discover(host, card.Card)
	var wrong *driver.Error
	if errors.As(err, &wrong) && wrong.Value != "" {
		path += "." + wrong.Field
	}
	if err != nil {
		return l.fail(path, err)
	}
	if err := l.claim(path, "device on host "+host, found.ControlPath); err != nil {
		return err
	}
	for _, place := range found.Deployables {
		if err := l.claim(path, "deployable", place.Name); err != nil {
			return err
		}
	}
	return l.store.addDevice(host, found)
}

// addDevice stores a device with its deployables, attributes and handles.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_device_make_diff.
func (s *store) addDevice(host string, found driver.Device) error {
	id, err := s.uuids.next()
	if err != nil {
		return err
	}
	card := &device{Device: found, uuid: id, hostname: host, created: now()}
	card.id = s.devices.add(id, card)
	for _, part := range found.Deployables {
		if err := s.addDeployable(card, part); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) addDeployable(card *device, part driver.Deployable) error {
	id, err := s.uuids.next()
	if err != nil {
		return err
	}
	provider := driver.ProviderUUID(part.Name)
	// The second write of the row, with the provider, happens at once.
	place := &deployable{Deployable: part, uuid: id, deviceID: card.id, provider: provider, created: now(), updated: now()}
	for _, h := range part.Handles {
		handleID, err := s.uuids.next()
		if err != nil {
			return err
		}
		place.handles = append(place.handles, &handle{Handle: h, uuid: handleID})
	}
	place.id = s.deployables.add(id, place)
	s.byProvider[provider] = place
	for _, pair := range part.Attributes {
		if err := s.insertAttribute(&attribute{deployableID: place.id, key: pair.Key, value: pair.Value}); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) loadProfile(path string, given DeviceProfile) error {
	name, err := readName(given.Name)
	if err != nil {
		return l.fail(path, seedFault(err))
	}
	if err := l.claim(path+".name", "device profile", name); err != nil {
		return err
	}
	if given.UUID != "" && !looksLikeUUID(given.UUID) {
		return l.fail(path+".uuid", fmt.Errorf("%q is not a uuid", given.UUID))
	}
	p := &profile{name: name, uuid: given.UUID, description: textOrNull(given.Description)}
	for i, group := range given.Groups {
		stored, err := l.loadGroup(fmt.Sprintf("%s.groups[%d]", path, i), group)
		if err != nil {
			return err
		}
		p.groups = append(p.groups, stored)
	}
	if len(p.groups) == 0 {
		return l.fail(path, errors.New("a device profile needs at least one group"))
	}
	if err := l.store.addProfile(p); err != nil {
		return l.fail(path, seedFault(err))
	}
	return nil
}

func (l *loader) loadGroup(path string, group Group) (*object, error) {
	stored := newObject()
	for _, property := range group {
		if _, twice := stored.values[property.Key]; twice {
			return nil, l.fail(path+"."+property.Key, errors.New("the key is there twice"))
		}
		one := newObject()
		one.set(property.Key, property.Value)
		if err := checkGroup(one); err != nil {
			return nil, l.fail(path+"."+property.Key, seedFault(err))
		}
		stored.set(one.keys[0], one.values[one.keys[0]])
	}
	return stored, nil
}

// seedFault is the text of an API fault, without its status.
func seedFault(err error) error {
	var refusal *fault
	if errors.As(err, &refusal) {
		return errors.New(refusal.text)
	}
	return err
}
