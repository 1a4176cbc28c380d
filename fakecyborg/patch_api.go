package fakecyborg

import "slices"

// patchARQs binds and unbinds. The answer waits until Nova has the events.
func (x *exchange) patchARQs() (any, error) {
	patches, err := readPatches(x.body, x.caller, x.version)
	if err != nil {
		return nil, err
	}
	bound, err := x.server.store.applyPatches(x.caller, patches)
	if err != nil {
		return nil, err
	}
	return nil, x.server.notifier.send(x.Context(), bound)
}

// applyPatches works through the requests in order and stops at the first
// failure: those before stay as they are then, those after are not touched. It
// returns the events that are due: none if a request waits for its device to
// be programmed.
// It mirrors cyborg/objects/ext_arq.py:ExtARQJobMixin.apply_patch.
func (s *store) applyPatches(who caller, patches []arqPatch) ([]Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkFreshInstance(who, patches[0]); err != nil {
		return nil, err
	}
	var bound []Event
	waiting := false
	for _, patch := range patches {
		if !patch.bind {
			a, err := s.findARQ(who, patch.uuid)
			if err != nil {
				return nil, asFault(err).overRPC()
			}
			s.unbind(a)
			continue
		}
		a, err := s.bindOne(who, patch)
		if err != nil {
			return nil, err
		}
		waiting = waiting || a.state == stateBindStarted
		bound = append(bound, boundEvent(a))
	}
	if waiting {
		return nil, nil
	}
	for i := range bound {
		bound[i].ServerUUID = bound[0].ServerUUID
	}
	return bound, nil
}

// checkFreshInstance refuses a bind to an instance that has requests already;
// only the first request of a PATCH decides.
func (s *store) checkFreshInstance(who caller, first arqPatch) error {
	if !first.bind {
		return nil
	}
	if err := s.readable(who); err != nil {
		return err
	}
	if slices.ContainsFunc(s.byInstance[*first.instance], who.sees) {
		return patchError("Instance %s already has accelerator requests. Cannot bind additional ARQs.", *first.instance)
	}
	return nil
}

func boundEvent(a *arq) Event {
	return Event{Name: "accelerator-request-bound", ServerUUID: *a.instance, Tag: a.uuid, Status: "completed"}
}
