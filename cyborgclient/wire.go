package cyborgclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// nullable is a string that is null on the wire when it is empty.
type nullable string

// MarshalJSON implements json.Marshaler.
func (n nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(n))
}

// number is an integer that some services send as a numeric string.
type number int

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	value, err := strconv.Atoi(string(bytes.Trim(data, `"`)))
	if err != nil {
		return fmt.Errorf("%s is no integer", data)
	}
	*n = number(value)
	return nil
}

// keepRaw writes an object: as it was read when it says the same as the value
// does now, so that unknown fields and forms survive, or else anew.
// decodeAgain gives the wire form of raw.
func keepRaw(wire any, raw json.RawMessage, decodeAgain func(json.RawMessage) (any, error)) ([]byte, error) {
	now, err := json.Marshal(wire)
	if err != nil || raw == nil {
		return now, err
	}
	again, err := decodeAgain(raw)
	if err != nil {
		return now, nil //nolint:nilerr // an unreadable Raw has no say
	}
	before, err := json.Marshal(again)
	if err == nil && bytes.Equal(before, now) {
		return raw, nil
	}
	return now, nil
}
