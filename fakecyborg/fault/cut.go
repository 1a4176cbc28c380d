package fault

import "strconv"

// Cut does what was asked and breaks the connection in the middle of the body of
// the answer. An answer without body is lost whole.
type Cut struct {
	// After is how many bytes of the body arrive; 0 is half of them.
	After int `json:"after"`
}

// Kind is "cut".
func (Cut) Kind() string { return "cut" }

// Check wants a number of bytes.
func (c Cut) Check() error {
	if c.After < 0 {
		return wrong("after", strconv.Itoa(c.After), "want bytes, 0 or more")
	}
	return nil
}

// Meet cuts the answer.
func (c Cut) Meet(x Exchange) Reply {
	reply := x.Proceed()
	if len(reply.Body) == 0 {
		reply.Lost = Closed
		return reply
	}
	reply.Lost, reply.Cut = Part, len(reply.Body)/2
	if c.After > 0 {
		reply.Cut = min(c.After, len(reply.Body)-1)
	}
	return reply
}
