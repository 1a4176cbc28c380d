package virtdriver

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// Why a wait ended without its accelerators; test for them with [errors.Is]. A
// wait that its context ended gives the context's cause instead.
var (
	// ErrWaitTimeout says that the deadline of the wait passed.
	ErrWaitTimeout = errors.New("timed out")
	// ErrNotBound says that Cyborg decided at least one ARQ in another way than
	// the expectation.
	ErrNotBound = errors.New("binding failed")
)

// WaitError is the error of a wait: a table of all expected ARQs as they were
// last seen, where Nova names the first failed event without its uuid. It
// unwraps to the cause and to the error of the last failed poll.
type WaitError struct {
	// Instance is the uuid of the server.
	Instance string
	// TimedOut says that the wait's own deadline passed.
	TimedOut bool
	// Waited is how long the wait took, to the millisecond.
	Waited time.Duration
	// ARQs has one entry per expected ARQ, in their order.
	ARQs []ARQVerdict
	// Polls counts the looks at Cyborg, FailedPolls those that failed.
	Polls, FailedPolls int
	// LastPollError is the error of the last poll that failed, nil when none
	// did.
	LastPollError error
	// Err is [ErrWaitTimeout], [ErrNotBound], [ErrReceiverClosed] or the cause of
	// the context's end.
	Err error
}

// ARQVerdict is what a wait last saw of one ARQ.
type ARQVerdict struct {
	// UUID is the ARQ.
	UUID string
	// Seen says that Cyborg listed the ARQ for the instance; State and Hostname
	// are empty when it did not.
	Seen bool
	// State is the ARQ's state, StateAfter when the wait saw it first, counted
	// from the wait's start.
	State      cyborgclient.ARQState
	StateAfter time.Duration
	// Hostname is the host that the ARQ names.
	Hostname string
	// Event is the status of the event that came for the ARQ or, in the plural
	// form, for its profile; it is empty when none came. EventAfter is when.
	Event      string
	EventAfter time.Duration
	// Reason says what is missing; it is empty for an ARQ that was bound as
	// expected.
	Reason string
}

// String gives the verdict in words, with uuid, state and event.
func (v ARQVerdict) String() string {
	text := fmt.Sprintf("ARQ %s %s", v.UUID, v.Reason)
	if v.Reason == "" {
		text = fmt.Sprintf("ARQ %s is bound as expected", v.UUID)
	}
	var notes []string
	if v.Seen {
		notes = append(notes, "state "+string(v.State))
	}
	if v.Event != "" {
		notes = append(notes, "event "+v.Event)
	}
	if len(notes) == 0 {
		return text
	}
	return text + " (" + strings.Join(notes, ", ") + ")"
}

// Error tells the cause, every ARQ that is not as expected, and what the polls
// came to.
func (e *WaitError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "wait for ARQs of instance %s: %v after %s", e.Instance, e.Err, e.Waited)
	for _, v := range e.ARQs {
		if v.Reason != "" {
			fmt.Fprintf(&b, "; %s", v)
		}
	}
	if e.LastPollError != nil {
		fmt.Fprintf(&b, "; %d of %d polls failed, the last with: %v", e.FailedPolls, e.Polls, e.LastPollError)
	}
	return b.String()
}

// Table shows what the wait saw, one ARQ a line under a line of titles, for a
// log or a terminal: what came for it and when, and what is missing.
func (e *WaitError) Table() string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ARQ\tSTATE\tHOST\tEVENT\tVERDICT")
	for _, v := range e.ARQs {
		state := "not listed"
		switch {
		case e.Polls == e.FailedPolls:
			state = "not seen"
		case v.Seen:
			state = fmt.Sprintf("%s since %s", v.State, v.StateAfter)
		}
		event := "none"
		if v.Event != "" {
			event = fmt.Sprintf("%s after %s", v.Event, v.EventAfter)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", v.UUID, state, cmp.Or(v.Hostname, "-"), event, cmp.Or(v.Reason, "as expected"))
	}
	_ = table.Flush() // a strings.Builder takes everything
	return b.String()
}

// Unwrap returns the cause and, when there is one, the last poll's error.
func (e *WaitError) Unwrap() []error {
	if e.LastPollError == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.LastPollError}
}
