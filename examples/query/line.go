package main

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

// readLine reads one JSON object of known keys. The errors name the key and say nothing of Go.
func readLine(line []byte, into any) error {
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
		return errors.New("want a JSON object")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		if _, next := decoder.Token(); !errors.Is(next, io.EOF) {
			return errors.New("there is more after the JSON object; give one object per line")
		}
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: want %s, got %s", wrong.Field, want(wrong.Type), wrong.Value)
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return unknownKey(line, into, key)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the line ends inside the JSON object")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// known lists the keys of an object; those further down are in the documentation.
func known(object reflect.Type) string {
	var keys []string
	for _, field := range reflect.VisibleFields(object) {
		keys = append(keys, keyOf(field))
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
