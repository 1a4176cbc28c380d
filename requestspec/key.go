package requestspec

import "strings"

// property kinds of the key grammar.
const (
	prefixResources = "resources"
	prefixTrait     = "trait"
)

const maxSuffix = 64

// specKey is a key of a flavor's extra specs or of a profile group that asks for a resource or a trait.
type specKey struct{ prefix, suffix, name string }

// parseKey reads resources[S]:NAME or trait[S]:NAME, where S has 1 to 64 of the characters a-z A-Z 0-9 _ - and NAME
// is any text without a line feed; one line feed at the very end is not part of the name. It mirrors
// nova/scheduler/utils.py:ResourceRequest.XS_KEYPAT, with what Python's "." and "$" mean.
func parseKey(key string) (specKey, bool) {
	head, name, found := strings.Cut(key, ":")
	if !found {
		return specKey{}, false
	}
	prefix := prefixResources
	suffix, ok := strings.CutPrefix(head, prefix)
	if !ok {
		prefix = prefixTrait
		if suffix, ok = strings.CutPrefix(head, prefix); !ok {
			return specKey{}, false
		}
	}
	name = strings.TrimSuffix(name, "\n")
	if strings.Contains(name, "\n") || !validSuffix(suffix) {
		return specKey{}, false
	}
	return specKey{prefix: prefix, suffix: suffix, name: name}, true
}

// validSuffix reports whether s is empty or a suffix that Placement 1.33 and later takes
// (placement/schemas/common.py).
func validSuffix(s string) bool {
	if len(s) > maxSuffix {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
