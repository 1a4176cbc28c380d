package fakecyborg

import (
	"slices"
	"time"
)

// arqState is where an accelerator request stands.
type arqState string

// The states that are ever reached; UnbindFailed and Deleting exist in Cyborg's
// tables only.
// They mirror cyborg/common/constants.py.
const (
	stateInitial     arqState = "Initial"
	stateBindStarted arqState = "BindStarted"
	stateBound       arqState = "Bound"
	stateUnbound     arqState = "Unbound"
	stateBindFailed  arqState = "BindFailed"
)

// resolved says that a bind has ended, well or not.
func (s arqState) resolved() bool { return s == stateBound || s == stateBindFailed }

// arq is an accelerator request.
// It mirrors cyborg/objects/arq.py:ARQ and ext_arq.py:ExtARQ.
type arq struct {
	id      int
	uuid    string
	state   arqState
	profile *profile
	group   int
	// target is null in all members until the first bind, and after an unbind.
	target
	project *string
	handle  *handle
	created time.Time
	updated time.Time
	// scope is that of the request that made it.
	scope string
	// poison is the key of the group that has null for a value; such a row can be
	// stored but not read.
	poison string
}

// target is where a bind puts a request.
type target struct {
	hostname, deviceRP, instance *string
}

// unreadable is the failure of every list that has a poisoned row.
func (a *arq) unreadable() *fault {
	return broken("Field 'device_profile_group[%s]' cannot be None", a.poison)
}

// readable fails when the caller can see a poisoned row; the caller holds the lock.
func (s *store) readable(who caller) error {
	for _, a := range s.poisoned {
		if who.sees(a) {
			return a.unreadable()
		}
	}
	return nil
}

// findARQ returns the request if the caller may see it; the caller holds the lock.
func (s *store) findARQ(who caller, uuid string) (*arq, error) {
	a, ok := s.arqs.get(uuid)
	if !ok || !who.sees(a) {
		return nil, s.release.missing("ExtArq", "uuid", uuid)
	}
	return a, nil
}

// arq returns a copy.
func (s *store) arq(who caller, uuid string) (arq, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	a, err := s.findARQ(who, uuid)
	switch {
	case err != nil:
		return arq{}, err
	case a.poison != "":
		return arq{}, a.unreadable()
	}
	return *a, nil
}

// listARQs returns copies of all requests that the caller sees, in order.
func (s *store) listARQs(who caller) ([]arq, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.readable(who); err != nil {
		return nil, err
	}
	found := []arq{}
	for a := range s.arqs.all {
		if who.sees(a) {
			found = append(found, *a)
		}
	}
	return found, nil
}

// instanceARQs returns copies of an instance's requests, in order.
func (s *store) instanceARQs(who caller, instance string) ([]arq, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.readable(who); err != nil {
		return nil, err
	}
	found := []arq{}
	for _, a := range s.byInstance[instance] {
		if who.sees(a) {
			found = append(found, *a)
		}
	}
	return found, nil
}

// setTarget moves a request to another target and keeps the index by instance;
// the caller holds the lock.
func (s *store) setTarget(a *arq, to target) {
	if old := a.instance; old != nil {
		rest := slices.DeleteFunc(s.byInstance[*old], func(other *arq) bool { return other == a })
		if s.byInstance[*old] = rest; len(rest) == 0 {
			delete(s.byInstance, *old)
		}
	}
	a.target = to
	if to.instance != nil {
		mine := append(s.byInstance[*to.instance], a)
		slices.SortFunc(mine, func(a, b *arq) int { return a.id - b.id })
		s.byInstance[*to.instance] = mine
	}
}
