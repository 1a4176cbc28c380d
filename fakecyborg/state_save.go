package fakecyborg

import "encoding/json"

// encodeState is the present state as a state file, and the count of changes that
// it holds.
func (s *Server) encodeState() (data []byte, changes uint64, err error) {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	changes = s.store.mu.writes.Load() // before the machines are looked at, which have their own locks
	state := savedState{Version: stateVersion, Seed: s.store.seedText}
	state.ClockFixed, state.ClockOffset = s.store.clock.setting()
	s.store.save(&state)
	data, err = json.MarshalIndent(state, "", " ")
	return data, changes, err
}

// save copies all rows; the caller holds the lock.
func (s *store) save(state *savedState) {
	state.LastIDs = savedIDs{
		Profiles: s.profiles.lastID, Devices: s.devices.lastID, Deployables: s.deployables.lastID,
		Attributes: s.attributes.lastID, ARQs: s.arqs.lastID,
	}
	for p := range s.profiles.all {
		state.Profiles = append(state.Profiles, p.saved())
	}
	for d := range s.devices.all {
		state.Devices = append(state.Devices, savedDevice{
			ID: d.id, UUID: d.uuid, Hostname: d.hostname, Disabled: d.disabled, Created: d.created, Updated: d.updated,
			Found: d.Device, Card: s.cardNow(d),
		})
	}
	state.Cards = s.unreportedCards()
	for d := range s.deployables.all {
		state.Deployables = append(state.Deployables, d.saved())
	}
	for a := range s.attributes.all {
		state.Attributes = append(state.Attributes, savedAttribute{
			UUID: a.uuid, DeployableID: a.deployableID, Key: a.key, Value: a.value, Created: a.created,
			Updated: a.updated, Made: a.made,
		})
	}
	for a := range s.arqs.all {
		state.ARQs = append(state.ARQs, a.saved())
	}
}

// unreportedCards are those in machines that the tables do not have; the caller holds
// the lock.
func (s *store) unreportedCards() []savedCard {
	var cards []savedCard
	for _, host := range s.seed.Hosts {
		for _, slot := range s.machines[host.Name].Slots() {
			if _, known := s.deviceAt(host.Name, slot.ControlPath); !known {
				cards = append(cards, savedCard{Hostname: host.Name, Card: Device{Driver: slot.Kind, Card: slot.Card, Broken: slot.Broken}})
			}
		}
	}
	return cards
}

func (p *profile) saved() savedProfile {
	saved := savedProfile{ID: p.id, UUID: p.uuid, Name: p.name, Description: p.description, Created: p.created, Updated: p.updated}
	for _, group := range p.groups {
		properties := make([]savedProperty, 0, len(group.keys))
		for _, key := range group.keys {
			property := savedProperty{Key: key}
			if value, ok := group.values[key].(string); ok {
				property.Value = &value
			}
			properties = append(properties, property)
		}
		saved.Groups = append(saved.Groups, properties)
	}
	return saved
}

func (d *deployable) saved() savedDeployable {
	saved := savedDeployable{
		ID: d.id, UUID: d.uuid, DeviceID: d.deviceID, Provider: d.provider, Bitstream: d.bitstream,
		Created: d.created, Updated: d.updated, Found: d.Deployable, Provided: d.provided,
	}
	for _, h := range d.handles {
		saved.Handles = append(saved.Handles, savedHandle{UUID: h.uuid, InUse: h.inUse, Found: h.Handle})
	}
	return saved
}

func (a *arq) saved() savedARQ {
	saved := savedARQ{
		ID: a.id, UUID: a.uuid, State: a.state, Profile: a.profile.uuid, Group: a.group,
		Hostname: a.hostname, DeviceRP: a.deviceRP, Instance: a.instance, Project: a.project,
		Created: a.created, Updated: a.updated, Scope: a.scope, Poison: a.poison,
	}
	if a.handle != nil {
		saved.Handle = a.handle.uuid
	}
	return saved
}
