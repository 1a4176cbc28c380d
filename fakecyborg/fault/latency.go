package fault

import "time"

// Latency waits before the server does what was asked.
type Latency struct {
	// For is how long.
	For time.Duration `json:"for"`
}

// Kind is "latency".
func (Latency) Kind() string { return "latency" }

// Check wants a time.
func (l Latency) Check() error { return wantTime("for", l.For) }

// Meet waits, and then goes on unless the client has given up by then.
func (l Latency) Meet(x Exchange) Reply {
	if !sleep(x.Context(), l.For) {
		return Reply{Lost: Closed}
	}
	return x.Proceed()
}
