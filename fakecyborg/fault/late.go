package fault

import "time"

// Late answers the PATCH while the request is in BindStarted; it becomes Bound,
// and Nova is told, some time later.
type Late struct {
	// After is how much later.
	After time.Duration `json:"after"`
}

// Kind is "late".
func (Late) Kind() string { return "late" }

// Check wants a time.
func (l Late) Check() error { return wantTime("after", l.After) }

// Hold ends well.
func (l Late) Hold() Hold { return Hold{End: "Bound", After: l.After} }
