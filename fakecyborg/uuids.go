package fakecyborg

import (
	"io"
	"strings"

	"github.com/google/uuid"
)

// uuids makes the ids of objects.
type uuids struct {
	random io.Reader
}

// next returns a random UUID; the caller holds the store's lock, so that the
// order of ids is the order of objects.
func (u uuids) next() (string, error) {
	if u.random == nil {
		id, err := uuid.NewRandom()
		return id.String(), err
	}
	id, err := uuid.NewRandomFromReader(u.random)
	return id.String(), err
}

// looksLikeUUID is the test that Cyborg applies to ids: 32 hexadecimal digits,
// with dashes anywhere, in braces or with the urn prefix.
// It mirrors oslo_utils/uuidutils.py:is_uuid_like.
func looksLikeUUID(text string) bool {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "urn:", ""), "uuid:", "")
	text = strings.Trim(text, "{}")
	digits := len(text) - strings.Count(text, "-")
	return digits == 32 && strings.Trim(text, "0123456789abcdefABCDEF-") == ""
}

// sameKey folds what MariaDB's collation takes for equal: letter case and
// trailing blanks.
func sameKey(text string) string {
	return strings.ToLower(strings.TrimRight(text, " "))
}
