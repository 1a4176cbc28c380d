package placement

import (
	"encoding/json"
	"fmt"
)

// reply is what gophercloud makes of an answer before it is decoded.
type reply interface{ ExtractInto(to any) error }

// decode takes one part out of an answer. An answer without it is refused, not read as empty: what a broken proxy left
// out would otherwise count as gone, and be overwritten.
func decode(op string, from reply, key string, to any) error {
	var body map[string]json.RawMessage
	if err := from.ExtractInto(&body); err != nil {
		return wrap(op, err)
	}
	if raw := body[key]; len(raw) == 0 || string(raw) == "null" {
		return refuse(nil, op, "the answer has no %s: is this the endpoint of Placement?", key)
	}
	if err := json.Unmarshal(body[key], to); err != nil {
		return &Error{Op: op, cause: fmt.Errorf("%s: %w", key, err)}
	}
	return nil
}
