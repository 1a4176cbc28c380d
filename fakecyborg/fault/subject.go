package fault

import "slices"

// Subject is what may be hit.
type Subject struct {
	// Operation is the operation, or the point.
	Operation string
	// Scope is the value of the header X-Fake-Scope.
	Scope string
	// ARQs, Hosts and Instances are what the request is about.
	ARQs, Hosts, Instances []string
}

// matches compares a subject with what narrows the rule.
func (r Rule) matches(s Subject) bool {
	isPoint := Rule{Operation: s.Operation}.isPoint()
	return (r.Operation == s.Operation || (r.Operation == Any && !isPoint)) &&
		(r.Scope == "" || r.Scope == s.Scope) &&
		(r.ARQ == "" || slices.Contains(s.ARQs, r.ARQ)) &&
		(r.Host == "" || slices.Contains(s.Hosts, r.Host)) &&
		(r.Instance == "" || slices.Contains(s.Instances, r.Instance))
}
