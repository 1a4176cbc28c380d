package fakecyborg

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ARQ is an accelerator request of the seed.
type ARQ struct {
	// UUID is random when empty.
	UUID string
	// DeviceProfile is the name of its profile, which is in the seed too.
	DeviceProfile string
	// Group is the number of its group in the profile, counted from 0.
	Group int
	// State is "Initial" when empty, or "BindStarted", "Bound", "Unbound" or
	// "BindFailed".
	State string
	// Hostname is where it is, or was to be, bound. It, DeviceRP and Instance are what
	// the bind said in the states BindStarted, Bound and BindFailed, which can be the
	// empty text, and only there.
	Hostname string
	// DeviceRP is the UUID of the resource provider.
	DeviceRP string
	// Instance is the UUID of the instance.
	Instance string
	// Project owns it, "" for nobody.
	Project string
	// Handle is the number of its attach handle among those that the deployable of the
	// card has, counted from 1, when it is Bound; 0 is the first that is free. In
	// BindFailed it is that of a mediated device that could not be made, 0 for none.
	Handle int
}

func (l *loader) loadARQ(path string, given ARQ) error {
	p, ok := l.store.profileName[sameKey(given.DeviceProfile)]
	switch {
	case !ok:
		return l.fail(path+".device_profile", fmt.Errorf("there is no device profile %q", given.DeviceProfile))
	case given.Group < 0 || given.Group >= len(p.groups):
		return l.fail(path+".group", fmt.Errorf("%d, the profile has the groups 0 to %d", given.Group, len(p.groups)-1))
	case given.UUID != "" && !looksLikeUUID(given.UUID):
		return l.fail(path+".uuid", fmt.Errorf("%q is not a uuid", given.UUID))
	}
	id := given.UUID
	if id == "" {
		made, err := l.store.uuids.next()
		if err != nil {
			return l.fail(path+".uuid", err)
		}
		id = made
	}
	if err := l.claim(path+".uuid", "accelerator request", id); err != nil {
		return err
	}
	a := &arq{uuid: id, profile: p, group: given.Group, project: textOrNull(given.Project), created: l.store.now()}
	if err := l.placeARQ(path, a, given); err != nil {
		return err
	}
	a.id = l.store.arqs.add(id, a)
	p.arqs++
	if a.instance != nil {
		l.store.setTarget(a, a.target)
	}
	return nil
}

// seedStates are the states that a seed can name.
var seedStates = []arqState{stateInitial, stateBindStarted, stateBound, stateUnbound, stateBindFailed}

// hasTarget says that a bind has set where the request goes.
func (s arqState) hasTarget() bool {
	return s == stateBindStarted || s == stateBound || s == stateBindFailed
}

// mayHold says that a request can have an attach handle.
func (s arqState) mayHold() bool { return s == stateBound || s == stateBindFailed }

// targets are the members that a request has in states with a target, by their keys.
func (a *ARQ) targets() []cardKey {
	return []cardKey{{"hostname", &a.Hostname}, {"device_rp_uuid", &a.DeviceRP}, {"instance_uuid", &a.Instance}}
}

// placeARQ gives a request its state and what belongs to it.
func (l *loader) placeARQ(path string, a *arq, given ARQ) error {
	a.state = cmp.Or(arqState(given.State), stateInitial)
	if !slices.Contains(seedStates, a.state) {
		return l.fail(path+".state", fmt.Errorf("%q, known are %s", given.State, joinStates(seedStates)))
	}
	if a.state != stateInitial {
		a.updated = l.store.now()
	}
	if a.state.hasTarget() {
		a.target = target{&given.Hostname, &given.DeviceRP, &given.Instance}
	} else if err := l.refuseTarget(path, given); err != nil {
		return err
	}
	switch {
	case given.Handle != 0 && !a.state.mayHold():
		return l.fail(path+".attach_handle", fmt.Errorf("a request in state %s has none", a.state))
	case given.Handle != 0 || a.state == stateBound:
		return l.takeHandle(path, a, given)
	}
	return nil
}

// refuseTarget refuses a target in a state without one.
func (l *loader) refuseTarget(path string, given ARQ) error {
	for _, member := range given.targets() {
		if text, ok := member.value.(*string); ok && *text != "" {
			return l.fail(path+"."+member.name, fmt.Errorf("a request in state %s has none", cmp.Or(arqState(given.State), stateInitial)))
		}
	}
	return nil
}

func joinStates(states []arqState) string {
	texts := make([]string, 0, len(states))
	for _, state := range states {
		texts = append(texts, string(state))
	}
	return strings.Join(texts, ", ")
}

func (l *loader) takeHandle(path string, a *arq, given ARQ) error {
	place, ok := l.store.byProvider[sameKey(given.DeviceRP)]
	if !ok {
		return l.fail(path+".device_rp_uuid", fmt.Errorf("no device has the resource provider %q", given.DeviceRP))
	}
	free := place.freeHandle()
	switch {
	case given.Handle < 0 || given.Handle > len(place.handles):
		return l.fail(path+".attach_handle", fmt.Errorf("%d, deployable %s has the handles 1 to %d", given.Handle, place.Name, len(place.handles)))
	case given.Handle > 0:
		free = place.handles[given.Handle-1]
	}
	if free == nil || free.inUse {
		return l.fail(path+".attach_handle", errors.New("it is taken already, as are all if none is named"))
	}
	free.inUse = true
	a.handle = free
	return nil
}

// seedARQs are the requests as a seed has them, but for those that cannot be read, and
// those whose attach handle has no number, since it is of no card of the seed; the caller
// holds the lock.
func (s *store) seedARQs(numbers map[*handle]int) []ARQ {
	var list []ARQ
	for a := range s.arqs.all {
		number := numbers[a.handle]
		if a.poison != "" || !looksLikeUUID(a.profile.uuid) || (a.handle != nil && number == 0) {
			continue
		}
		list = append(list, ARQ{
			UUID: a.uuid, DeviceProfile: a.profile.name, Group: a.group, State: string(a.state), Project: textOf(a.project),
			Hostname: textOf(a.hostname), DeviceRP: textOf(a.deviceRP), Instance: textOf(a.instance), Handle: number,
		})
	}
	return list
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return strings.Clone(*text)
}
