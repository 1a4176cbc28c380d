package fakecyborg

import (
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
	// Hostname is where it is, or was to be, bound. It, DeviceRP and Instance are set
	// in the states BindStarted, Bound and BindFailed, and only there.
	Hostname string
	// DeviceRP is the UUID of the resource provider.
	DeviceRP string
	// Instance is the UUID of the instance.
	Instance string
	// Project owns it, "" for nobody.
	Project string
	// Handle is the number of its attach handle in the deployable, counted from 1,
	// when it is Bound; 0 is the first that is free.
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

// placeARQ gives a request its state and what belongs to it.
func (l *loader) placeARQ(path string, a *arq, given ARQ) error {
	a.state = arqState(given.State)
	if given.State == "" {
		a.state = stateInitial
	}
	known := []arqState{stateInitial, stateBindStarted, stateBound, stateUnbound, stateBindFailed}
	if !slices.Contains(known, a.state) {
		return l.fail(path+".state", fmt.Errorf("%q, known are %v", given.State, known))
	}
	if a.state != stateInitial {
		a.updated = l.store.now()
	}
	wants := a.state != stateInitial && a.state != stateUnbound
	for _, field := range []struct {
		key, value string
		into       **string
	}{{"hostname", given.Hostname, &a.hostname}, {"device_rp_uuid", given.DeviceRP, &a.deviceRP}, {"instance_uuid", given.Instance, &a.instance}} {
		switch {
		case wants && field.value == "":
			return l.fail(path+"."+field.key, fmt.Errorf("a request in state %s has one", a.state))
		case !wants && field.value != "":
			return l.fail(path+"."+field.key, fmt.Errorf("a request in state %s has none", a.state))
		}
		*field.into = textOrNull(field.value)
	}
	if a.state != stateBound {
		if given.Handle != 0 {
			return l.fail(path+".attach_handle", fmt.Errorf("a request in state %s has none", a.state))
		}
		return nil
	}
	return l.takeHandle(path, a, given)
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

// seedARQs are the requests as a seed has them; the caller holds the lock.
func (s *store) seedARQs() []ARQ {
	var list []ARQ
	for a := range s.arqs.all {
		if a.poison != "" {
			continue
		}
		one := ARQ{UUID: a.uuid, DeviceProfile: a.profile.name, Group: a.group, State: string(a.state), Project: textOf(a.project)}
		one.Hostname, one.DeviceRP, one.Instance = textOf(a.hostname), textOf(a.deviceRP), textOf(a.instance)
		if a.handle != nil {
			if place, ok := s.byProvider[sameKey(one.DeviceRP)]; ok {
				one.Handle = 1 + slices.Index(place.handles, a.handle)
			}
		}
		list = append(list, one)
	}
	return list
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return strings.Clone(*text)
}
