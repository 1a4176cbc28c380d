package cyborgclient

import (
	"context"
	"encoding/json"
	"fmt"
)

// object is what the API gives out: every one has a uuid.
type object interface {
	ARQ | DeviceProfile | Device | Deployable
	wired
	id() string
}

func (a ARQ) id() string           { return a.UUID }
func (p DeviceProfile) id() string { return p.UUID }
func (d Device) id() string        { return d.UUID }
func (d Deployable) id() string    { return d.UUID }

// list sends a request whose answer has a list of objects under the key.
func list[T object](ctx context.Context, c *Client, r request, key string) ([]T, error) {
	var answer map[string]json.RawMessage
	r.answer = &answer
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	var objects []T
	if raw, ok := answer[key]; ok {
		if err := json.Unmarshal(raw, &objects); err != nil {
			return nil, unusable(r.op, "%w", err)
		}
	}
	if objects == nil {
		return nil, unusable(r.op, "it has no %q: is this the endpoint of Cyborg?", key)
	}
	for i, object := range objects {
		if !uuidLike(object.id()) {
			return nil, unusable(r.op, "entry %d of %q has the uuid %q", i, key, object.id())
		}
	}
	return objects, nil
}

// get sends a request whose answer is one object.
func get[T object](ctx context.Context, c *Client, r request) (*T, error) {
	var object T
	r.answer = &object
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	if !uuidLike(object.id()) {
		return nil, unusable(r.op, "it has the uuid %q: is this the endpoint of Cyborg?", object.id())
	}
	return &object, nil
}

// unusable is the error for an answer of success without its content: something
// between us and Cyborg answered, or it is no Cyborg. What was asked for may
// have been done.
func unusable(op, format string, args ...any) *Error {
	return &Error{Op: op, Err: fmt.Errorf("%w: %w", ErrInvalidAnswer, fmt.Errorf(format, args...))}
}
