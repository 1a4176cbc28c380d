package placementtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// object and list are JSON values as [decodeBody] gives them.
type (
	object = map[string]any
	list   = []any
)

// decodeBody reads JSON and checks it. Mirrors extract_json of placement/util.py.
func decodeBody(body []byte, s *schema) (any, *fault) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, badRequest("Malformed JSON: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badRequest("Malformed JSON: extra data after the value")
	}
	if err := s.check(v); err != nil {
		return nil, badRequest("JSON does not validate: %v", err)
	}
	return v, nil
}

// decodeObject reads a body whose schema is an object.
func decodeObject(body []byte, s *schema) (object, *fault) {
	v, f := decodeBody(body, s)
	if f != nil {
		return nil, f
	}
	o, ok := v.(object)
	if !ok {
		return nil, badRequest("JSON does not validate: an object is expected")
	}
	return o, nil
}

// text is a string property, empty when it is absent or null.
func text(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// integer is a number property, with whether it is there and not null.
func integer(o object, key string) (int64, bool) {
	n, ok := o[key].(json.Number)
	if !ok {
		return 0, false
	}
	return toInt(n), true
}

// texts is an array of strings.
func texts(v any) []string {
	items, _ := v.(list)
	out := make([]string, 0, len(items))
	for _, item := range items {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
