package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Mode says how a line is read.
type Mode int

// Strict refuses a key that occurs twice and sizes that are no whole numbers; Lenient takes them as Python and Nova do.
const (
	Strict Mode = iota
	Lenient
)

// Decode reads a line, which is one JSON object of known keys, into what into points to. The errors name the key and say
// nothing of Go.
func Decode(line []byte, into any, mode Mode) error {
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
		return errors.New("want a JSON object")
	}
	once, err := keysOnce(line, mode)
	if err != nil {
		return err
	}
	if err := checkKeys(once, reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(once))
	decoder.UseNumber()
	err = decoder.Decode(into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: want %s, got %s", wrong.Field, want(wrong.Type), wrong.Value)
	}
	return plain(err)
}

// plain is an error of the JSON decoder in words for people.
func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the line ends inside the JSON object")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// knownKeys lists the keys of an object; those further down are in the documentation.
func knownKeys(object reflect.Type) string {
	var keys []string
	for _, field := range reflect.VisibleFields(object) {
		if key := keyOf(field); key != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return "known keys are " + strings.Join(keys, ", ") + "; go doc ./examples/query lists what they hold"
}

// want names the JSON that a Go type is read from.
func want(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}
