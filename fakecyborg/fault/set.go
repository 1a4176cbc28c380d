package fault

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Set holds the rules of a server. It is safe for concurrent use. Make one with
// [NewSet].
type Set struct {
	operations []string
	// size is the number of rules, for servers that have none.
	size atomic.Int64

	mu    sync.Mutex
	rules []*counted
	// named counts the names that were given.
	named int
}

// counted is a rule with what it has done so far.
type counted struct {
	Rule
	seen, hits int
}

// Count is a rule and how often it came into play.
type Count struct {
	Rule
	// Matches is how many were asked of it.
	Matches int
	// Hits is how many of these it hit.
	Hits int
}

// Hit is a fault that happens now.
type Hit struct {
	// Rule is the name of the rule.
	Rule string
	// Fault is what happens.
	Fault Fault
}

// NewSet makes an empty set for an API with those operations.
func NewSet(operations ...string) *Set {
	unique := slices.Compact(slices.Sorted(slices.Values(operations)))
	return &Set{operations: unique}
}

// Operations are the operations of the API that rules can name, sorted.
func (s *Set) Operations() []string { return slices.Clone(s.operations) }

// Add appends rules: all of them, or none and an [*Error].
func (s *Set) Add(rules ...Rule) error {
	_, err := s.AddNamed(rules...)
	return err
}

// AddNamed is [Set.Add] that also returns the rules with the names they got.
func (s *Set) AddNamed(rules ...Rule) ([]Count, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added, named, err := s.checked(s.rules, s.named, rules)
	if err != nil {
		return nil, err
	}
	s.set(append(s.rules, added...), named)
	return countsOf(added), nil
}

// Replace takes all rules away and puts those in their place, or changes nothing
// and returns an [*Error]. Nobody meets a part of both.
func (s *Set) Replace(rules ...Rule) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	added, named, err := s.checked(nil, 0, rules)
	if err == nil {
		s.set(added, named)
	}
	return err
}

// checked are rules with their names, which are to come behind others; the caller
// holds the lock.
func (s *Set) checked(others []*counted, named int, rules []Rule) ([]*counted, int, error) {
	added := make([]*counted, 0, len(rules))
	for i, rule := range rules {
		taken := func(name string) bool {
			same := func(c *counted) bool { return c.Name == name }
			return slices.ContainsFunc(others, same) || slices.ContainsFunc(added, same)
		}
		err := rule.check(s.operations)
		if err == nil {
			err = checkName(rule.Name, taken)
		}
		if err != nil {
			return nil, 0, below(fmt.Sprintf("[%d]", i), err)
		}
		for rule.Name == "" || (rules[i].Name == "" && taken(rule.Name)) {
			named++
			rule.Name = fmt.Sprintf("fault-%d", named)
		}
		added = append(added, &counted{Rule: rule})
	}
	return added, named, nil
}

// set needs the lock.
func (s *Set) set(rules []*counted, named int) {
	s.rules, s.named = rules, named
	s.size.Store(int64(len(rules)))
}

func countsOf(rules []*counted) []Count {
	list := make([]Count, 0, len(rules))
	for _, c := range rules {
		list = append(list, Count{Rule: c.Rule, Matches: c.seen, Hits: c.hits})
	}
	return list
}

// checkName wants a name that can be the last part of a path.
func checkName(name string, taken func(string) bool) error {
	switch {
	case name == "":
		return nil
	case taken(name):
		return &Error{Place: "name", Err: fmt.Errorf("%w: %q is the name of another rule", ErrName, name)}
	case strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("/?#%", r) }):
		return &Error{Place: "name", Err: fmt.Errorf("%w: %q has something else than ASCII without blanks and without / ? # %%", ErrName, name)}
	}
	return nil
}

// Remove takes the rule of that name away; false when there is none.
func (s *Set) Remove(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.rules)
	s.rules = slices.DeleteFunc(s.rules, func(c *counted) bool { return c.Name == name })
	s.size.Store(int64(len(s.rules)))
	return len(s.rules) < before
}

// Clear takes the rules of a scope away; the empty scope clears all.
func (s *Set) Clear(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = slices.DeleteFunc(s.rules, func(c *counted) bool { return scope == "" || c.Scope == scope })
	if len(s.rules) == 0 {
		s.named = 0
	}
	s.size.Store(int64(len(s.rules)))
}

// Empty says that there are no rules; it costs next to nothing.
func (s *Set) Empty() bool { return s.size.Load() == 0 }

// Counts are the rules in order, with what they did.
func (s *Set) Counts() []Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return countsOf(s.rules)
}

// Hits is how often the rule of that name hit.
func (s *Set) Hits(name string) int {
	for _, c := range s.Counts() {
		if c.Name == name {
			return c.Hits
		}
	}
	return 0
}

// Exchange asks whether an exchange is hit.
func (s *Set) Exchange(subject Subject) (Hit, AtExchange) {
	return take[AtExchange](s, subject, func(Fault) bool { return true })
}

// Bind asks whether a bind is hit; the subject's operation is [Bind] or [Program].
func (s *Set) Bind(subject Subject) (Hit, AtBind) {
	return take[AtBind](s, subject, func(Fault) bool { return true })
}

// Event asks whether an event is hit that is about to be sent after its bind.
func (s *Set) Event(subject Subject) (Hit, AtEvent) {
	return take[AtEvent](s, subject, func(f Fault) bool { _, early := f.(Early); return !early })
}

// EarlyEvent asks whether the event of a bind is to be sent at a moment before.
func (s *Set) EarlyEvent(subject Subject, moment Moment) (Hit, Early) {
	return take[Early](s, subject, func(f Fault) bool { early, ok := f.(Early); return ok && early.Moment() == moment })
}

// take finds the first rule that matches and hits, and counts. A rule whose next
// fault is not one that can happen now is left alone: its turn comes later.
func take[F Fault](s *Set, subject Subject, now func(Fault) bool) (Hit, F) {
	var none F
	if s.Empty() {
		return Hit{}, none
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.rules {
		next, selected := c.at(c.seen + 1)
		if !c.matches(subject) || !now(next) {
			continue
		}
		c.seen++
		if found, ok := next.(F); ok && selected {
			c.hits++
			return Hit{Rule: c.Name, Fault: next}, found
		}
	}
	return Hit{}, none
}
