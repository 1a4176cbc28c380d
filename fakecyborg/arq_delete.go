package fakecyborg

import (
	"slices"
	"strings"
)

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
