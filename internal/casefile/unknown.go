package casefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// checkKeys refuses an unknown key at its place. Keys are compared letter by letter, which Go's decoder does not do.
func checkKeys(line []byte, root reflect.Type) error {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return plain(err)
	}
	return checkValue(value, root, "")
}

// checkValue looks at what a type says of its own keys. Types that read their own JSON take any key.
func checkValue(value any, t reflect.Type, at string) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	switch v := value.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return nil
		}
		for i, element := range v {
			if err := checkValue(element, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if t.Kind() == reflect.Struct {
			return checkObject(v, t, at)
		}
	}
	return nil
}

// passedOver are further keys that Nova and Cyborg show a flavor and a profile with. They have no meaning here.
var passedOver = map[reflect.Type][]string{
	reflect.TypeFor[Flavor](): {
		"id", "flavorid", "description", "access_project_ids", "links", "rxtx_factor", "is_public", "disabled", "vcpu_weight",
		"os-flavor-access:is_public", "OS-FLV-DISABLED:disabled", "created_at", "updated_at", "deleted_at", "deleted",
	},
	reflect.TypeFor[requestspec.Profile](): {"id", "uuid", "description", "created_at", "updated_at", "links"},
}

func checkObject(values map[string]any, t reflect.Type, at string) error {
	fields := reflect.VisibleFields(t)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return keyOf(f) == key })
		switch {
		case i >= 0:
			if err := checkValue(values[key], fields[i].Type, join(at, key)); err != nil {
				return err
			}
		case slices.Contains(passedOver[t], key):
		case at == "":
			return fmt.Errorf("unknown key %q; %s", key, knownKeys(t))
		default:
			return fmt.Errorf("%s: unknown key %q; %s", join(at, key), key, knownKeys(t))
		}
	}
	return nil
}

// keyOf is the JSON key of a field, "" for a field without one.
func keyOf(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return key
}
