package cyborgclient

import (
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
