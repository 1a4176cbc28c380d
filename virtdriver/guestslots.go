package virtdriver

import (
	"slices"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// guestSlots is who has which address of the guest.
type guestSlots map[pci.Address]tenant

// tenant is a device at an address of the guest; ours says that an option put it
// there.
type tenant struct {
	guestAddress

	who  string
	ours bool
}

// take gives an address to a tenant. That two others share one is not our
// business.
func (s guestSlots) take(t tenant) error {
	if other, twice := s[t.Address]; twice && (t.ours || other.ours) {
		return wrap(ErrGuestAddress, "%s has %s", t.Address, other.who)
	}
	s[t.Address] = t
	return nil
}

// check wants a function 0 in the slot, without which the guest sees none of the
// others, and that it is not said to be alone.
func (s guestSlots) check(at guestAddress) error {
	zero, ok := s[at.slot()]
	switch {
	case !ok:
		return wrap(ErrGuestAddress, "%s has no function 0, so the guest does not see it", at.Address)
	case at.Function > 0 && zero.alone:
		return wrap(ErrGuestAddress, "%s has a function 0, %s, with multifunction='off'", at.Address, zero.who)
	}
	return nil
}

// checkGuestAddresses refuses an address of the guest that a device of ours
// shares or cannot have, and functions of host devices that the guest never sees.
// Faults between other devices of the domain are not its business.
func (p *plan) checkGuestAddresses(missing []device) error {
	if !p.needsGuestAddresses(missing) {
		return nil
	}
	occupied, err := p.domain.guestAddresses()
	if err != nil {
		return err
	}
	slots, placed := guestSlots{}, make(map[int]device)
	for _, d := range p.changed {
		if d.guest != nil {
			placed[p.present[d.key].start] = d
		}
	}
	for _, o := range occupied {
		d, ours := placed[o.start]
		err := slots.take(tenant{o.guestAddress, o.path(), ours})
		switch {
		case err != nil && ours:
			return o.about(d, err)
		case err != nil:
			return o.failure(err)
		}
	}
	for _, d := range missing {
		if d.guest == nil {
			continue
		}
		if err := slots.take(tenant{*d.guest, "the device of ARQ " + d.arq.UUID, true}); err != nil {
			return d.failure(err)
		}
	}
	return p.checkPlaces(slots, occupied, missing)
}

// checkPlaces looks at the addresses once it is known who has which.
func (p *plan) checkPlaces(slots guestSlots, occupied []occupant, missing []device) error {
	root, err := p.domain.root()
	if err != nil {
		return err
	}
	buses := readControllers(root)
	for _, d := range slices.Concat(missing, p.changed) {
		if d.guest == nil {
			continue
		}
		for _, check := range []func(guestAddress) error{buses.check, slots.check} {
			if err := check(*d.guest); err != nil {
				return d.failure(err)
			}
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
		at, ok, err := ownAddress(had.element)
		if err != nil {
			return had.about(d, wrap(ErrGuestAddress, "%w", err))
		}
		if ok && at.Function == 0 {
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
			return p.present[d.key].about(d, wrap(ErrGuestAddress, "it is function 0 of a device of the guest of which %s stays", o.path()))
		}
	}
	return nil
}

// needsGuestAddresses spares domains where no function but 0 is named the work.
func (p *plan) needsGuestAddresses(missing []device) bool {
	for _, h := range p.present {
		if at, ok, err := ownAddress(h.element); err != nil || ok && at.Function > 0 {
			return true
		}
	}
	return slices.ContainsFunc(slices.Concat(missing, p.changed), func(d device) bool { return d.guest != nil })
}
