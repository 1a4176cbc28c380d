package virtdriver

import (
	"errors"
	"fmt"
	"strings"
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
	// Err is [ErrWaitTimeout], [ErrNotBound] or the cause of the context's end.
	Err error
}

// ARQVerdict is what a wait last saw of one ARQ.
type ARQVerdict struct {
	// UUID is the ARQ.
	UUID string
	// Seen says that Cyborg listed the ARQ for the instance; State and Hostname
	// are empty when it did not.
	Seen bool
	// State is the ARQ's state.
	State cyborgclient.ARQState
	// Hostname is the host that the ARQ names.
	Hostname string
	// Event is the status of the event that came for the ARQ, empty when none
	// came.
	Event string
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

// Unwrap returns the cause and, when there is one, the last poll's error.
func (e *WaitError) Unwrap() []error {
	if e.LastPollError == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.LastPollError}
}
