package cyborgclient

import (
	"encoding/json"
	"slices"
)

// Deployable is the part of a device that Placement knows as a resource
// provider and that ARQs are bound to (openstack/cyborg:
// cyborg/api/controllers/v2/deployables.py).
type Deployable struct {
	UUID string
	// ParentID and RootID are nil: no driver sets them.
	ParentID, RootID *int
	// Name is also the resource provider's name.
	Name            string
	NumAccelerators int
	// DeviceID is the device's number in the database, which the API shows
	// nowhere else.
	DeviceID int
	// AttributesList is a JSON document; see Attributes.
	AttributesList string
	// RPUUID is the uuid of the resource provider, "" until it is reported.
	RPUUID      string
	DriverName  string
	BitstreamID string
	CreatedAt   Timestamp
	UpdatedAt   Timestamp
	// Raw is the object as Cyborg sent it.
	Raw json.RawMessage
}

type deployableWire struct {
	UUID            string    `json:"uuid"`
	ParentID        *number   `json:"parent_id"`
	RootID          *number   `json:"root_id"`
	Name            string    `json:"name"`
	NumAccelerators number    `json:"num_accelerators"`
	DeviceID        number    `json:"device_id"`
	AttributesList  nullable  `json:"attributes_list"`
	RPUUID          nullable  `json:"rp_uuid"`
	DriverName      nullable  `json:"driver_name"`
	BitstreamID     nullable  `json:"bitstream_id"`
	CreatedAt       Timestamp `json:"created_at"`
	UpdatedAt       Timestamp `json:"updated_at"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Deployable) UnmarshalJSON(data []byte) error {
	var w deployableWire
	if err := json.Unmarshal(data, &w); err != nil {
		return &decodeError{"deployable", err}
	}
	*d = Deployable{
		UUID: w.UUID, ParentID: (*int)(w.ParentID), RootID: (*int)(w.RootID), Name: w.Name,
		NumAccelerators: int(w.NumAccelerators), DeviceID: int(w.DeviceID),
		AttributesList: string(w.AttributesList), RPUUID: string(w.RPUUID),
		DriverName: string(w.DriverName), BitstreamID: string(w.BitstreamID),
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Raw: slices.Clone(data),
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (d Deployable) MarshalJSON() ([]byte, error) { return keepRaw(d, d.Raw) }

func (d Deployable) wire() any {
	return deployableWire{
		d.UUID, (*number)(d.ParentID), (*number)(d.RootID), d.Name, number(d.NumAccelerators), number(d.DeviceID),
		nullable(d.AttributesList), nullable(d.RPUUID), nullable(d.DriverName), nullable(d.BitstreamID),
		d.CreatedAt, d.UpdatedAt,
	}
}

// DeployableAttribute is one thing that a driver reports of a deployable: the
// key "rc" gives its resource class, keys that begin with "trait" its traits.
type DeployableAttribute struct{ Key, Value string }

// Attributes reads AttributesList, which is a list of objects with one key
// each.
func (d Deployable) Attributes() ([]DeployableAttribute, error) {
	if d.AttributesList == "" {
		return nil, nil
	}
	var list []map[string]string
	if err := json.Unmarshal([]byte(d.AttributesList), &list); err != nil {
		return nil, &Error{Op: "read the attributes of deployable " + d.UUID, Err: err}
	}
	var attributes []DeployableAttribute
	for _, object := range list {
		for key, value := range object {
			attributes = append(attributes, DeployableAttribute{key, value})
		}
	}
	return attributes, nil
}
