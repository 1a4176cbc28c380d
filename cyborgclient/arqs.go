package cyborgclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// ARQ is an accelerator request: one accelerator that an instance wants or has
// (openstack/cyborg: cyborg/api/controllers/v2/arqs.py).
type ARQ struct {
	UUID              string
	State             ARQState
	DeviceProfileName string
	// DeviceProfileGroupID is the index of the profile's group that it serves.
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
	UUID                 string         `json:"uuid"`
	State                ARQState       `json:"state"`
	DeviceProfileName    string         `json:"device_profile_name"`
	DeviceProfileGroupID number         `json:"device_profile_group_id"`
	Hostname             nullable       `json:"hostname"`
	DeviceRPUUID         nullable       `json:"device_rp_uuid"`
	InstanceUUID         nullable       `json:"instance_uuid"`
	ProjectID            nullable       `json:"project_id"`
	AttachHandleType     HandleType     `json:"attach_handle_type"`
	AttachHandleUUID     nullable       `json:"attach_handle_uuid"`
	AttachHandleInfo     handleInfo     `json:"attach_handle_info"`
	CreatedAt            Timestamp      `json:"created_at"`
	UpdatedAt            Timestamp      `json:"updated_at"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *ARQ) UnmarshalJSON(data []byte) error {
	var w arqWire
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("ARQ: %w", err)
	}
	*a = ARQ{
		UUID: w.UUID, State: w.State,
		DeviceProfileName: w.DeviceProfileName, DeviceProfileGroupID: int(w.DeviceProfileGroupID),
		Hostname: string(w.Hostname), DeviceRPUUID: string(w.DeviceRPUUID),
		InstanceUUID: string(w.InstanceUUID), ProjectID: string(w.ProjectID),
		AttachHandle: AttachHandle{Type: w.AttachHandleType, UUID: string(w.AttachHandleUUID), Info: w.AttachHandleInfo},
		CreatedAt:    w.CreatedAt, UpdatedAt: w.UpdatedAt, Raw: slices.Clone(data),
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (a ARQ) MarshalJSON() ([]byte, error) {
	return keepRaw(a.wire(), a.Raw, func(raw json.RawMessage) (any, error) {
		var before ARQ
		err := json.Unmarshal(raw, &before)
		return before.wire(), err
	})
}

func (a ARQ) wire() arqWire {
	info := handleInfo(a.AttachHandle.Info)
	if info == nil {
		info = handleInfo{}
	}
	return arqWire{
		a.UUID, a.State, a.DeviceProfileName, number(a.DeviceProfileGroupID),
		nullable(a.Hostname), nullable(a.DeviceRPUUID), nullable(a.InstanceUUID), nullable(a.ProjectID),
		a.AttachHandle.Type, nullable(a.AttachHandle.UUID), info, a.CreatedAt, a.UpdatedAt,
	}
}

// CreateARQs makes the ARQs of a profile, one for each unit of each resource,
// in the order of the profile's groups. A profile that asks for nothing is
// ErrNoARQs, as in Nova. When the call fails, ARQs of it may exist: the service
// does not create them at once.
func (c *Client) CreateARQs(ctx context.Context, profileName string) ([]ARQ, error) {
	op := "create ARQs of device profile " + profileName
	if profileName == "" {
		return nil, invalid(op, "the name is empty")
	}
	body := map[string]string{"device_profile_name": profileName}
	arqs, err := c.arqs(ctx, request{op: op, method: http.MethodPost, path: arqPath, body: body})
	if err != nil {
		return nil, err
	}
	if len(arqs) == 0 {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: the profile asks for no accelerator", ErrNoARQs)}
	}
	return arqs, nil
}

// ARQs lists all ARQs that the caller may see, in order of creation. The
// service reads all rows for it: with many ARQs it is slow.
func (c *Client) ARQs(ctx context.Context) ([]ARQ, error) {
	return c.arqs(ctx, request{op: "list ARQs", method: http.MethodGet, path: arqPath})
}

// ARQsByInstance lists the instance's ARQs in any state. An instance that has
// none, or that does not exist, gives an empty list and no error.
func (c *Client) ARQsByInstance(ctx context.Context, instance string) ([]ARQ, error) {
	op := "list ARQs of instance " + instance
	if !uuidLike(instance) {
		return nil, invalid(op, "the instance is no uuid")
	}
	return c.arqs(ctx, request{op: op, method: http.MethodGet, path: arqPath + "?instance=" + instance})
}

// ARQ reads one ARQ.
func (c *Client) ARQ(ctx context.Context, uuid string) (*ARQ, error) {
	op := "get ARQ " + uuid
	if !uuidLike(uuid) {
		return nil, invalid(op, "it is no uuid")
	}
	var arq ARQ
	if err := c.do(ctx, request{op: op, method: http.MethodGet, path: arqPath + "/" + uuid, answer: &arq}); err != nil {
		return nil, err
	}
	return &arq, nil
}

const arqPath = "accelerator_requests"

func (c *Client) arqs(ctx context.Context, r request) ([]ARQ, error) {
	var answer struct {
		ARQs []ARQ `json:"arqs"`
	}
	r.answer = &answer
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	if answer.ARQs == nil {
		return nil, missing(r.op, "arqs")
	}
	return answer.ARQs, nil
}

// missing is the error for an answer of success without its content: something
// between us and Cyborg answered, or it is no Cyborg.
func missing(op, key string) *Error {
	return &Error{Op: op, Err: fmt.Errorf("the answer has no %q: is this the endpoint of Cyborg?", key)}
}
