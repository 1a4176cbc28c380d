package fakecyborg

import "slices"

// patchARQs binds and unbinds. The answer waits until Nova has the events, but
// for devices that have to be programmed first.
func (x *exchange) patchARQs() (any, error) {
	course := x.newCourse()
	ctx, cancel := course.jobs.until(x.Context())
	defer cancel()
	patches, err := x.server.release.readPatches(x.body, x.caller, x.version)
	if err != nil {
		return nil, err
	}
	if err := x.needServiceToken(); err != nil {
		return nil, err
	}
	if err := x.server.store.checkFreshInstance(x.caller, patches[0]); err != nil {
		return nil, err
	}
	return nil, x.server.applyPatches(ctx, course, x.caller, patches)
}

// checkFreshInstance refuses a bind to an instance that has requests already;
// only the first request of a PATCH decides.
// It mirrors cyborg/api/controllers/v2/arqs.py:ARQsController._check_if_already_bound.
func (s *store) checkFreshInstance(who caller, first arqPatch) error {
	if !first.bind || first.instance == nil || !s.release.BindJobs {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.readable(who); err != nil {
		return err
	}
	if slices.ContainsFunc(s.byInstance[*first.instance], who.sees) {
		return s.release.patchError("Instance " + *first.instance + " already has accelerator requests. Cannot bind additional ARQs.")
	}
	return nil
}
