package fakecyborg

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// loader puts a seed into an empty store, under the same rules as the API, and
// names the place of what breaks them.
type loader struct {
	store *store
	// place turns a path of keys into what an error shows.
	place func(path string) string
	// made are the attributes that were made through the API, which come behind all others.
	made []*attribute
	// taken maps what must be unique to the path where it was first.
	taken map[string]string
}

func (l *loader) load(seed Seed) error {
	l.taken = make(map[string]string)
	l.store.seed, l.store.place = seed, l.place
	for i, host := range seed.Hosts {
		if err := l.loadHost(fmt.Sprintf("hosts[%d]", i), host); err != nil {
			return err
		}
	}
	for _, made := range l.made {
		if err := l.store.insertAttribute(made); err != nil {
			return err
		}
	}
	if err := l.loadImages(seed.Images); err != nil {
		return err
	}
	if err := l.store.equip(l.store.release, l.store.changed); err != nil {
		return l.fail("hosts", err)
	}
	for i, p := range seed.DeviceProfiles {
		if err := l.loadProfile(fmt.Sprintf("device_profiles[%d]", i), p); err != nil {
			return err
		}
	}
	for i, a := range seed.ARQs {
		if err := l.loadARQ(fmt.Sprintf("accelerator_requests[%d]", i), a); err != nil {
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

// maxProviderName is how many bytes a provider's name may have; Placement counts
// characters, its client is stricter.
const maxProviderName = 200

// claimProvider refuses a resource provider that Placement would refuse.
func (l *loader) claimProvider(path, name, id string) error {
	if len(name) > maxProviderName {
		return l.fail(path, fmt.Errorf("the name of the resource provider has %d bytes, want 1 to %d", len(name), maxProviderName))
	}
	if err := l.claim(path, "resource provider", name); err != nil {
		return err
	}
	return l.claim(path, "uuid of a resource provider", id)
}

func (l *loader) loadHost(path string, host Host) error {
	if strings.TrimSpace(host.Name) == "" {
		return l.fail(path+".name", errors.New("a host needs a name"))
	}
	if err := l.claim(path+".name", "host", host.Name); err != nil {
		return err
	}
	if err := l.checkNode(path+".compute_node", host.ComputeNode); err != nil {
		return err
	}
	if err := l.claimProvider(path+".name", host.Name, host.providerUUID()); err != nil {
		return err
	}
	if host.ProgrammingTime < 0 {
		return l.fail(path+".programming_time", fmt.Errorf("%s, want 0 or more", host.ProgrammingTime))
	}
	for i, card := range host.Devices {
		if err := l.loadDevice(fmt.Sprintf("%s.devices[%d]", path, i), host.Name, card); err != nil {
			return err
		}
	}
	return nil
}

// maxTotal is the greatest total of an inventory that Placement takes.
const maxTotal = 1<<31 - 1

func (l *loader) checkNode(path string, node *ComputeNode) error {
	if node == nil {
		return nil
	}
	if id, err := uuid.Parse(node.UUID); node.UUID != "" && (err != nil || id.String() != node.UUID) {
		return l.fail(path+".uuid", fmt.Errorf("%q is not a uuid with dashes, in lower case", node.UUID))
	}
	for _, amount := range []struct {
		key   string
		value int
	}{{"vcpus", node.VCPUs}, {"memory_mb", node.MemoryMB}, {"disk_gb", node.DiskGB}} {
		if amount.value < 1 || amount.value > maxTotal {
			return l.fail(path+"."+amount.key, fmt.Errorf("%d, want 1 to %d", amount.value, maxTotal))
		}
	}
	return nil
}
