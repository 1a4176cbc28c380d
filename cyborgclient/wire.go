package cyborgclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// decodeError says which kind of object could not be read.
type decodeError struct {
	kind string
	err  error
}

func (e *decodeError) Error() string { return e.kind + ": " + e.err.Error() }
func (e *decodeError) Unwrap() error { return e.err }

// nullable is a string that is null on the wire when it is empty.
type nullable string

// MarshalJSON implements json.Marshaler.
func (n nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(n))
}

// number is an integer that some services send as a numeric string. null is 0.
type number int

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	if text == "" || string(data) == "null" {
		*n = 0
		return nil
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s is no integer", data)
	}
	*n = number(value)
	return nil
}

// groupNumber is the index of a group, where 0 is one: null is -1.
type groupNumber int

// UnmarshalJSON implements json.Unmarshaler.
func (n *groupNumber) UnmarshalJSON(data []byte) error {
	if string(data) == "null" || string(data) == `""` {
		*n = -1
		return nil
	}
	return (*number)(n).UnmarshalJSON(data)
}

// MarshalJSON implements json.Marshaler.
func (n groupNumber) MarshalJSON() ([]byte, error) {
	if n < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int(n))
}

// wired is an object of the API. wire is what it looks like on the wire, as far
// as this package knows it.
type wired interface{ wire() any }

// keepRaw writes an object: as it was read when that says the same as the
// object does now, so that unknown fields and forms survive, or else anew.
func keepRaw[T wired](object T, raw json.RawMessage) ([]byte, error) {
	now, err := json.Marshal(object.wire())
	if err != nil || raw == nil {
		return now, err
	}
	var before T
	if json.Unmarshal(raw, &before) != nil {
		return now, nil
	}
	if again, err := json.Marshal(before.wire()); err == nil && bytes.Equal(again, now) {
		return raw, nil
	}
	return now, nil
}
