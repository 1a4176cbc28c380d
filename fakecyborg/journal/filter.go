package journal

// Filter picks entries; empty members do not narrow it.
type Filter struct {
	// Kind is [Exchange] or [Event].
	Kind string
	// Scope is the value of the header X-Fake-Scope.
	Scope string
	// Operation is an operation of the API, or "event".
	Operation string
	// Method of the request.
	Method string
	// Status of the answer.
	Status int
	// RequestID is the id of the answer.
	RequestID string
	// Fault is the name of a rule.
	Fault string
	// Instance and ARQ are those of an event.
	Instance string
	// ARQ is the tag of an event.
	ARQ string
	// After leaves out the entries up to that number.
	After int
	// Finished leaves out what is in flight.
	Finished bool
}

// Match says whether an entry is one of those that the filter picks.
func (f Filter) Match(e Entry) bool {
	return is(f.Kind, e.Kind) && inScope(f.Scope, e.Scope) && is(f.Operation, e.Operation) && is(f.Method, e.Method) &&
		is(f.RequestID, e.RequestID) && is(f.Fault, e.Fault) && (f.Status == 0 || f.Status == e.Status) &&
		e.Seq > f.After && (!f.Finished || !e.InFlight) && f.matchEvent(e.Event)
}

func (f Filter) matchEvent(e *Sent) bool {
	if e == nil {
		return f.Instance == "" && f.ARQ == ""
	}
	return is(f.Instance, e.ServerUUID) && is(f.ARQ, e.Tag)
}

func is(want, got string) bool { return want == "" || want == got }
