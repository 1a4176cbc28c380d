package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// unknownKey is the error of a line that has an unknown key, quoted by the JSON decoder, which does not say where.
func unknownKey(line []byte, into any, quoted string) error {
	var value any
	root := reflect.TypeOf(into).Elem()
	if err := json.Unmarshal(line, &value); err == nil {
		if path, object := findUnknown(value, root, ""); object != nil {
			return fmt.Errorf("%sunknown key %s; %s", path, quoted, known(object))
		}
	}
	return fmt.Errorf("unknown key %s; %s", quoted, known(root))
}

// findUnknown returns the path of the first object that has an unknown key, as a prefix of the error, and the type that
// knows its keys; nil if there is none. Types that read their own JSON take any key.
func findUnknown(value any, t reflect.Type, at string) (string, reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return "", nil
	}
	switch v := value.(type) {
	case []any:
		for i, element := range v {
			if t.Kind() != reflect.Slice {
				break
			}
			if path, object := findUnknown(element, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); object != nil {
				return path, object
			}
		}
	case map[string]any:
		if t.Kind() == reflect.Struct {
			return findUnknownIn(v, t, at)
		}
	}
	return "", nil
}

func findUnknownIn(values map[string]any, t reflect.Type, at string) (string, reflect.Type) {
	fields := reflect.VisibleFields(t)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		below := strings.TrimPrefix(at+"."+key, ".")
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return strings.EqualFold(keyOf(f), key) })
		if i < 0 {
			if at == "" {
				return "", t
			}
			return below + ": ", t
		}
		if path, object := findUnknown(values[key], fields[i].Type, below); object != nil {
			return path, object
		}
	}
	return "", nil
}

// keyOf is the JSON key of a field.
func keyOf(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return key
}
