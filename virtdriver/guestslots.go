package virtdriver

import (
	"slices"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// guestSlots is who has which address of the guest.
type guestSlots struct {
	taken map[pci.Address]string
	// functionZero tells of slots whether function 0 is taken, without which the
	// guest does not see the others.
	functionZero map[pci.Address]bool
}

// take gives an address to somebody.
func (s guestSlots) take(at guestAddress, who string) error {
	if other, twice := s.taken[at.Address]; twice {
		return wrap(ErrGuestAddress, "%s has %s", at.Address, other)
	}
	s.taken[at.Address] = who
	s.functionZero[at.slot()] = s.functionZero[at.slot()] || at.Function == 0
	return nil
}

func (s guestSlots) check(at guestAddress) error {
	if !s.functionZero[at.slot()] {
		return wrap(ErrGuestAddress, "%s has no function 0, so the guest does not see it", at.Address)
	}
	return nil
}

// checkGuestAddresses refuses an address of the guest that a new device shares,
// and functions of host devices that the guest never sees. Faults between other
// devices of the domain are not its business.
func (p *plan) checkGuestAddresses(missing []device) error {
	if !p.needsGuestAddresses(missing) {
		return nil
	}
	occupied, err := p.domain.guestAddresses()
	if err != nil {
		return err
	}
	slots := guestSlots{taken: make(map[pci.Address]string), functionZero: make(map[pci.Address]bool)}
	for _, o := range occupied {
		_ = slots.take(o.guestAddress, o.path())
	}
	placed := slices.DeleteFunc(slices.Clone(missing), func(d device) bool { return d.guest == nil })
	for _, d := range placed {
		if err := slots.take(*d.guest, "the device of ARQ "+d.arq.UUID); err != nil {
			return d.failure(err)
		}
	}
	for _, d := range placed {
		if err := slots.check(*d.guest); err != nil {
			return d.failure(err)
		}
	}
	for _, o := range occupied {
		if err := slots.check(o.guestAddress); err != nil && o.name == tagHostdev {
			return o.failure(err)
		}
	}
	return nil
}

// checkLeft refuses to take function 0 of a guest's device out and to leave
// others, which the guest would not see any more.
func (p *plan) checkLeft(leaving []device) error {
	zeros, goes := make(map[pci.Address]device), make(map[int]bool)
	for _, d := range leaving {
		had := p.present[d.key]
		goes[had.start] = true
		if at, ok := ownAddress(had.element); ok && at.Function == 0 {
			zeros[at.slot()] = d
		}
	}
	if len(zeros) == 0 {
		return nil
	}
	occupied, err := p.domain.guestAddresses()
	if err != nil {
		return err
	}
	for _, o := range occupied {
		if d, ok := zeros[o.slot()]; ok && o.Function > 0 && !goes[o.start] {
			e := p.present[d.key].failure(wrap(ErrGuestAddress, "it is function 0 of a device of the guest of which %s stays", o.path()))
			e.ARQs = []string{d.arq.UUID}
			return e
		}
	}
	return nil
}

// needsGuestAddresses spares domains where no function but 0 is named the work.
func (p *plan) needsGuestAddresses(missing []device) bool {
	for _, h := range p.present {
		if at, ok := ownAddress(h.element); ok && at.Function > 0 {
			return true
		}
	}
	return slices.ContainsFunc(missing, func(d device) bool { return d.guest != nil })
}
