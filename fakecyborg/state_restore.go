package fakecyborg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// decodeState reads a state file. It is written by a fake, so that errors say only
// what cannot be, not where.
func decodeState(data []byte) (savedState, error) {
	var form struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return savedState{}, err
	}
	if form.Version != stateVersion {
		return savedState{}, fmt.Errorf("it has version %d of the form, this fake reads %d: take another file", form.Version, stateVersion)
	}
	var state savedState
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&state); err != nil {
		return savedState{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return savedState{}, errors.New("something follows the state")
	}
	return state, nil
}

// restoreRows makes the rows of a state file.
func restoreRows(state savedState) (rows, error) {
	if err := checkRows(state); err != nil {
		return rows{}, err
	}
	r := restorer{rows: newRows(), profilesByUUID: make(map[string]*profile), handles: make(map[string]*handle)}
	for _, saved := range state.Profiles {
		r.addProfile(saved)
	}
	for _, saved := range state.Devices {
		r.devices.put(saved.ID, saved.UUID, &device{
			Device: saved.Found, id: saved.ID, uuid: saved.UUID, hostname: saved.Hostname, disabled: saved.Disabled,
			created: saved.Created, updated: saved.Updated, card: saved.Card,
		})
	}
	for _, saved := range state.Deployables {
		r.addDeployable(saved)
	}
	for _, saved := range state.Attributes {
		r.attributes.add(saved.UUID, &attribute{
			uuid: saved.UUID, deployableID: saved.DeployableID, key: saved.Key, value: saved.Value, created: saved.Created,
			updated: saved.Updated, made: saved.Made,
		})
	}
	for _, saved := range state.ARQs {
		if err := r.addARQ(saved); err != nil {
			return rows{}, err
		}
	}
	last := state.LastIDs
	r.profiles.lastID, r.devices.lastID, r.deployables.lastID = last.Profiles, last.Devices, last.Deployables
	r.attributes.lastID, r.arqs.lastID = last.Attributes, last.ARQs
	return r.rows, nil
}

// restorer fills rows.
type restorer struct {
	rows
	profilesByUUID map[string]*profile
	handles        map[string]*handle
}

func (r *restorer) addProfile(saved savedProfile) {
	p := &profile{id: saved.ID, uuid: saved.UUID, name: saved.Name, description: saved.Description, created: saved.Created, updated: saved.Updated}
	for _, properties := range saved.Groups {
		group := newObject()
		for _, property := range properties {
			if property.Value == nil {
				group.set(property.Key, nil)
			} else {
				group.set(property.Key, *property.Value)
			}
		}
		p.groups = append(p.groups, group)
	}
	r.profiles.put(p.id, p.uuid, p)
	r.profileName[sameKey(p.name)] = p
	r.profilesByUUID[p.uuid] = p
}

func (r *restorer) addDeployable(saved savedDeployable) {
	d := &deployable{
		Deployable: saved.Found, id: saved.ID, uuid: saved.UUID, deviceID: saved.DeviceID, provider: saved.Provider,
		bitstream: saved.Bitstream, provided: saved.Provided, created: saved.Created, updated: saved.Updated,
	}
	for _, one := range saved.Handles {
		h := &handle{Handle: one.Found, uuid: one.UUID, inUse: one.InUse}
		d.handles = append(d.handles, h)
		r.handles[h.uuid] = h
	}
	r.deployables.put(d.id, d.uuid, d)
	r.byProvider[d.provider] = d
}

func (r *restorer) addARQ(saved savedARQ) error {
	a := &arq{
		id: saved.ID, uuid: saved.UUID, state: saved.State, profile: r.profilesByUUID[saved.Profile], group: saved.Group,
		target: target{hostname: saved.Hostname, deviceRP: saved.DeviceRP, instance: saved.Instance}, project: saved.Project,
		handle: r.handles[saved.Handle], created: saved.Created, updated: saved.Updated, scope: saved.Scope, poison: saved.Poison,
	}
	switch {
	case a.profile == nil || a.group < 0 || a.group >= len(a.profile.groups):
		return fmt.Errorf("accelerator request %s is of group %d of device profile %q, which is not there", a.uuid, a.group, saved.Profile)
	case saved.Handle != "" && a.handle == nil:
		return fmt.Errorf("accelerator request %s has the attach handle %q, which is not there", a.uuid, saved.Handle)
	}
	r.arqs.put(a.id, a.uuid, a)
	a.profile.arqs++
	if a.poison != "" {
		r.poisoned = append(r.poisoned, a)
	}
	if a.instance != nil {
		r.byInstance[*a.instance] = append(r.byInstance[*a.instance], a)
	}
	return nil
}
