package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Points that rules can name besides the operations of the API.
const (
	// Bind is the bind of one accelerator request within a PATCH.
	Bind = "bind"
	// Program is a bind that waits for its device to be programmed.
	Program = "program"
	// Event is one event for Nova.
	Event = "event"
	// Any is every operation of the API.
	Any = "*"
)

// Rule says what is hit by which fault. Empty members do not narrow it.
type Rule struct {
	// Name is how the rule is called in the journal and when it is removed; the
	// default is "fault-1", "fault-2", …
	Name string `json:"name"`
	// Operation is an operation of the API ("arq:update"), one of the points
	// [Bind], [Program] and [Event], or [Any].
	Operation string `json:"operation"`
	// Scope is the value of the header X-Fake-Scope of the request.
	Scope string `json:"scope"`
	// ARQ is the UUID of an accelerator request.
	ARQ string `json:"arq"`
	// Host is the name of a host.
	Host string `json:"host"`
	// Instance is the UUID of an instance.
	Instance string `json:"instance"`
	// First hits the first n of what matches; 0 is all of them, for which a text
	// leaves it out.
	First int `json:"first"`
	// Nth hits only the nth of what matches, counted from 1.
	Nth int `json:"nth"`
	// Fault is what happens to all that are hit.
	Fault Fault `json:"fault"`
	// Sequence is, instead of Fault, what happens to the first, second, … of what
	// matches; what comes after its end is not hit. First and Nth are not used then.
	Sequence []Fault `json:"sequence"`
}

// check refuses a rule that can never do what it says.
func (r Rule) check(operations []string) error {
	if err := r.checkSelection(); err != nil {
		return err
	}
	if !r.isPoint() && r.Operation != Any && !slices.Contains(operations, r.Operation) {
		known := append(slices.Sorted(slices.Values(operations)), Bind, Program, Event)
		return &Error{Place: "operation", Err: fmt.Errorf("%w %q, known are %s and %q for all of the API", ErrUnknownOperation, r.Operation, strings.Join(known, ", "), Any)}
	}
	if err := r.checkSelectors(); err != nil {
		return err
	}
	if r.Fault != nil {
		return r.checkFault("fault", r.Fault)
	}
	for i, f := range r.Sequence {
		if err := r.checkFault(fmt.Sprintf("sequence[%d]", i), f); err != nil {
			return err
		}
	}
	return nil
}

// checkSelectors refuses ids that are none, which would match nothing in silence.
func (r Rule) checkSelectors() error {
	for _, selector := range []struct{ key, value string }{{"arq", r.ARQ}, {"instance", r.Instance}} {
		if _, err := uuid.Parse(selector.value); selector.value != "" && err != nil {
			return wrong(selector.key, selector.value, "want a uuid")
		}
	}
	return nil
}

func (r Rule) isPoint() bool {
	return r.Operation == Bind || r.Operation == Program || r.Operation == Event
}

func (r Rule) checkSelection() error {
	selected := r.First != 0 || r.Nth != 0
	switch {
	case r.First < 0:
		return wrong("first", strconv.Itoa(r.First), "want 0 or more")
	case r.Nth < 0:
		return wrong("nth", strconv.Itoa(r.Nth), "want 0 or more")
	case r.First > 0 && r.Nth > 0:
		return &Error{Place: "nth", Err: fmt.Errorf("%w: first and nth exclude each other", ErrSelection)}
	case len(r.Sequence) > 0 && selected:
		return &Error{Place: "sequence", Err: fmt.Errorf("%w: a sequence says itself which are hit, leave out first and nth", ErrSelection)}
	case (r.Fault == nil) == (len(r.Sequence) == 0):
		return &Error{Place: "fault", Err: fmt.Errorf("%w: want either fault or sequence", ErrSelection)}
	}
	return nil
}

// checkFault wants a fault of a kind that can happen at the rule's operation.
func (r Rule) checkFault(key string, f Fault) error {
	if f == nil || kinds[f.Kind()] == nil {
		return &Error{Place: key, Err: ErrUnknownKind}
	}
	if where := placeOf(f); where != "" && where != r.place() {
		return &Error{Place: key, Err: fmt.Errorf("%w: %s is for %s, not for %s", ErrPlace, f.Kind(), where, r.Operation)}
	}
	if err := f.Check(); err != nil {
		return below(key, err)
	}
	return nil
}

// The three places where faults happen, in words.
const (
	placeExchange = "operations of the API"
	placeBind     = "bind and program"
	placeEvent    = "event"
)

func (r Rule) place() string {
	switch r.Operation {
	case Bind, Program:
		return placeBind
	case Event:
		return placeEvent
	}
	return placeExchange
}

// placeOf is "" for a fault that can happen everywhere.
func placeOf(f Fault) string {
	switch f.(type) {
	case AtExchange:
		return placeExchange
	case AtBind:
		return placeBind
	case AtEvent:
		return placeEvent
	}
	return ""
}

// at is the fault for the match of that number, counted from 1, and whether it
// is hit. Behind the end of a sequence there is none.
func (r Rule) at(number int) (next Fault, selected bool) {
	switch {
	case r.Fault != nil:
		return r.Fault, (r.First == 0 || number <= r.First) && (r.Nth == 0 || number == r.Nth)
	case number <= len(r.Sequence):
		return r.Sequence[number-1], true
	}
	return Pass{}, false
}
