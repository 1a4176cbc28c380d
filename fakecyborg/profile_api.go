package fakecyborg

import (
	"strings"
)

// profileWire is a profile in lists and in the answer of a creation.
// It mirrors cyborg/api/controllers/v2/device_profiles.py:DeviceProfile.
type profileWire struct {
	UUID        string    `json:"uuid"`
	Name        string    `json:"name"`
	Description *string   `json:"description"`
	Groups      []*object `json:"groups"`
	CreatedAt   *string   `json:"created_at"`
	UpdatedAt   *string   `json:"updated_at"`
	Links       []link    `json:"links"`
}

// profileShown is a profile on its own, and everywhere in releases before typed
// profiles; its times are Python text. Description and times are missing in the
// first releases.
type profileShown struct {
	Name        string    `json:"name"`
	Description **string  `json:"description,omitempty"`
	UUID        string    `json:"uuid"`
	Groups      []*object `json:"groups"`
	CreatedAt   string    `json:"created_at,omitempty"`
	UpdatedAt   string    `json:"updated_at,omitempty"`
	Links       []link    `json:"links"`
}

type profileList struct {
	DeviceProfiles []any `json:"device_profiles"`
}

type profileOne struct {
	DeviceProfile profileShown `json:"device_profile"`
}

// shown is the form of one profile on its own.
func (p profile) shown(release Release, base string) profileShown {
	shown := profileShown{
		Name: p.name, UUID: p.uuid, Groups: p.groups,
		Links: []link{selfLink(base, "device_profiles", p.uuid)},
	}
	if release.ProfileDescription {
		shown.Description = &p.description
		shown.CreatedAt, shown.UpdatedAt = pythonTime(p.created), pythonTime(p.updated)
	}
	return shown
}

// listed is the form in lists and in the answer of a creation.
func (p profile) listed(release Release, base string) (any, error) {
	if !release.TypedProfiles {
		return p.shown(release, base), nil
	}
	return asAnswer(p.wire(base))
}

// wire fails for a profile whose uuid is none: it cannot be told to anybody.
func (p profile) wire(base string) (profileWire, error) {
	if !looksLikeUUID(p.uuid) {
		return profileWire{}, notUUID(p.uuid)
	}
	return profileWire{
		UUID: p.uuid, Name: p.name, Description: p.description, Groups: p.groups,
		CreatedAt: isoTime(p.created), UpdatedAt: isoTime(p.updated),
		Links: []link{selfLink(base, "device_profiles", p.uuid)},
	}, nil
}

func (x *exchange) listProfiles() (any, error) {
	var names map[string]bool
	if filter, ok := x.query["name"]; ok {
		names = make(map[string]bool)
		for name := range strings.SplitSeq(filter, ",") {
			names[name] = true
		}
	}
	answer := profileList{DeviceProfiles: []any{}}
	for _, p := range x.server.store.listProfiles(names) {
		wire, err := p.listed(x.server.release, x.base())
		if err != nil {
			return nil, err
		}
		answer.DeviceProfiles = append(answer.DeviceProfiles, wire)
	}
	return answer, nil
}

func (x *exchange) showProfile() (any, error) {
	id := x.parameters["dp_uuid_or_name"]
	if !x.server.release.ProfileByName {
		return x.showProfileOfUUID(id)
	}
	if !looksLikeUUID(id) && x.version < minorProfileByName {
		return nil, needsMicroversion(int(minorProfileByName))
	}
	p, err := x.server.store.profile(id)
	if err != nil {
		return nil, err
	}
	return profileOne{p.shown(x.server.release, x.base())}, nil
}

// showProfileOfUUID compares the text with the uuids of all profiles, as releases
// did that know no names here.
func (x *exchange) showProfileOfUUID(id string) (any, error) {
	for _, p := range x.server.store.listProfiles(nil) {
		if p.uuid == id {
			return profileOne{p.shown(x.server.release, x.base())}, nil
		}
	}
	return nil, notFound("Device profile not found with uuid %s", id)
}

func (x *exchange) createProfile() (any, error) {
	p, err := x.server.release.readProfile(x.body)
	if err != nil {
		return nil, err
	}
	if err := x.server.store.addProfile(p); err != nil {
		return nil, err
	}
	return p.listed(x.server.release, x.base())
}

func (x *exchange) deleteProfiles() (any, error) {
	value, ok := x.argument("value")
	if !ok {
		return nil, missingArgument("value")
	}
	return nil, x.server.store.deleteProfiles(value)
}
