package fakecyborg

// createARQs makes one request for each accelerator that the profile's groups
// ask for. Rows made before a failure stay. A profile that is missing is told of
// as shown.
// It mirrors cyborg/api/controllers/v2/arqs.py:ARQsController.post.
func (s *store) createARQs(who caller, profileName, shown string) ([]arq, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.profileName[sameKey(profileName)]
	if !ok {
		return nil, s.release.missingProfile(shown)
	}
	made := []arq{}
	for index, group := range p.groups {
		count, err := s.release.accelerators(group)
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
	a := &arq{uuid: id, state: stateInitial, profile: p, group: group, created: s.now(), scope: who.scope}
	if s.release.ProjectScope {
		a.project = textOrNull(who.Project)
	}
	a.id = s.arqs.add(id, a)
	p.arqs++
	for _, key := range p.groups[group].keys {
		if p.groups[group].values[key] == nil {
			a.poison = key
			s.poisoned = append(s.poisoned, a)
			return nil, unforeseen(s.release.CreateInConductor, "ValueError", a.unreadable().text)
		}
	}
	return a, nil
}
