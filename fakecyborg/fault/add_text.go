package fault

import (
	"errors"
	"fmt"
	"strings"
)

// AddText is [Parse] and [Set.AddNamed] in one: an error names file, line and key,
// whichever of the two finds it. A text without a rule is an error too.
func (s *Set) AddText(name string, data []byte) ([]Count, error) {
	r := newReader(name)
	rules, err := r.parse(data)
	if err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		return nil, &Error{Place: name, Err: fmt.Errorf("%w: it is empty", ErrSyntax)}
	}
	added, err := s.AddNamed(rules...)
	if wrong, ok := errors.AsType[*Error](err); ok {
		path := wrong.Place
		if _, list := r.lines["[0]"]; !list { // one rule, which is in no list
			path = strings.TrimPrefix(path, "[0].")
		}
		return nil, &Error{Place: r.locate(path), Err: wrong.Err}
	}
	return added, err
}
