package fakecyborg

import (
	"slices"
	"strings"
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
	// poison is the key of the group that has null for a value; such a row can be
	// stored but not read.
	poison string
}

// target is where a bind puts a request.
type target struct {
	hostname, deviceRP, instance *string
}

// createARQs makes one request for each accelerator that the profile's groups
// ask for. Rows made before a failure stay.
// It mirrors cyborg/api/controllers/v2/arqs.py:ARQsController.post.
func (s *store) createARQs(who caller, profileName string) ([]arq, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.namedProfile(profileName)
	if err != nil {
		return nil, err
	}
	made := []arq{}
	for index, group := range p.groups {
		count, err := accelerators(group)
		if err != nil {
			return nil, err
		}
		if count > maxARQs-len(made) {
			return nil, broken("the fake makes no more than %d ARQs in one request", maxARQs)
		}
		for range count {
			a, err := s.addARQ(who, p, index)
			if err != nil {
				return nil, err
			}
			made = append(made, *a)
		}
	}
	return made, nil
}

// addARQ stores one request; the caller holds the lock.
func (s *store) addARQ(who caller, p *profile, group int) (*arq, error) {
	id, err := s.uuids.next()
	if err != nil {
		return nil, err
	}
	project := who.project
	a := &arq{uuid: id, state: stateInitial, profile: p, group: group, project: &project, created: now()}
	a.id = s.arqs.add(id, a)
	p.arqs++
	for _, key := range p.groups[group].keys {
		if p.groups[group].values[key] == nil {
			a.poison = key
			s.poisoned = append(s.poisoned, a)
			return nil, broken("Remote error: ValueError %s", a.unreadable().text).overRPC()
		}
	}
	return a, nil
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
		return nil, notFound("ExtArq not found with uuid=%s", uuid)
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

// deleteARQs deletes a comma separated list: nothing if one of them does not
// exist. One that is named twice is deleted and then missing.
func (s *store) deleteARQs(who caller, list string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := strings.Split(list, ",")
	for _, uuid := range names {
		if _, err := s.findARQ(who, uuid); err != nil {
			return err
		}
	}
	var missing []any
	for _, uuid := range names {
		if a, err := s.findARQ(who, uuid); err == nil {
			s.deleteARQ(a)
		} else {
			missing = append(missing, uuid)
		}
	}
	if len(missing) > 0 {
		return notFound("ARQ not found with uuids %s", pythonRepr(missing))
	}
	return nil
}

// deleteInstanceARQs deletes what the caller sees of an instance's requests.
func (s *store) deleteInstanceARQs(who caller, instance string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.readable(who); err != nil {
		return err
	}
	for _, a := range slices.Clone(s.byInstance[instance]) {
		if who.sees(a) {
			s.deleteARQ(a)
		}
	}
	return nil
}

// deleteARQ frees the handle and removes the row; the caller holds the lock.
func (s *store) deleteARQ(a *arq) {
	s.unbind(a)
	s.arqs.delete(a.uuid)
	a.profile.arqs--
}
