package fakecyborg

import (
	"fmt"
	"slices"
	"strings"
)

// Oddities are what is probably a mistake in the file, and yet allowed: the places of
// roles that no policy of any release knows, each with the role that was probably
// meant. They do not show the role, which may be a secret that got there.
func (t *Tokens) Oddities() []string { return slices.Clone(t.oddities) }

// oddRoles are the oddities of the roles of an entry.
func (r *seedReader) oddRoles(at string, roles []string) []string {
	known := knownRoles()
	var odd []string
	for i, role := range roles {
		if !Rule(known).allows([]string{role}) {
			place := r.place(fmt.Sprintf("%s.roles[%d]", at, i))
			odd = append(odd, fmt.Sprintf("%s: no policy of Cyborg knows this role%s", place, nearest(role, known)))
		}
	}
	return odd
}

// knownRoles are those that policies name.
func knownRoles() []string {
	var roles []string
	for _, release := range Releases() {
		for _, policies := range []Policies{release.Policies, release.NewPolicies} {
			for _, rule := range policies {
				for _, role := range rule {
					roles = append(roles, strings.TrimPrefix(role, SystemScope))
				}
			}
		}
	}
	slices.Sort(roles)
	return slices.DeleteFunc(slices.Compact(roles), func(role string) bool { return role == AnyRole })
}

// nearest names the known word whose letters, but for one, are those of an unknown one,
// "" for none.
func nearest(unknown string, known []string) string {
	for _, word := range known {
		if oneLetterApart(strings.ToLower(unknown), word) {
			return fmt.Sprintf("; did you mean %q?", word)
		}
	}
	return ""
}

// oneLetterApart says that one letter was added, left out or replaced, or two
// beside each other have changed places.
func oneLetterApart(a, b string) bool {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	a, b = a[start:], b[start:]
	switch {
	case a == "" || b == "":
		return len(a)+len(b) == 1
	case a[1:] == b || a == b[1:] || a[1:] == b[1:]:
		return true
	}
	return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}
