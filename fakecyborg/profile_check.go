package fakecyborg

import (
	"net/http"
	"regexp"
	"strconv"
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
	if p.description, err = optionalText(fields.values["description"], "description"); err != nil {
		return nil, err
	}
	if uuid := fields.values["uuid"]; uuid != nil {
		p.uuid = pythonStr(uuid)
	}
	return p, readCreated(fields, p)
}

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

// readCreated takes the creation time that the caller gave, if any.
func readCreated(fields *object, p *profile) error {
	value := fields.values["created_at"]
	if value == nil {
		return nil
	}
	text, ok := value.(string)
	if !ok {
		return broken("A datetime.datetime is required in field created_at, not a %s", pythonType(value))
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		created, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		if !storable(created) {
			return broken("date value out of range")
		}
		p.created = created.UTC().Truncate(time.Second)
		return nil
	}
	return faultf(http.StatusInternalServerError, "Unable to parse date string %s", strconv.Quote(text))
}
