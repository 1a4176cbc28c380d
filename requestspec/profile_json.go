package requestspec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// UnmarshalJSON reads a JSON object and keeps the order of its keys. Of a key that occurs twice the last value
// counts, at the place of the first. Numbers stay json.Number, so that no digit is lost.
func (g *ProfileGroup) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return errors.Join(errors.New("profile group: must be a JSON object"), err)
	}
	group := ProfileGroup{}
	places := map[string]int{}
	for decoder.More() {
		property, err := readProperty(decoder)
		if err != nil {
			return err
		}
		if place, seen := places[property.Key]; seen {
			group[place] = property
			continue
		}
		places[property.Key] = len(group)
		group = append(group, property)
	}
	if _, err := decoder.Token(); err != nil {
		return fmt.Errorf("profile group: %w", err)
	}
	*g = group
	return nil
}

func readProperty(decoder *json.Decoder) (Property, error) {
	token, err := decoder.Token()
	if err != nil {
		return Property{}, fmt.Errorf("profile group: %w", err)
	}
	key, _ := token.(string) // the decoder gives nothing else where a key stands
	property := Property{Key: key}
	if err := decoder.Decode(&property.Value); err != nil {
		return Property{}, fmt.Errorf("profile group: key %q: %w", property.Key, err)
	}
	return property, nil
}

// MarshalJSON writes the group as a JSON object in the order of its properties.
func (g ProfileGroup) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, property := range g {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(property.Key)
		if err != nil {
			return nil, fmt.Errorf("profile group: %w", err)
		}
		value, err := json.Marshal(property.Value)
		if err != nil {
			return nil, fmt.Errorf("profile group: key %q: %w", property.Key, err)
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
