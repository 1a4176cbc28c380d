package cyborgclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// Binding gives an ARQ its place.
type Binding struct {
	ARQ string
	// Hostname is the compute node's name, not that of the service's host: the
	// name of the provider that is placement.Candidate.RootProvider.
	Hostname string
	// DeviceRP is the uuid of the resource provider that serves the ARQ; see
	// Match.
	DeviceRP string
	Instance string
	// Project, when given, becomes the ARQ's project instead of the caller's.
	// Only an admin may set it, and the server must have microversion 2.1.
	Project string
}

// Bind binds all ARQs of one instance in one request, as Nova does
// (nova/accelerator/cyborg.py: bind_arqs); a second one for the same instance
// is refused by the service (ErrInstanceHasARQs). When it returns nil the ARQs
// are Bound, or BindStarted where a device has to be programmed first.
//
// An error does not mean that nothing happened: earlier ARQs of the request
// may be Bound, one BindStarted or BindFailed, and all may be Bound when only
// the notification of Nova failed or the answer was lost. So the instance's ARQs
// are read after an error: see Error.ARQs and Error.AllBound. Unbind or delete
// them to undo. When it was the context's deadline that ended the bind, that
// reading may take five seconds more; when the context was cancelled nothing is
// read.
func (c *Client) Bind(ctx context.Context, bindings []Binding) error {
	if len(bindings) == 0 {
		return invalid("bind ARQs", "there are none")
	}
	op := "bind ARQs of instance " + bindings[0].Instance
	bindings, err := checkedBindings(bindings)
	if err != nil {
		return invalid(op, "%w", err)
	}
	r := request{name: "bind ARQs", op: op, method: http.MethodPatch, path: arqPath, service: true}
	body := make(patchBody, len(bindings))
	for i, b := range bindings {
		body[i] = b.patch()
		if b.Project != "" {
			r.version = versionBindProject
		}
	}
	r.body = body
	err = c.do(ctx, r)
	c.tellBound(ctx, bindings, err)
	return err
}

// Unbind frees the devices of the ARQs and keeps the ARQs, in any state they
// are in. It is no error to repeat it. After an error the ARQs are read, as after
// a Bind: see Error.ARQs.
func (c *Client) Unbind(ctx context.Context, uuids ...string) error {
	if len(uuids) == 0 {
		return nil
	}
	const op = "unbind ARQs"
	uuids, err := canonicals(uuids)
	if err != nil {
		return invalid(op, "%w", err)
	}
	body := make(patchBody, len(uuids))
	for i, uuid := range uuids {
		body[i] = arqPatch{uuid, []operation{
			{Path: "/hostname", Op: "remove"},
			{Path: "/device_rp_uuid", Op: "remove"},
			{Path: "/instance_uuid", Op: "remove"},
		}}
	}
	err = c.do(ctx, request{name: op, method: http.MethodPatch, path: arqPath, body: body, service: true})
	c.tellUnbound(ctx, uuids, err)
	return err
}

// checkedBindings refuses what the service would store and choke on, and writes
// uuids as it does. It compares only the first ARQ's instance with what exists,
// so that a mixture of instances would go wrong silently.
func checkedBindings(bindings []Binding) ([]Binding, error) {
	seen := make(map[string]bool)
	checked := make([]Binding, len(bindings))
	for i, b := range bindings {
		b, err := b.checked()
		switch {
		case err != nil:
			return nil, fmt.Errorf("binding %d: %w", i, err)
		case i > 0 && b.Instance != checked[0].Instance:
			return nil, fmt.Errorf("binding %d: it is for another instance, %s", i, b.Instance)
		case seen[b.ARQ]:
			return nil, fmt.Errorf("binding %d: ARQ %s is named twice", i, b.ARQ)
		}
		seen[b.ARQ], checked[i] = true, b
	}
	return checked, nil
}

// checked leaves the project as it is: Keystone writes its ids without dashes.
func (b Binding) checked() (Binding, error) {
	var err error
	if b.ARQ, err = canonical(b.ARQ); err != nil {
		return b, fmt.Errorf("the ARQ %w", err)
	}
	if b.DeviceRP, err = canonical(b.DeviceRP); err != nil {
		return b, fmt.Errorf("the device's resource provider %w", err)
	}
	if b.Instance, err = canonical(b.Instance); err != nil {
		return b, fmt.Errorf("the instance %w", err)
	}
	switch {
	case b.Hostname == "":
		return b, errors.New("the hostname is empty")
	case b.Project != "" && !uuidLike(b.Project):
		return b, fmt.Errorf("the project %q is no uuid", b.Project)
	}
	return b, nil
}

// patch has the operations in Nova's order.
func (b Binding) patch() arqPatch {
	operations := []operation{
		{Path: "/hostname", Op: "add", Value: b.Hostname},
		{Path: "/device_rp_uuid", Op: "add", Value: b.DeviceRP},
		{Path: "/instance_uuid", Op: "add", Value: b.Instance},
	}
	if b.Project != "" {
		operations = append(operations, operation{Path: "/project_id", Op: "add", Value: b.Project})
	}
	return arqPatch{b.ARQ, operations}
}

// operation only looks like JSON Patch: the paths are fixed.
type operation struct {
	Path  string `json:"path"`
	Op    string `json:"op"`
	Value string `json:"value,omitempty"`
}

type arqPatch struct {
	arq        string
	operations []operation
}

// patchBody is an object keyed by ARQ. Its order is kept: the service works
// through it in this order and looks at the first one more closely.
type patchBody []arqPatch

// MarshalJSON implements json.Marshaler.
func (p patchBody) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, patch := range p {
		out.WriteByte("{,"[min(i, 1)])
		operations, err := json.Marshal(patch.operations)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%q:%s", patch.arq, operations)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
