package fault

// Hang takes the request and never answers: the exchange ends when the client
// gives up. Nothing that was asked for is done.
type Hang struct {
	// AfterEffect does what was asked for, and then hangs.
	AfterEffect bool `json:"after_effect"`
}

// Kind is "hang".
func (Hang) Kind() string { return "hang" }

// Check finds nothing wrong.
func (Hang) Check() error { return nil }

// Meet waits for the client to give up.
func (h Hang) Meet(x Exchange) Reply {
	reply := Reply{}
	if h.AfterEffect {
		reply = x.Proceed()
	}
	<-x.Context().Done()
	reply.Lost = Closed
	return reply
}
