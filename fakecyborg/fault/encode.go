package fault

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"
)

// MarshalJSON writes the form that [Parse] reads, without what is empty.
func (r Rule) MarshalJSON() ([]byte, error) { return marshalFields(reflect.ValueOf(r), nil) }

// MarshalJSON writes the rule and its two counters.
func (c Count) MarshalJSON() ([]byte, error) {
	text, err := c.Rule.MarshalJSON()
	if err != nil {
		return nil, err
	}
	counters, err := json.Marshal(struct {
		Matches int `json:"matches"`
		Hits    int `json:"hits"`
	}{c.Matches, c.Hits})
	text = append(bytes.TrimSuffix(text, []byte("}")), ',')
	return append(text, counters[1:]...), err
}

// member is a key of a JSON object with its value.
type member struct {
	key   string
	value any
}

// marshalFields writes first and then the fields that are not empty, in order.
func marshalFields(of reflect.Value, first []member) ([]byte, error) {
	members := first
	for _, p := range parameters(of.Type()) {
		field := of.Field(p.index)
		if field.IsZero() {
			continue
		}
		value, err := textValue(field.Interface())
		if err != nil {
			return nil, err
		}
		members = append(members, member{p.name, value})
	}
	return marshalMembers(members)
}

func marshalMembers(members []member) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	write := func(value any) error {
		err := encoder.Encode(value)
		out.Truncate(len(bytes.TrimSuffix(out.Bytes(), []byte("\n"))))
		return err
	}
	out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := write(m.key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := write(m.value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// textValue is a value as texts have it: times as "2s", faults with their kind.
func textValue(value any) (any, error) {
	switch value := value.(type) {
	case time.Duration:
		return value.String(), nil
	case []Fault:
		list := make([]json.RawMessage, 0, len(value))
		for _, f := range value {
			text, err := marshalFault(f)
			if err != nil {
				return nil, err
			}
			list = append(list, text)
		}
		return list, nil
	case Fault:
		return marshalFault(value)
	}
	return value, nil
}

func marshalFault(f Fault) (json.RawMessage, error) {
	return marshalFields(reflect.ValueOf(f), []member{{"kind", f.Kind()}})
}
