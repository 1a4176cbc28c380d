package fakecyborg

import "context"

// applyPatches works through the requests in order and stops at the first
// failure: those before stay as they are then, those after are not touched, and
// nobody is told.
// It mirrors cyborg/objects/extarq/ext_arq_job.py:ExtARQJobMixin.apply_patch.
func (s *Server) applyPatches(ctx context.Context, course *bindCourse, who caller, patches []arqPatch) error {
	if err := course.tellBefore(ctx, who, patches); err != nil {
		return err
	}
	var bound []*arq
	var jobs []job
	for _, patch := range patches {
		done, err := s.store.applyPatch(course, who, patch, patches)
		if err != nil {
			return err
		}
		if patch.bind {
			bound = append(bound, done.arq)
		}
		wait, err := course.goOn(ctx, done)
		if err != nil {
			return err
		}
		if wait {
			jobs = append(jobs, done)
		}
	}
	switch {
	case len(bound) == 0, !s.release.BindJobs && !patches[len(patches)-1].bind:
		return nil
	case len(jobs) > 0:
		s.startJobs(course, bound, jobs)
		return nil
	}
	return s.announce(ctx, course, bound)
}

// applyPatch binds or unbinds one request. A result with a place is a bind that
// waits for programming.
func (s *store) applyPatch(course *bindCourse, who caller, patch arqPatch, all []arqPatch) (job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.findARQ(who, patch.uuid)
	if err != nil {
		return job{}, s.release.fromBind(asFault(err))
	}
	switch {
	case a.poison != "":
		return job{}, s.release.fromBind(a.unreadable())
	case patch.bind:
		return s.bindOne(course, a, patch.under(a.uuid, all))
	}
	return job{}, s.unbindOne(a)
}

// under is what a PATCH says about a request under the uuid as it is stored, where
// the real service looks it up; the patch itself if it says nothing there.
func (p arqPatch) under(uuid string, all []arqPatch) arqPatch {
	for _, other := range all {
		if other.uuid == uuid && other.bind {
			return other
		}
	}
	return p
}

// unbindOne is an unbind by PATCH.
func (s *store) unbindOne(a *arq) error {
	if err := s.release.supported(a); err != nil {
		return err
	}
	if s.release.UnbindFault {
		return unforeseen(s.release.BindInConductor, "TypeError", "unbind() takes 2 positional arguments but 3 were given")
	}
	if err := s.unbind(a); err != nil {
		return s.release.fromBind(asFault(err))
	}
	return nil
}
