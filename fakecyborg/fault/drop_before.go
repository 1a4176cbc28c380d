package fault

// DropBefore ends the connection without an answer; nothing was done.
type DropBefore struct {
	// Reset ends it with a reset instead of an orderly close.
	Reset bool `json:"reset"`
}

// Kind is "drop_before".
func (DropBefore) Kind() string { return "drop_before" }

// Check finds nothing wrong.
func (DropBefore) Check() error { return nil }

// Meet loses the answer.
func (d DropBefore) Meet(Exchange) Reply { return Reply{Lost: lossOf(d.Reset)} }

func lossOf(reset bool) Loss {
	if reset {
		return Reset
	}
	return Closed
}
