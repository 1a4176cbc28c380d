package cyborgclient

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// uuidLike accepts the forms that OpenStack takes for uuids: with dashes, and
// the 32 hexadecimal digits of Keystone's ids. Anything else, sent as an
// instance or project of a bind, makes every list of ARQs fail from then on.
func uuidLike(text string) bool {
	switch len(text) {
	case 32:
		return !strings.Contains(text, "-") && uuid.Validate(text) == nil
	case 36:
		return uuid.Validate(text) == nil
	}
	return false
}

// canonical is the uuid in lower case and with dashes. Cyborg takes other forms
// too and then compares them as texts: it finds nothing, and often says nothing.
func canonical(text string) (string, error) {
	if !uuidLike(text) {
		return "", fmt.Errorf("%q is no uuid", text)
	}
	parsed, err := uuid.Parse(text)
	return parsed.String(), err
}

// canonicals is canonical for a list, without the repetitions: of two the
// service deletes the first and then does not find the second.
func canonicals(texts []string) ([]string, error) {
	var list []string
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		id, err := canonical(text)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			list = append(list, id)
		}
		seen[id] = true
	}
	return list, nil
}

// sameUUID compares two uuids, each with or without dashes.
func sameUUID(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "-", ""), strings.ReplaceAll(b, "-", ""))
}

// takenForUUID says whether Cyborg takes a name for a uuid: it looks at the 32
// digits, wherever dashes stand (oslo_utils/uuidutils.py: is_uuid_like).
func takenForUUID(name string) bool { return uuidLike(strings.ReplaceAll(name, "-", "")) }
