package fault

import "time"

// Fails answers the PATCH while the request is in BindStarted; it becomes
// BindFailed, and Nova is told so, some time later.
type Fails struct {
	// After is how much later.
	After time.Duration `json:"after"`
}

// Kind is "fails".
func (Fails) Kind() string { return "fails" }

// Check wants a time.
func (f Fails) Check() error { return wantTime("after", f.After) }

// Hold ends badly.
func (f Fails) Hold() Hold { return Hold{End: "BindFailed", After: f.After} }
