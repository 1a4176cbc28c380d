package fault

// Pass is no fault. It keeps a place in a sequence: {Status{Code: 503}, Pass{},
// Status{Code: 503}} hits the first and the third.
type Pass struct{}

// Kind is "pass".
func (Pass) Kind() string { return "pass" }

// Check finds nothing wrong.
func (Pass) Check() error { return nil }
