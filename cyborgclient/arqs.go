package cyborgclient

import (
	"context"
	"fmt"
	"net/http"
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
	arqs, err := c.arqs(ctx, request{name: "create ARQs", op: op, method: http.MethodPost, path: arqPath, body: body})
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
	return c.arqs(ctx, request{name: "list ARQs", method: http.MethodGet, path: arqPath})
}

// ARQsByInstance lists the instance's ARQs in any state. An instance that has
// none, or that does not exist, gives an empty list and no error.
func (c *Client) ARQsByInstance(ctx context.Context, instance string) ([]ARQ, error) {
	op := "list ARQs of instance " + instance
	if !uuidLike(instance) {
		return nil, invalid(op, "the instance is no uuid")
	}
	return c.arqs(ctx, request{name: "list ARQs of an instance", op: op, method: http.MethodGet, path: arqPath + "?instance=" + instance})
}

// ResolvedARQs lists the instance's ARQs when binding has ended for all of them;
// until then the error is ErrNotResolved (423).
func (c *Client) ResolvedARQs(ctx context.Context, instance string) ([]ARQ, error) {
	op := "list resolved ARQs of instance " + instance
	if !uuidLike(instance) {
		return nil, invalid(op, "the instance is no uuid")
	}
	path := arqPath + "?instance=" + instance + "&bind_state=resolved"
	return c.arqs(ctx, request{name: "list resolved ARQs of an instance", op: op, method: http.MethodGet, path: path})
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

func (c *Client) arqs(ctx context.Context, r request) ([]ARQ, error) {
	return decoded(ctx, c, r, decodeARQs)
}
