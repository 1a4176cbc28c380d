package fakecyborg

import (
	"slices"
	"strings"
)

// bindOne takes one request through a bind. Whatever it had reached before a
// failure stays: this is how requests end in BindStarted and BindFailed. A
// job with a place is a bind that has to be programmed, or waits for something else,
// before it goes on.
// It mirrors cyborg/objects/extarq/ext_arq_job.py:ExtARQJobMixin.start_bind_job.
// The caller holds the lock.
func (s *store) bindOne(course *bindCourse, a *arq, p arqPatch) (job, error) {
	if !s.release.BindJobs {
		return s.bindAtOnce(course, a, p)
	}
	if err := s.release.supported(a); err != nil {
		return job{}, err
	}
	if a.state != stateInitial && a.state != stateUnbound {
		return job{}, s.release.badState(a)
	}
	switch {
	case p.uuid != a.uuid: // found in another form, but looked up in the body by its own
		return job{}, s.release.lostPatch(a.uuid)
	case p.invalid != nil:
		return job{}, s.release.fromBind(p.invalid)
	}
	s.startBind(a, p)
	place, ok := s.byProvider[sameKey(*p.deviceRP)]
	if !ok {
		return job{}, s.release.missingProvider(*p.deviceRP)
	}
	if bothImages(a) {
		s.enter(a, stateBindFailed)
		return job{}, s.release.bothImages()
	}
	programs := needsProgramming(a, place)
	if stopped := course.stop(p, programs); programs || stopped != nil {
		return job{arq: a, place: place, held: stopped}, nil
	}
	return job{arq: a}, s.allocate(a, place)
}

// lostPatch is the KeyError of a request that is bound under another form of its
// uuid. One that comes from the conductor has the traceback inside its quotes.
func (r Release) lostPatch(uuid string) *fault {
	if !r.BindInConductor {
		return keyError(uuid)
	}
	return broken("%s", pythonRepr("'"+uuid+"'"+traceback+`"`))
}

// bindAtOnce is the bind of the first releases: the provider is looked up before
// anything is written, the request's state does not matter, and a missing handle
// is no error.
// It mirrors cyborg/objects/ext_arq.py:ExtARQ.bind of 3.0.0.
func (s *store) bindAtOnce(course *bindCourse, a *arq, p arqPatch) (job, error) {
	if p.invalid != nil {
		return job{}, s.release.fromBind(p.invalid)
	}
	if bothImages(a) {
		return job{}, s.release.bothImages()
	}
	place, ok := s.byProvider[sameKey(*p.deviceRP)]
	if !ok {
		return job{}, s.release.missingProvider(*p.deviceRP)
	}
	s.startBind(a, p)
	programs := needsProgramming(a, place)
	if stopped := course.stop(p, programs); programs || stopped != nil {
		return job{arq: a, place: place, held: stopped}, nil
	}
	_ = s.allocate(a, place) // shows in the state and in the event
	return job{arq: a}, nil
}

// startBind notes where the request goes.
func (s *store) startBind(a *arq, p arqPatch) {
	s.setTarget(a, p.target)
	if s.release.BindProject != ProjectUnknown {
		a.project = p.project
	}
	s.enter(a, stateBindStarted)
}

// allocate gives the request the first free handle.
// It mirrors cyborg/objects/ext_arq.py:ExtARQ._allocate_attach_handle.
func (s *store) allocate(a *arq, place *deployable) error {
	free := place.freeHandle()
	if free == nil {
		s.enter(a, stateBindFailed)
		return s.release.fromBind(notFound("AttachHandle not found Matching deployable_id %d", place.id))
	}
	free.inUse = true
	a.handle = free
	if free.mediated() {
		if err := s.agents.attach(*a.hostname, place.Name, free); err != nil {
			s.enter(a, stateBindFailed)
			return unforeseen(s.release.BindInConductor, "ResourceNotFound", err.Error())
		}
	}
	s.enter(a, stateBound)
	return nil
}

// enter writes a state.
func (s *store) enter(a *arq, state arqState) {
	a.state, a.updated = state, s.now()
}

// unbind frees the handle and clears the target, from every state; the project
// stays. When the handle cannot be taken back, all stays as it was. The caller holds
// the lock.
// It mirrors cyborg/objects/ext_arq.py:ExtARQ.unbind.
func (s *store) unbind(a *arq) error {
	if err := s.freeHandle(a); err != nil {
		return err
	}
	s.setTarget(a, target{})
	s.enter(a, stateUnbound)
	return nil
}

// freeHandle gives the handle back. A failure ends as that of a state that is in
// no table.
// It mirrors cyborg/objects/ext_arq.py:ExtARQ._deallocate_attach_handle.
func (s *store) freeHandle(a *arq) error {
	if a.handle == nil {
		return nil
	}
	if place, ok := s.byProvider[sameKey(valueOf(a.deviceRP))]; ok && a.handle.mediated() {
		if err := s.agents.detach(valueOf(a.hostname), place.Name, a.handle); err != nil {
			return keyError("UnbindFailed")
		}
	}
	a.handle.inUse = false
	a.handle = nil
	return nil
}

// supported refuses classes that the release knows only at bind.
// It mirrors cyborg/objects/extarq/ext_arq_job.py:get_resources_from_device_profile_group of 4.0.0.
func (r Release) supported(a *arq) error {
	group := a.profile.groups[a.group]
	class := firstResource(group)
	if r.GroupChecks || !r.BindJobs || slices.Contains(r.ResourceClasses, class) {
		return nil
	}
	return badRequest("Unsupport resources %s from device_profile_group: %s", class, pythonRepr(group))
}

// bothImages says whether the group asks for a bitstream and a function at once.
func bothImages(a *arq) bool {
	group := a.profile.groups[a.group]
	return firstResource(group) == "FPGA" && truth(group.values["accel:bitstream_id"]) && truth(group.values["accel:function_id"])
}

func (r Release) bothImages() *fault {
	return r.fromBind(badRequest("In device profile {0}, only one among bitstream_id and function_id must be set, but both are set"))
}

// needsProgramming says whether the bind has to load a bitstream first. Only
// groups whose first resource class is FPGA can ask for one.
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ._needs_programming.
func needsProgramming(a *arq, place *deployable) bool {
	group := a.profile.groups[a.group]
	if firstResource(group) != "FPGA" {
		return false
	}
	bitstream, function := group.values["accel:bitstream_id"], group.values["accel:function_id"]
	loaded := place.bitstream != nil && bitstream == *place.bitstream
	return truth(function) || (truth(bitstream) && !loaded)
}

func firstResource(group *object) string {
	for _, key := range group.keys {
		if name, ok := strings.CutPrefix(key, "resources:"); ok {
			return name
		}
	}
	return ""
}
