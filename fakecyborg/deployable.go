package fakecyborg

import (
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// deployable is the part of a device that is one resource provider.
// It mirrors cyborg/objects/deployable.py:Deployable.
type deployable struct {
	// Deployable is without its attributes and handles, which have rows.
	driver.Deployable
	id        int
	uuid      string
	deviceID  int
	provider  string
	bitstream *string
	handles   []*handle
	// provided is what its provider in Placement holds, nil when it has none.
	provided *provided
	created  time.Time
	updated  time.Time
}

// handle is an accelerator, in use or free.
// It mirrors cyborg/objects/attach_handle.py:AttachHandle.
type handle struct {
	driver.Handle
	uuid  string
	inUse bool
}

// freeHandle is the first free handle in the order of the database, nil when
// all are in use.
func (d *deployable) freeHandle() *handle {
	for _, h := range d.handles {
		if !h.inUse {
			return h
		}
	}
	return nil
}

// deployableWire is a deployable on the wire.
// It mirrors cyborg/api/controllers/v2/deployables.py:Deployable.
type deployableWire struct {
	UUID            string  `json:"uuid"`
	ParentID        *int    `json:"parent_id"`
	RootID          *int    `json:"root_id"`
	Name            string  `json:"name"`
	NumAccelerators int     `json:"num_accelerators"`
	DeviceID        int     `json:"device_id"`
	AttributesList  string  `json:"attributes_list"`
	RPUUID          *string `json:"rp_uuid"`
	DriverName      *string `json:"driver_name"`
	BitstreamID     *string `json:"bitstream_id"`
	Links           []link  `json:"links"`
	CreatedAt       *string `json:"created_at"`
	UpdatedAt       *string `json:"updated_at"`
}

type deployableList struct {
	Deployables []deployableWire `json:"deployables"`
}

// wire needs the lock, for the attributes.
func (s *store) wireDeployable(base string, d *deployable) (deployableWire, error) {
	attributes := []*object{}
	for a := range s.attributes.all {
		if a.deployableID == d.id {
			attributes = append(attributes, orderedText([]driver.Pair{{Key: a.key, Value: a.value}}))
		}
	}
	text, err := encode(attributes)
	return deployableWire{
		UUID: d.uuid, Name: d.Name, NumAccelerators: d.NumAccelerators(), DeviceID: d.deviceID,
		AttributesList: string(text),
		RPUUID:         textOrNull(d.provider), DriverName: textOrNull(d.Driver), BitstreamID: d.bitstream,
		Links: []link{
			selfLink(base, "deployables", d.uuid),
			bookmarkLink(base, "deployables", d.uuid),
		},
		CreatedAt: isoTime(d.created), UpdatedAt: isoTime(d.updated),
	}, err
}

// deployableColumns are those of the table deployables; parent and root are null
// in all rows.
var deployableColumns = columns[*deployable]{
	"id":               func(d *deployable) string { return numberText(d.id) },
	"uuid":             func(d *deployable) string { return d.uuid },
	"parent_id":        func(*deployable) string { return "" },
	"root_id":          func(*deployable) string { return "" },
	"name":             func(d *deployable) string { return d.Name },
	"num_accelerators": func(d *deployable) string { return numberText(d.NumAccelerators()) },
	"device_id":        func(d *deployable) string { return numberText(d.deviceID) },
	"driver_name":      func(d *deployable) string { return d.Driver },
	"rp_uuid":          func(d *deployable) string { return d.provider },
	"bitstream_id":     func(d *deployable) string { return valueOf(d.bitstream) },
	"created_at":       func(d *deployable) string { return timeText(d.created) },
	"updated_at":       func(d *deployable) string { return timeText(d.updated) },
}

// valueOf is the text, "" for none.
func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// listDeployables answers in order of ids; with any filter the newest come first.
func (x *exchange) listDeployables() (any, error) {
	filter, err := x.readFilter()
	if err != nil {
		return nil, err
	}
	s := x.server.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []*deployable{}
	for d := range s.deployables.all {
		if !filter.nothing && (filter.name == "" || filter.name == d.Name) {
			found = append(found, d)
		}
	}
	if found, err = arrange(filter, found, deployableColumns); err != nil {
		return nil, err
	}
	answer := deployableList{Deployables: []deployableWire{}}
	for _, d := range found {
		wire, err := s.wireDeployable(x.base(), d)
		if err != nil {
			return nil, err
		}
		answer.Deployables = append(answer.Deployables, wire)
	}
	return answer, nil
}

func (x *exchange) showDeployable() (any, error) {
	uuid := x.parameters["uuid"]
	if !looksLikeUUID(uuid) {
		return nil, badUUIDArgument("uuid", uuid)
	}
	s := x.server.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	d, err := s.findDeployable(uuid)
	if err != nil {
		return nil, err
	}
	return asAnswer(s.wireDeployable(x.base(), d))
}

// findDeployable returns a deployable; the caller holds the lock.
func (s *store) findDeployable(uuid string) (*deployable, error) {
	d, ok := s.deployables.get(uuid)
	if !ok {
		return nil, notFound("Deployable not found with uuid=%s", uuid)
	}
	return d, nil
}
