package lifecycle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ParseRecord reads the JSON form of a [Record]. It guesses nothing, because a record that is read wrongly frees what
// others use: a newer version, a key that is not known or stands twice, text behind the record, and a record that no
// operation makes are errors, which name the key or the byte.
func ParseRecord(data []byte) (Record, error) {
	record, err := parseRecord(data)
	if err == nil {
		err = record.check()
	}
	if err != nil {
		return Record{}, fmt.Errorf("read the record: %w", err)
	}
	return record, nil
}

func parseRecord(data []byte) (record Record, err error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return record, located(err)
	}
	if err := checkVersion(head.Version); err != nil {
		return record, err
	}
	if err := refuseTwice(json.NewDecoder(bytes.NewReader(data))); err != nil {
		return record, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return record, located(decoder.Decode(&record))
}

// located says where in the text an error of encoding/json is, if that knows it.
func located(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("byte %d: %w", wrong.Offset, err)
	}
	return err
}

// refuseTwice reads one value and refuses an object in which a key stands twice: encoding/json merges the two.
func refuseTwice(decoder *json.Decoder) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	opening, composed := token.(json.Delim)
	if !composed {
		return nil
	}
	seen := map[json.Token]bool{}
	for decoder.More() {
		if opening == '{' {
			key, err := decoder.Token()
			if err != nil {
				return err
			}
			if seen[key] {
				return fmt.Errorf("byte %d: the key %q stands twice", decoder.InputOffset(), key)
			}
			seen[key] = true
		}
		if err := refuseTwice(decoder); err != nil {
			return err
		}
	}
	_, err = decoder.Token()
	return err
}
