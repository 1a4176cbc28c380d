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

// profileShown is a profile on its own; its times are Python text.
type profileShown struct {
	Name        string    `json:"name"`
	Description *string   `json:"description"`
	UUID        string    `json:"uuid"`
	Groups      []*object `json:"groups"`
	CreatedAt   string    `json:"created_at"`
	UpdatedAt   string    `json:"updated_at"`
	Links       []link    `json:"links"`
}

type profileList struct {
	DeviceProfiles []profileWire `json:"device_profiles"`
}

type profileOne struct {
	DeviceProfile profileShown `json:"device_profile"`
}

// wire fails for a profile whose uuid is none: it cannot be told to anybody.
func (p profile) wire(base string) (profileWire, error) {
	if !looksLikeUUID(p.uuid) {
		return profileWire{}, notUUID(p.uuid)
	}
	return profileWire{
		UUID: p.uuid, Name: p.name, Description: p.description, Groups: p.groups,
		CreatedAt: isoTime(p.created),
		Links:     []link{selfLink(base, "device_profiles", p.uuid)},
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
	answer := profileList{DeviceProfiles: []profileWire{}}
	for _, p := range x.server.store.listProfiles(names) {
		wire, err := p.wire(baseURL(x.Request))
		if err != nil {
			return nil, err
		}
		answer.DeviceProfiles = append(answer.DeviceProfiles, wire)
	}
	return answer, nil
}

func (x *exchange) showProfile() (any, error) {
	id := x.parameters["id"]
	if !looksLikeUUID(id) && x.version < minorProfileByName {
		return nil, needsMicroversion(int(minorProfileByName))
	}
	p, err := x.server.store.profile(id)
	if err != nil {
		return nil, err
	}
	return profileOne{profileShown{
		Name: p.name, Description: p.description, UUID: p.uuid, Groups: p.groups,
		CreatedAt: pythonTime(p.created), UpdatedAt: "None",
		Links: []link{selfLink(baseURL(x.Request), "device_profiles", p.uuid)},
	}}, nil
}

func (x *exchange) createProfile() (any, error) {
	p, err := readProfile(x.body)
	if err != nil {
		return nil, err
	}
	if err := x.server.store.addProfile(p); err != nil {
		return nil, err
	}
	return asAnswer(p.wire(baseURL(x.Request)))
}

func (x *exchange) deleteProfiles() (any, error) {
	value, ok := x.parameters["id"]
	if !ok {
		value, ok = x.query["value"]
	}
	if !ok {
		return nil, badRequest("Missing argument: \"value\"")
	}
	return nil, x.server.store.deleteProfiles(value)
}
