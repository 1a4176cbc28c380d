package virtdriver

import (
	"slices"
	"strings"

	"github.com/beevik/etree"
)

// succession is a device that the domain has, and the one that takes its place;
// nil when none does.
type succession struct {
	device

	had  hostDevice
	next *device
}

// successions decides which of the devices that come take the places of those
// that leave: that of the same ARQ first, then one of the same group of a device
// profile, then any, in order; interfaces by their MAC address alone, and
// companions with their devices. What the domain has already and keeps needs no
// place.
func (p *plan) successions(leaving, coming []device) []succession {
	all := make([]succession, len(leaving))
	for i, d := range leaving {
		all[i] = succession{device: d, had: p.present[d.key]}
	}
	free := slices.DeleteFunc(slices.Clone(coming), func(next device) bool {
		_, present := p.present[next.key]
		return present && !slices.ContainsFunc(leaving, func(d device) bool { return d.key == next.key })
	})
	heirs := make(map[string]string) // by the uuid of an ARQ that of the one after it
	for _, fits := range []func(d, next device) bool{
		device.sameARQ,
		device.sameGroup,
		func(d, _ device) bool { return !d.companion },
		func(d, next device) bool { return d.companion && heirs[d.arq.UUID] == next.arq.UUID },
	} {
		for i := range all {
			s := &all[i]
			at := slices.IndexFunc(free, func(next device) bool { return s.next == nil && s.takes(next) && fits(s.device, next) })
			if at < 0 {
				continue
			}
			next := free[at]
			s.next, heirs[s.arq.UUID] = &next, next.arq.UUID
			free = slices.Delete(free, at, at+1)
		}
	}
	return all
}

// takes tells whether a device can have the place: it must be of the same kind.
func (s succession) takes(next device) bool {
	return next.tag == s.had.name && (next.mediated == nil) == (s.mediated == nil) && next.companion == s.companion &&
		(next.tag != tagInterface || strings.EqualFold(macOf(s.had.element), next.mac))
}

func macOf(element *etree.Element) string { return attribute(firstChild(element, "mac"), "address") }

func (d device) sameARQ(other device) bool { return strings.EqualFold(d.arq.UUID, other.arq.UUID) }

func (d device) sameGroup(other device) bool {
	return !d.companion && d.arq.DeviceProfileName == other.arq.DeviceProfileName && d.arq.DeviceProfileGroupID == other.arq.DeviceProfileGroupID
}
