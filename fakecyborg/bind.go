package fakecyborg

import "strings"

// bindOne takes one request through a bind. Whatever it had reached before a
// failure stays: this is how requests end in BindStarted and BindFailed.
// It mirrors cyborg/objects/ext_arq.py:ExtARQJobMixin.start_bind_job and
// ExtARQ.bind. The caller holds the lock.
func (s *store) bindOne(who caller, p arqPatch) (*arq, error) {
	a, err := s.findARQ(who, p.uuid)
	if err != nil {
		return nil, asFault(err).overRPC()
	}
	if a.state != stateInitial && a.state != stateUnbound {
		return nil, broken("Bad state: %s for ARQ: %s. Expected state(s): ['Initial', 'Unbound']", a.state, a.uuid).overRPC()
	}
	s.setTarget(a, p.target)
	a.project = p.project
	a.enter(stateBindStarted)
	place, ok := s.byProvider[sameKey(*p.deviceRP)]
	if !ok {
		return nil, notFound("Deployable not found with resource provider uuid=%s", *p.deviceRP).overRPC()
	}
	needs, err := needsProgramming(a, place)
	if err != nil {
		a.enter(stateBindFailed)
		return nil, err
	}
	if needs {
		return a, nil
	}
	free := place.freeHandle()
	if free == nil {
		a.enter(stateBindFailed)
		return nil, notFound("AttachHandle not found Matching deployable_id %d", place.id).overRPC()
	}
	free.inUse = true
	a.handle = free
	a.enter(stateBound)
	return a, nil
}

// enter writes a state.
func (a *arq) enter(state arqState) {
	a.state, a.updated = state, now()
}

// unbind frees the handle and clears the target, from every state; the project
// stays. The caller holds the lock.
func (s *store) unbind(a *arq) {
	if a.handle != nil {
		a.handle.inUse = false
		a.handle = nil
	}
	s.setTarget(a, target{})
	a.enter(stateUnbound)
}

// needsProgramming says whether the bind has to load a bitstream first. Only
// groups whose first resource class is FPGA can ask for one.
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ._needs_programming.
func needsProgramming(a *arq, place *deployable) (bool, error) {
	group := a.profile.groups[a.group]
	if firstResource(group) != "FPGA" {
		return false, nil
	}
	bitstream, function := group.values["accel:bitstream_id"], group.values["accel:function_id"]
	if truth(bitstream) && truth(function) {
		return false, badRequest("In device profile {0}, only one among bitstream_id and function_id must be set, but both are set").overRPC()
	}
	loaded := place.bitstream != nil && bitstream == *place.bitstream
	return truth(function) || (truth(bitstream) && !loaded), nil
}

func firstResource(group *object) string {
	for _, key := range group.keys {
		if name, ok := strings.CutPrefix(key, "resources:"); ok {
			return name
		}
	}
	return ""
}
