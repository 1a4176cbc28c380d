package fakecyborg

import (
	"net/http"
	"slices"
	"strings"
)

// deleteARQs deletes a comma separated list, as the release does it when one of
// them does not exist. One that is named twice is deleted and then missing.
// It mirrors cyborg/objects/ext_arq.py:ExtARQ.delete_by_uuid.
func (s *store) deleteARQs(who caller, list string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := strings.Split(list, ",")
	if s.release.Deletion == DeletionLooksFirst {
		if err := s.mayDelete(who, names); err != nil {
			return err
		}
	}
	var missing []any
	for _, uuid := range names {
		a, err := s.findARQ(who, uuid)
		switch {
		case err == nil:
			if err := s.deleteARQ(a); err != nil {
				return asFault(err).raised(s.release.DeleteInConductor)
			}
		case s.release.Deletion == DeletionStops:
			return asFault(err).raised(s.release.DeleteInConductor)
		default:
			missing = append(missing, uuid)
		}
	}
	if len(missing) > 0 {
		return notFound("ARQ not found with uuids %s", pythonRepr(missing)).raised(s.release.DeleteInConductor)
	}
	return nil
}

// mayDelete looks at all requests before any is deleted: whether it exists, and
// whether Nova alone may delete it.
// It mirrors cyborg/api/controllers/v2/arqs.py:_check_bound_arq_service_token.
func (s *store) mayDelete(who caller, names []string) error {
	for _, uuid := range names {
		a, err := s.findARQ(who, uuid)
		if err != nil {
			return err
		}
		if s.release.ServiceTokens && !who.Service && a.instance != nil && *a.instance != "" {
			return faultf(http.StatusForbidden, "ARQ %s is bound to instance %s. Use the Compute API to manage instance accelerators.", a.uuid, *a.instance)
		}
	}
	return nil
}

// deleteInstanceARQs deletes what the caller sees of an instance's requests.
func (s *store) deleteInstanceARQs(who caller, instance string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.readable(who); err != nil {
		return asFault(err).raised(s.release.DeleteInConductor)
	}
	for _, a := range slices.Clone(s.byInstance[instance]) {
		if who.sees(a) {
			if err := s.deleteARQ(a); err != nil {
				return asFault(err).raised(s.release.DeleteInConductor)
			}
		}
	}
	return nil
}

// deleteARQ frees the handle and removes the row; the caller holds the lock.
func (s *store) deleteARQ(a *arq) error {
	if err := s.unbind(a); err != nil {
		return err
	}
	s.arqs.delete(a.uuid)
	a.profile.arqs--
	return nil
}
