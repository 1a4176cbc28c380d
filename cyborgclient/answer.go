package cyborgclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// object is what the API gives out: every one has a uuid.
type object interface {
	ARQ | DeviceProfile | Device | Deployable | Attribute
	wired
	id() string
}

func (a ARQ) id() string           { return a.UUID }
func (p DeviceProfile) id() string { return p.UUID }
func (d Device) id() string        { return d.UUID }
func (d Deployable) id() string    { return d.UUID }
func (a Attribute) id() string     { return a.UUID }

// list sends a request whose answer has a list of objects under the key.
func list[T object](ctx context.Context, c *Client, r request, key string) ([]T, error) {
	return decoded(ctx, c, r, func(body []byte) ([]T, error) { return decodeList[T](body, key) })
}

// decoded sends a request and reads its answer with the function.
func decoded[T any](ctx context.Context, c *Client, r request, decode func([]byte) (T, error)) (result T, err error) {
	r.decode = func(body []byte) (err error) {
		result, err = decode(body)
		return r.unusable(err)
	}
	if err := c.do(ctx, r); err != nil {
		var none T
		return none, err
	}
	return result, nil
}

func decodeList[T object](body []byte, key string) ([]T, error) {
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	var objects []T
	if raw, ok := answer[key]; ok {
		if err := json.Unmarshal(raw, &objects); err != nil {
			return nil, err
		}
	}
	if objects == nil {
		return nil, fmt.Errorf("it has no %q: is this the endpoint of Cyborg?", key)
	}
	return objects, checkIDs(objects, key)
}

func checkIDs[T object](objects []T, key string) error {
	for i, object := range objects {
		if !uuidLike(object.id()) {
			return fmt.Errorf("entry %d of %q has the uuid %q", i, key, object.id())
		}
	}
	return nil
}

// get sends a request whose answer is one object.
func get[T object](ctx context.Context, c *Client, r request) (*T, error) {
	var object T
	r.decode = func(body []byte) error { return r.unusable(decodeObject(body, &object)) }
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	return &object, nil
}

func decodeObject[T object](body []byte, object *T) error {
	if err := json.Unmarshal(body, object); err != nil {
		return err
	}
	if id := (*object).id(); !uuidLike(id) {
		return fmt.Errorf("it has the uuid %q: is this the endpoint of Cyborg?", id)
	}
	return nil
}

// unusable is the error for an answer of success without its content: something
// between us and Cyborg answered, or it is no Cyborg. What was asked for may
// have been done.
func (r request) unusable(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotResolved):
		return &Error{Op: r.text(), Err: err}
	}
	return &Error{Op: r.text(), Err: fmt.Errorf("%w: %w", ErrInvalidAnswer, err)}
}
