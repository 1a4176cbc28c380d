package cyborgclient

import (
	"encoding/json"
	"slices"
)

// ARQ is an accelerator request: one accelerator that an instance wants or has
// (openstack/cyborg: cyborg/api/controllers/v2/arqs.py).
type ARQ struct {
	UUID              string
	State             ARQState
	DeviceProfileName string
	// DeviceProfileGroupID is the index of the profile's group that it serves, -1
	// when Cyborg says null.
	DeviceProfileGroupID int
	// The next four are "" until the ARQ is bound; ProjectID may be set before.
	Hostname     string
	DeviceRPUUID string
	InstanceUUID string
	ProjectID    string
	// AttachHandle is filled in state Bound only.
	AttachHandle AttachHandle
	CreatedAt    Timestamp
	UpdatedAt    Timestamp
	// Raw is the object as Cyborg sent it.
	Raw json.RawMessage
}

type arqWire struct {
	UUID                 string      `json:"uuid"`
	State                ARQState    `json:"state"`
	DeviceProfileName    string      `json:"device_profile_name"`
	DeviceProfileGroupID groupNumber `json:"device_profile_group_id"`
	Hostname             nullable    `json:"hostname"`
	DeviceRPUUID         nullable    `json:"device_rp_uuid"`
	InstanceUUID         nullable    `json:"instance_uuid"`
	ProjectID            nullable    `json:"project_id"`
	AttachHandleType     HandleType  `json:"attach_handle_type"`
	AttachHandleUUID     nullable    `json:"attach_handle_uuid"`
	AttachHandleInfo     handleInfo  `json:"attach_handle_info"`
	CreatedAt            Timestamp   `json:"created_at"`
	UpdatedAt            Timestamp   `json:"updated_at"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *ARQ) UnmarshalJSON(data []byte) error {
	var w arqWire
	if err := json.Unmarshal(data, &w); err != nil {
		return &decodeError{"ARQ", err}
	}
	*a = w.arq(slices.Clone(data))
	return nil
}

func (w *arqWire) arq(raw json.RawMessage) ARQ {
	return ARQ{
		UUID: w.UUID, State: w.State,
		DeviceProfileName: w.DeviceProfileName, DeviceProfileGroupID: int(w.DeviceProfileGroupID),
		Hostname: string(w.Hostname), DeviceRPUUID: string(w.DeviceRPUUID),
		InstanceUUID: string(w.InstanceUUID), ProjectID: string(w.ProjectID),
		AttachHandle: AttachHandle{Type: w.AttachHandleType, UUID: string(w.AttachHandleUUID), Info: w.AttachHandleInfo},
		CreatedAt:    w.CreatedAt, UpdatedAt: w.UpdatedAt, Raw: raw,
	}
}

// MarshalJSON implements json.Marshaler.
func (a ARQ) MarshalJSON() ([]byte, error) { return keepRaw(a, a.Raw) }

func (a ARQ) wire() any {
	info := handleInfo(a.AttachHandle.Info)
	if info == nil {
		info = handleInfo{}
	}
	return arqWire{
		a.UUID, a.State, a.DeviceProfileName, groupNumber(a.DeviceProfileGroupID),
		nullable(a.Hostname), nullable(a.DeviceRPUUID), nullable(a.InstanceUUID), nullable(a.ProjectID),
		a.AttachHandle.Type, nullable(a.AttachHandle.UUID), info, a.CreatedAt, a.UpdatedAt,
	}
}
