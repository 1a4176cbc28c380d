package cyborgclient

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// CreateARQs makes the ARQs of a profile, one for each unit of each resource,
// in the order of the profile's groups. A profile that asks for nothing is
// ErrNoARQs, as in Nova. When the call fails, ARQs of it may exist: the service
// does not create them at once.
//
// Where the service's database compares names without case, it takes another
// profile for the one that is asked for ("GPU" for "gpu"). The ARQs of that one
// are deleted again, and the error is ErrNotFound.
func (c *Client) CreateARQs(ctx context.Context, profileName string) ([]ARQ, error) {
	op := "create ARQs of device profile " + profileName
	if err := checkLookupName(profileName); err != nil {
		return nil, invalid(op, "%w", err)
	}
	body := map[string]string{"device_profile_name": profileName}
	arqs, err := decoded(ctx, c, request{name: "create ARQs", op: op, method: http.MethodPost, path: arqPath, body: body}, decodeARQs)
	if err != nil {
		return nil, err
	}
	if len(arqs) == 0 {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: the profile asks for no accelerator", ErrNoARQs)}
	}
	for _, arq := range arqs {
		switch other := arq.DeviceProfileName; {
		case other == profileName || other == "":
		case strings.EqualFold(other, profileName):
			return nil, c.undoCreate(ctx, op, arqs, other)
		default:
			return nil, &Error{Op: op, Err: fmt.Errorf("%w: it has ARQ %s of device profile %q", ErrInvalidAnswer, arq.UUID, other)}
		}
	}
	return arqs, nil
}

// undoCreate deletes ARQs of another profile than was asked for, also when the
// caller's time is over. Only names that differ in case are known to come from
// the service: an answer with other names may be anybody's.
func (c *Client) undoCreate(ctx context.Context, op string, arqs []ARQ, other string) error {
	uuids := make([]string, len(arqs))
	for i, arq := range arqs {
		uuids[i] = arq.UUID
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	err := fmt.Errorf("%w: there is no device profile of this name; the service made ARQs of %q, which were deleted again", ErrNotFound, other)
	if _, undo := c.DeleteARQs(ctx, uuids...); undo != nil {
		err = fmt.Errorf("%w: the service made ARQs of device profile %q, and they are still there: %w", ErrInvalidAnswer, other, undo)
	}
	return &Error{Op: op, Err: err}
}

// afterwards is the context for what has to be done after a failure, even when
// the caller's has ended.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	const enough = 5 * time.Second
	return context.WithTimeout(context.WithoutCancel(ctx), enough)
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
		var err error
		if filter.Instance, err = canonical(filter.Instance); err != nil {
			return nil, invalid(r.op, "the instance %w", err)
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
	uuid, err := canonical(uuid)
	if err != nil {
		return nil, invalid(op, "%w", err)
	}
	return get[ARQ](ctx, c, request{name: "get ARQ", op: op, method: http.MethodGet, path: arqPath + "/" + uuid})
}

const arqPath = "accelerator_requests"
