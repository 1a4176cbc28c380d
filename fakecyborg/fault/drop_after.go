package fault

// DropAfter does what was asked and ends the connection without an answer.
type DropAfter struct {
	// Reset ends it with a reset instead of an orderly close.
	Reset bool `json:"reset"`
}

// Kind is "drop_after".
func (DropAfter) Kind() string { return "drop_after" }

// Check finds nothing wrong.
func (DropAfter) Check() error { return nil }

// Meet loses the answer.
func (d DropAfter) Meet(x Exchange) Reply {
	reply := x.Proceed()
	reply.Lost = lossOf(d.Reset)
	return reply
}
