package fakecyborg

import (
	"encoding/json"
	"slices"
	"strings"
)

func (r Release) readGroups(value any) ([]*object, error) {
	if !truth(value) {
		return nil, broken("DeviceProfile needs groups field.")
	}
	list, ok := value.([]any)
	if !ok {
		return nil, notGroups(value)
	}
	groups := make([]*object, 0, len(list))
	for _, element := range list {
		group, ok := element.(*object)
		if !ok {
			return nil, noAttribute(element, "items")
		}
		if err := r.checkGroup(group); err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// notGroups is what Python makes of groups that are no list: it walks through
// the characters of a string and the keys of an object.
func notGroups(value any) *fault {
	switch value.(type) {
	case *object, string:
		return noAttribute("", "items")
	}
	return notIterable(value)
}

// checkGroup checks one group and cleans it: blanks around names go away and
// values become text.
func (r Release) checkGroup(group *object) error {
	if !r.GroupChecks {
		return r.checkKeys(group)
	}
	var renames []rename
	for _, key := range group.keys {
		prefix, name, _ := strings.Cut(key, ":")
		clean := strings.Trim(name, " ")
		var err error
		switch {
		case !groupRule.MatchString(key):
			err = r.badKey()
		case prefix == "trait":
			err = r.checkTrait(clean, group.values[key])
		case prefix == "resources":
			err = r.checkResource(clean, group.values[key])
		default:
			clean = name
		}
		if err != nil {
			return err
		}
		if clean != name {
			renames = append(renames, rename{key, prefix + ":" + clean})
		}
	}
	group.renameAll(renames)
	return textValues(group)
}

// badKey is the refusal of a key, which has a blank too many at first.
func (r Release) badKey() *fault {
	blank := " "
	if r.CorrectedMessages {
		blank = ""
	}
	return badRequest("Device profile group keys must be of%s the form %s", blank, groupPattern)
}

// checkKeys is all that the first releases check of a group.
func (r Release) checkKeys(group *object) error {
	for _, key := range group.keys {
		value := group.values[key]
		switch {
		case !groupRule.MatchString(key):
			return r.badKey()
		case strings.HasPrefix(key, "trait:") && value != "required" && value != "forbidden":
			return badRequest("Device profile trait values must be one among ['required', 'forbidden']")
		}
	}
	return textValues(group)
}

func (r Release) checkTrait(name string, value any) error {
	if !strings.HasPrefix(name, "CUSTOM_") {
		return badRequest("Unsupported trait name format %s, should start with CUSTOM_", name)
	}
	if value != "required" && value != "forbidden" && r.TraitValueFault {
		return broken("not enough arguments for format string")
	}
	if value != "required" && value != "forbidden" {
		return badRequest("Unsupported trait value %s, the value must be one among ['required', 'forbidden']", pythonStr(value))
	}
	return nil
}

func (r Release) checkResource(name string, value any) error {
	if !slices.Contains(r.ResourceClasses, name) && !strings.HasPrefix(name, "CUSTOM_") {
		return badRequest("Unsupported resource class %s", name)
	}
	if text, ok := value.(string); ok && !integerText.MatchString(plainDigits(text)) {
		return badRequest("Resources %s %s is invalid", r.number(), text)
	}
	_, err := pythonInt(value)
	return err
}

// textValues makes every value of a group a string; null stays.
func textValues(group *object) error {
	for key, value := range group.values {
		text, err := optionalText(value, key)
		if err != nil {
			return err
		}
		if text != nil {
			group.values[key] = *text
		}
	}
	return nil
}

// optionalText is what a string field of Cyborg's objects makes of a value.
// It mirrors oslo_versionedobjects/fields.py:String.coerce.
func optionalText(value any, field string) (*string, error) {
	switch value := value.(type) {
	case nil:
		return nil, nil
	case string, json.Number, bool:
		text := pythonStr(value)
		return &text, nil
	}
	return nil, broken("A string is required in field %s, not a %s", field, pythonType(value))
}

// number is the word, which has a letter too many at first.
func (r Release) number() string {
	if r.CorrectedMessages {
		return "number"
	}
	return "nummber"
}
