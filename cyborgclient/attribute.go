package cyborgclient

import (
	"encoding/json"
	"slices"
)

// Attribute is a property of a deployable with an identity of its own; see
// DeployableAttribute for the same inside the deployable (openstack/cyborg:
// cyborg/api/controllers/v2/attributes.py).
type Attribute struct {
	UUID string
	// DeployableID is the deployable's number in the database, which the API
	// shows nowhere else.
	DeployableID int
	Key, Value   string
	CreatedAt    Timestamp
	UpdatedAt    Timestamp
	// Raw is the object as Cyborg sent it.
	Raw json.RawMessage
}

type attributeWire struct {
	UUID         string    `json:"uuid"`
	DeployableID number    `json:"deployable_id"`
	Key          string    `json:"key"`
	Value        string    `json:"value"`
	CreatedAt    Timestamp `json:"created_at"`
	UpdatedAt    Timestamp `json:"updated_at"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Attribute) UnmarshalJSON(data []byte) error {
	var w attributeWire
	if err := json.Unmarshal(data, &w); err != nil {
		return &decodeError{"attribute", err}
	}
	*a = Attribute{
		UUID: w.UUID, DeployableID: int(w.DeployableID), Key: w.Key, Value: w.Value,
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Raw: slices.Clone(data),
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (a Attribute) MarshalJSON() ([]byte, error) { return keepRaw(a, a.Raw) }

func (a Attribute) wire() any {
	return attributeWire{a.UUID, number(a.DeployableID), a.Key, a.Value, a.CreatedAt, a.UpdatedAt}
}
