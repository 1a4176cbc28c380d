package fakecyborg

import (
	"context"
	"net/http"
	"slices"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// deviceState is a device in the control API, with what its handles are used for.
type deviceState struct {
	UUID     string `json:"uuid"`
	Host     string `json:"host"`
	Type     string `json:"type"`
	Address  string `json:"address"`
	Disabled bool   `json:"disabled"`
	// Broken says that the card is there and does not work.
	Broken bool `json:"broken"`
	// Vanished says that no driver finds it any more, which no report has told, or
	// none could carry out.
	Vanished    bool              `json:"vanished"`
	Deployables []deployableState `json:"deployables"`
}

type deployableState struct {
	UUID      string        `json:"uuid"`
	Name      string        `json:"name"`
	Provider  string        `json:"rp_uuid"`
	Bitstream *string       `json:"bitstream_id"`
	Handles   []handleState `json:"handles"`
}

type handleState struct {
	UUID  string  `json:"uuid"`
	Type  string  `json:"type"`
	Info  *object `json:"info"`
	InUse bool    `json:"in_use"`
	// ARQ is the request that has it, "" for none.
	ARQ string `json:"arq,omitempty"`
}

// listDevices shows all devices with their handles and who has them.
func (c *controlCall) listDevices() controlAnswer {
	list := c.server.store.deviceStates()
	found := make(map[string][]driver.Device)
	for i := range list {
		d := &list[i]
		if _, asked := found[d.Host]; !asked {
			found[d.Host], _ = c.server.find(c.Context(), d.Host) // a driver that fails finds nothing
		}
		at := slices.IndexFunc(found[d.Host], func(device driver.Device) bool { return device.ControlPath == d.Address })
		d.Vanished, d.Broken = at < 0, at >= 0 && found[d.Host][at].Stub
	}
	return jsonAnswer(http.StatusOK, struct {
		Devices []deviceState `json:"devices"`
	}{list})
}

// find asks the drivers of a host for their devices.
func (s *Server) find(ctx context.Context, host string) ([]driver.Device, error) {
	drivers, _, err := s.agent(host)
	if err != nil {
		return nil, err
	}
	return drivers.discover(ctx)
}

func (s *store) deviceStates() []deviceState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	owners := make(map[*handle]string)
	for a := range s.arqs.all {
		if a.handle != nil {
			owners[a.handle] = a.uuid
		}
	}
	list := []deviceState{}
	for d := range s.devices.all {
		state := deviceState{UUID: d.uuid, Host: d.hostname, Type: d.Type, Address: d.ControlPath, Disabled: d.disabled, Deployables: []deployableState{}}
		for _, place := range s.partsOf(d) {
			state.Deployables = append(state.Deployables, place.state(owners))
		}
		list = append(list, state)
	}
	return list
}

func (d *deployable) state(owners map[*handle]string) deployableState {
	state := deployableState{UUID: d.uuid, Name: d.Name, Provider: d.provider, Bitstream: d.bitstream, Handles: []handleState{}}
	for _, h := range d.handles {
		state.Handles = append(state.Handles, handleState{UUID: h.uuid, Type: h.Type, Info: orderedText(h.Info), InUse: h.inUse, ARQ: owners[h]})
	}
	return state
}
