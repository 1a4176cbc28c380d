package fakecyborg

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

func (l *loader) loadProfile(path string, given DeviceProfile) error {
	name, err := readName(given.Name)
	if err != nil {
		return l.fail(path+".name", seedFault(err))
	}
	if err := l.claim(path+".name", "device profile", name); err != nil {
		return err
	}
	if given.UUID != "" && !looksLikeUUID(given.UUID) {
		return l.fail(path+".uuid", fmt.Errorf("%q is not a uuid", given.UUID))
	}
	p := &profile{name: name, uuid: given.UUID, description: textOrNull(given.Description)}
	for i, group := range given.Groups {
		stored, err := l.loadGroup(fmt.Sprintf("%s.groups[%d]", path, i), group)
		if err != nil {
			return err
		}
		p.groups = append(p.groups, stored)
	}
	if len(p.groups) == 0 {
		return l.fail(path, errors.New("a device profile needs at least one group"))
	}
	if err := l.store.addProfile(p); err != nil {
		return l.fail(path, seedFault(err))
	}
	return nil
}

func (l *loader) loadGroup(path string, group Group) (*object, error) {
	stored := newObject()
	for _, property := range group {
		if _, twice := stored.values[property.Key]; twice {
			return nil, l.fail(path+"."+property.Key, errors.New("the key is there twice"))
		}
		one := newObject()
		one.set(property.Key, property.value())
		if err := l.store.release.checkGroup(one); err != nil {
			return nil, l.fail(path+"."+property.Key, seedFault(err))
		}
		stored.set(one.keys[0], one.values[one.keys[0]])
	}
	return stored, nil
}

// seedFault is the text of an API fault, without its status.
func seedFault(err error) error {
	if refusal, ok := errors.AsType[*fault](err); ok {
		return errors.New(refusal.text)
	}
	return err
}

// value is what the property had in a body of the API: an amount that is no whole
// number was a number or a boolean there.
func (p Property) value() any {
	switch number := json.Number(p.Value); {
	case p.Null:
		return nil
	case !strings.HasPrefix(p.Key, "resources:"):
		return p.Value
	case p.Value == "True" || p.Value == "False":
		return p.Value == "True"
	case !integerText.MatchString(p.Value) && json.Valid([]byte(number)) && pythonStr(number) == p.Value:
		return number
	}
	return p.Value
}
