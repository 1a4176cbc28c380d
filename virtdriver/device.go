package virtdriver

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// hostKey names a device of the host: a PCI function or, if mdev is set, a
// mediated device by its uuid.
type hostKey struct {
	address pci.Address
	mdev    string
}

// String gives the address or the uuid.
func (k hostKey) String() string { return cmp.Or(k.mdev, k.address.String()) }

// canonicalUUID wants the one form that Cyborg writes, in either case.
func canonicalUUID(text string) (string, error) {
	const length = len("00000000-0000-0000-0000-000000000000")
	id, err := uuid.Parse(text)
	if err == nil && len(text) != length {
		err = errors.New("want 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12")
	}
	return id.String(), err
}

// mdevKey takes what libvirt takes for a uuid: either case, hyphens or not
// (libvirt: src/util/viruuid.c, virUUIDParse).
func mdevKey(text string) (hostKey, error) {
	id, err := uuid.Parse(strings.ReplaceAll(strings.TrimSpace(text), "-", ""))
	return hostKey{mdev: id.String()}, err
}

// device is the device that one ARQ, or a companion of it, is in the guest.
type device struct {
	arq cyborgclient.ARQ
	key hostKey
	// tag is the element, hostdev or interface, and element its content as
	// libvirtxml has it.
	tag     string
	element any
	// guest is the guest's address when an option names it.
	guest     *guestAddress
	mediated  *MediatedDevice
	mac       string // of an interface
	options   DeviceOptions
	companion bool
}

// rank orders devices as Nova does: ports, then PCI handles, then mediated
// devices.
func (d device) rank() int {
	switch {
	case d.tag == tagInterface:
		return 0
	case d.mediated == nil:
		return 1
	}
	return 2
}

const (
	tagHostdev   = "hostdev"
	tagInterface = "interface"
)

// failure is an error about the ARQ of the device.
func (d device) failure(err error) *ComposeError {
	return &ComposeError{ARQs: []string{d.arq.UUID}, Err: err}
}

// refuseTwins finds two ARQs that hold the same host device, an ARQ that holds two,
// and a mediated device whose parent is given away as a whole.
func refuseTwins(devices []device) error {
	holders := make(map[hostKey]device, len(devices))
	held := make(map[string]hostKey, len(devices))
	for _, d := range devices {
		if first, twice := holders[d.key]; twice {
			return &ComposeError{ARQs: []string{first.arq.UUID, d.arq.UUID}, Err: wrap(ErrAddressTwice, "%s", d.key)}
		}
		holders[d.key] = d
		uuid := strings.ToLower(d.arq.UUID)
		if other, twice := held[uuid]; twice && uuid != "" && !d.companion {
			return d.failure(wrap(ErrARQTwice, "it holds %s and %s", other, d.key))
		}
		if !d.companion {
			held[uuid] = d.key
		}
	}
	for _, d := range devices {
		if d.mediated == nil {
			continue
		}
		if whole, given := holders[hostKey{address: d.mediated.address}]; given {
			return &ComposeError{
				ARQs: []string{whole.arq.UUID, d.arq.UUID},
				Err:  wrap(ErrAddressTwice, "%s, one ARQ has the whole device and the other a mediated device of it", whole.key),
			}
		}
	}
	return nil
}

// refusePresentTwin finds a mediated device whose parent the domain has as a
// whole. (The other way round the domain does not tell: it names no parents.)
func (p *plan) refusePresentTwin(d device) error {
	if d.mediated == nil {
		return nil
	}
	whole, given := p.present[hostKey{address: d.mediated.address}]
	if !given {
		return nil
	}
	return whole.about(d, wrap(ErrAddressTwice, "the domain has the whole device %s and the ARQ a mediated device of it", d.mediated.address))
}

// sortDevices puts the devices in the guest's order.
func sortDevices(devices []device) {
	slices.SortStableFunc(devices, func(a, b device) int { return cmp.Compare(a.rank(), b.rank()) })
}
