package cyborgclient

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
)

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
	arqs, err := decoded(ctx, c, request{name: "create ARQs", op: op, method: http.MethodPost, path: arqPath, body: body}, decodeARQs)
	if err != nil {
		return nil, err
	}
	if len(arqs) == 0 {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: the profile asks for no accelerator", ErrNoARQs)}
	}
	return arqs, nil
}

// ARQFilter narrows a list of ARQs. The zero value lets all pass.
type ARQFilter struct {
	// Instance is the uuid of the instance that the ARQs are bound to.
	Instance string
	// Resolved leaves out ARQs whose binding has not ended. Together with an
	// instance it is a question: while one of the instance's ARQs is on its way
	// the error is ErrNotResolved (423).
	Resolved bool
}

// ARQs lists the ARQs that the caller may see and the filter lets pass, in order
// of creation. The service reads all rows for it: with many ARQs it is slow.
func (c *Client) ARQs(ctx context.Context, filter ARQFilter) ([]ARQ, error) {
	r := request{name: "list ARQs", method: http.MethodGet}
	state := ""
	if filter.Resolved {
		state, r.name = "resolved", "list resolved ARQs"
	}
	if filter.Instance != "" {
		r.op = r.name + " of instance " + filter.Instance
		r.name += " of an instance"
		if !uuidLike(filter.Instance) {
			return nil, invalid(r.op, "the instance is no uuid")
		}
	}
	r.path = withQuery(arqPath, "instance", filter.Instance, "bind_state", state)
	if filter.Resolved {
		return decoded(ctx, c, r, decodeResolved)
	}
	return decoded(ctx, c, r, decodeARQs)
}

// decodeResolved makes good for Train, which answers 200 and null where later
// releases answer 423, and does not filter a list without an instance.
func decodeResolved(body []byte) ([]ARQ, error) {
	if string(bytes.TrimSpace(body)) == "null" {
		return nil, ErrNotResolved
	}
	arqs, err := decodeARQs(body)
	return slices.DeleteFunc(arqs, func(arq ARQ) bool { return !arq.State.Resolved() }), err
}

// ARQsByInstance lists the instance's ARQs in any state. An instance that has
// none, or that does not exist, gives an empty list and no error.
func (c *Client) ARQsByInstance(ctx context.Context, instance string) ([]ARQ, error) {
	if instance == "" {
		return nil, invalid("list ARQs of an instance", "the instance is empty")
	}
	return c.ARQs(ctx, ARQFilter{Instance: instance})
}

// ARQ reads one ARQ.
func (c *Client) ARQ(ctx context.Context, uuid string) (*ARQ, error) {
	op := "get ARQ " + uuid
	if !uuidLike(uuid) {
		return nil, invalid(op, "it is no uuid")
	}
	return get[ARQ](ctx, c, request{name: "get ARQ", op: op, method: http.MethodGet, path: arqPath + "/" + uuid})
}

const arqPath = "accelerator_requests"
