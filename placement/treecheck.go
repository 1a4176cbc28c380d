package placement

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"
)

// check refuses what Placement would refuse half-way through the report.
func (t Tree) check(op string) error {
	seen := make(map[string]bool)
	for _, node := range flatten(t.Providers, "", "") {
		place := fmt.Sprintf("provider %q (%s)", node.Name, node.UUID)
		if err := node.check(); err != nil {
			return refuse(ErrTree, op, "%s: %v", place, err)
		}
		if seen[node.UUID] || seen[node.Name] {
			return refuse(ErrTree, op, "%s: the uuid or the name comes up twice", place)
		}
		seen[node.UUID], seen[node.Name] = true, true
	}
	return nil
}

// check refuses a provider that Placement would refuse (placement/schemas).
func (p TreeProvider) check() error {
	if !isUUID(p.UUID) {
		return errors.New("the uuid is not of the dashed lower-case form")
	}
	if n := utf8.RuneCountInString(p.Name); n < 1 || n > 200 || !utf8.ValidString(p.Name) {
		return errors.New("the name must have 1 to 200 characters, in UTF-8")
	}
	for _, class := range slices.Sorted(maps.Keys(p.Inventories)) {
		if err := p.Inventories[class].check(); err != nil {
			return fmt.Errorf("inventory %s: %w", class, err)
		}
		if !isName(class) {
			return fmt.Errorf("inventory %q: %w", class, errName)
		}
	}
	for _, trait := range p.Traits {
		if !isName(trait) {
			return fmt.Errorf("trait %q: %w", trait, errName)
		}
	}
	for _, replaced := range p.Replaces {
		if !isUUID(replaced) {
			return fmt.Errorf("replaces %q: the uuid is not of the dashed lower-case form", replaced)
		}
	}
	return nil
}

// check refuses a memory that is none.
func (o Owned) check(op string) error {
	for _, uuid := range slices.Sorted(maps.Keys(o)) {
		if !isUUID(uuid) {
			return refuse(ErrTree, op, "owned: the key %q is no uuid of the dashed lower-case form", uuid)
		}
	}
	return nil
}

var errName = errors.New("the name must have 1 to 255 characters of A to Z, 0 to 9 and _")

var names = regexp.MustCompile(`^[A-Z0-9_]{1,255}$`)

// isName tells whether a text can be the name of a class or trait (placement/schemas/common.py).
func isName(text string) bool { return names.MatchString(text) }
