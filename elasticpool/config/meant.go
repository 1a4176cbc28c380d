package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/near"
)

// meant asks whether the keys of a type that are nearest to an unknown one were meant, or says where it is a key.
func meant(unknown, typeName string) string {
	known := keysByType()
	least, nearest := 1+len(unknown)/4, []string(nil)
	for _, key := range slices.Sorted(slices.Values(known[typeName])) {
		switch d := near.Distance(unknown, key, least); {
		case d < least:
			least, nearest = d, []string{key}
		case d == least:
			nearest = append(nearest, key)
		}
	}
	return near.Question(nearest)
}

// keysByType returns the keys of each type of a configuration by the type's name, as the YAML library calls it.
func keysByType() map[string][]string {
	keys := map[string][]string{}
	collectKeys(reflect.TypeFor[Config](), keys)
	return keys
}

func collectKeys(t reflect.Type, keys map[string][]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collectKeys(t.Elem(), keys)
		return
	case reflect.Struct:
	default:
		return
	}
	if _, done := keys[t.String()]; done {
		return
	}
	keys[t.String()] = nil
	for field := range t.Fields() {
		key, inline, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if key == "-" || key == "" && inline == "" {
			continue
		}
		collectKeys(field.Type, keys)
		if inline == "inline" {
			keys[t.String()] = append(keys[t.String()], keys[field.Type.String()]...)
			continue
		}
		keys[t.String()] = append(keys[t.String()], key)
	}
}
