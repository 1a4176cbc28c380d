package fakecyborg

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// A request body is decoded into what Python would hold: nil, bool, string,
// json.Number, []any, or *object. The fake needs the order of members and the
// difference between kinds, because Cyborg's answers depend on both.

// errNotJSON says that a body is not JSON.
var errNotJSON = errors.New("not JSON")

// object is a JSON object whose members keep their order, as Python's dict does.
type object struct {
	keys   []string
	values map[string]any
}

func newObject() *object { return &object{values: make(map[string]any)} }

// set adds a member at the end, or replaces the value of one that exists.
func (o *object) set(key string, value any) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// rename is another key for a member.
type rename struct{ from, to string }

// renameAll gives members other keys, at the end, as Python does for a deleted
// and re-added key. No key may be renamed and be the new name of another.
func (o *object) renameAll(renames []rename) {
	if len(renames) == 0 {
		return
	}
	for _, r := range renames {
		value := o.values[r.from]
		delete(o.values, r.from)
		o.set(r.to, value)
	}
	o.keys = slices.DeleteFunc(o.keys, func(key string) bool {
		_, ok := o.values[key]
		return !ok
	})
}

// MarshalJSON writes the members in order.
func (o *object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := encoder.Encode(key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := encoder.Encode(o.values[key]); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// decode reads one JSON document.
func decode(data []byte) (any, error) {
	if !json.Valid(data) {
		return nil, errNotJSON
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decodeValue(decoder)
}

func decodeValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return decodeObject(decoder)
	case json.Delim('['):
		return decodeList(decoder)
	}
	return token, nil
}

func decodeObject(decoder *json.Decoder) (any, error) {
	o := newObject()
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, errNotJSON
		}
		value, err := decodeValue(decoder)
		if err != nil {
			return nil, err
		}
		o.set(key, value)
	}
	_, err := decoder.Token()
	return o, err
}

func decodeList(decoder *json.Decoder) (any, error) {
	list := []any{}
	for decoder.More() {
		value, err := decodeValue(decoder)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := decoder.Token()
	return list, err
}
