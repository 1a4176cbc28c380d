package fakecyborg

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
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

// move gives a member another key, at the end, as Python does for a deleted and
// re-added key.
func (o *object) move(from, to string) {
	value := o.values[from]
	delete(o.values, from)
	kept := o.keys[:0]
	for _, key := range o.keys {
		if key != from {
			kept = append(kept, key)
		}
	}
	o.keys = kept
	o.set(to, value)
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
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := decodeValue(decoder)
		if err != nil {
			return nil, err
		}
		o.set(key.(string), value)
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

// pythonType is the name of the value's type in Python's error texts.
func pythonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case json.Number:
		if isInteger(v) {
			return "int"
		}
		return "float"
	case []any:
		return "list"
	}
	return "dict"
}

// truth is Python's bool(v).
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case []any:
		return len(v) > 0
	case *object:
		return len(v.keys) > 0
	}
	return true
}

// pythonStr is Python's str(v).
func pythonStr(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return pythonRepr(v)
}

// pythonRepr is Python's repr(v).
func pythonRepr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return reprString(v)
	case json.Number:
		return reprNumber(v)
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = pythonRepr(element)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *object:
		parts := make([]string, len(v.keys))
		for i, key := range v.keys {
			parts[i] = reprString(key) + ": " + pythonRepr(v.values[key])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "None"
}

// reprString quotes as Python does: single quotes, unless only they occur inside.
func reprString(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + quote
}

func isInteger(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }

func reprNumber(n json.Number) string {
	if isInteger(n) {
		if n == "-0" {
			return "0"
		}
		return string(n)
	}
	f, err := n.Float64()
	switch {
	case err != nil && f < 0:
		return "-inf"
	case err != nil:
		return "inf"
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
