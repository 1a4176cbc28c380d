package fakecyborg

import (
	"regexp"
	"time"
)

// The rules for device profiles; the patterns stand in the error texts.
// They mirror cyborg/api/controllers/v2/device_profiles.py:_validate_post_request.
const (
	namePattern  = "^[a-zA-Z0-9-_]+$"
	groupPattern = "^(resources:|trait:|accel:)"
)

var (
	// nameRule allows one line feed at the end, as Python's $ does.
	nameRule  = regexp.MustCompile(`^[a-zA-Z0-9-_]+\n?$`)
	groupRule = regexp.MustCompile(groupPattern)
)

// readProfile checks the body of a creation in the order of the real server;
// what is not checked there fails as Python does.
func (r Release) readProfile(body any) (*profile, error) {
	fields, err := onlyElement(body)
	if err != nil {
		return nil, err
	}
	name, err := readName(fields.values["name"])
	if err != nil {
		return nil, err
	}
	groups, err := r.readGroups(fields.values["groups"])
	if err != nil {
		return nil, err
	}
	p := &profile{name: name, groups: groups}
	for _, key := range fields.keys {
		if err := p.take(key, fields.values[key]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// take sets a field of the object that the caller gave, if there is one of that
// name. It mirrors oslo_versionedobjects/fields.py:Field.coerce.
func (p *profile) take(key string, value any) (err error) {
	switch key {
	case "id":
		p.id, err = readID(value)
	case "uuid":
		p.uuid, err = readOwnUUID(value)
	case "description":
		p.description, err = optionalText(value, key)
	case "created_at":
		p.created, err = readTime(key, value)
	case "updated_at":
		p.updated, err = readTime(key, value)
	}
	return err
}

func readID(value any) (int, error) {
	if value == nil {
		return 0, nullField("id")
	}
	id, err := pythonInt(value)
	return int(id), err
}

func readOwnUUID(value any) (string, error) {
	text, err := optionalText(value, "uuid")
	switch {
	case err != nil:
		return "", err
	case text == nil:
		return "", nullField("uuid")
	}
	return *text, nil
}

// nullField is the failure of a null where the object has none.
func nullField(name string) *fault { return broken("Field `%s' cannot be None", name) }

// onlyElement is the one profile in the list, or what Python makes of another body.
func onlyElement(body any) (*object, error) {
	var element any
	length := 1
	switch body := body.(type) {
	case []any:
		if length = len(body); length == 1 {
			element = body[0]
		}
	case *object:
		if length = len(body.keys); length == 1 {
			return nil, broken("0")
		}
	case string:
		if length = len([]rune(body)); length == 1 {
			element = body
		}
	default:
		return nil, broken("object of type '%s' has no len()", pythonType(body))
	}
	if length != 1 {
		return nil, badRequest("Only one device profile allowed per POST request for now.")
	}
	fields, ok := element.(*object)
	if !ok {
		return nil, noAttribute(element, "get")
	}
	return fields, nil
}

func readName(value any) (string, error) {
	name, isText := value.(string)
	switch {
	case !truth(value):
		return "", broken("DeviceProfile name needed.")
	case !isText:
		return "", broken("expected string or bytes-like object, got '%s'", pythonType(value))
	case !nameRule.MatchString(name):
		return "", badRequest("Device profile name must be of the form %s", namePattern)
	}
	return name, nil
}

// readTime takes a time that the caller gave; null is none.
func readTime(field string, value any) (time.Time, error) {
	if value == nil {
		return time.Time{}, nil
	}
	text, ok := value.(string)
	if !ok {
		return time.Time{}, broken("A datetime.datetime is required in field %s, not a %s", field, pythonType(value))
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		given, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		if !storable(given) {
			return time.Time{}, broken("date value out of range")
		}
		return given.UTC().Truncate(time.Second), nil
	}
	return time.Time{}, broken("Unable to parse date string %s", pythonRepr(text))
}
