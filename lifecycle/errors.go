package lifecycle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/placement"
)

// ErrNoHost says that Placement has no candidate for the request; the error in the chain is a *[NoHostError].
var ErrNoHost = errors.New("no host")

// Error is what every operation of a [Manager] returns when it fails.
type Error struct {
	// Op is the operation: create, delete or recover.
	Op string
	// Instance is the uuid of the instance.
	Instance string
	// Step is the step that failed, in the first attempt where there were several; 0 if the input was refused before
	// the first step.
	Step StepID
	// Err is the cause.
	Err error
	// Undo is what could not be taken back; nil means that nothing was left behind when the undo ended. A request
	// that a server carries out only after its caller gave up on it cannot be seen by then.
	Undo error
}

// Error names the operation, the instance, and for each attempt its host, step and cause; at last what is left behind if
// anything is.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s instance %s: %s", e.Op, e.Instance, e.Err)
	if e.Undo != nil {
		text += "; left behind: " + e.Undo.Error()
	}
	return text
}

// Unwrap gives errors.Is and errors.As the cause and the undo's errors.
func (e *Error) Unwrap() []error {
	if e.Undo == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Undo}
}

// NoHostError says, group by group, why Placement has no candidate.
type NoHostError struct {
	// Verdicts has one entry for each request group.
	Verdicts []placement.GroupVerdict
	// Refusal is Placement's own answer if it refused the query; nil if it just found nothing.
	Refusal error
}

// Error says what each group lacks, or that the groups find providers but not on one host.
func (e *NoHostError) Error() string {
	var reasons []string
	for _, v := range e.Verdicts {
		if v.Reason != placement.Fits && v.Reason != placement.Unjudged {
			reasons = append(reasons, v.Text)
		}
	}
	switch {
	case len(reasons) > 0:
		return ErrNoHost.Error() + ": " + strings.Join(reasons, "; ")
	case e.Refusal != nil:
		return e.Refusal.Error()
	default:
		return ErrNoHost.Error() + ": what was missing was given back meanwhile, try again"
	}
}

// Unwrap gives Placement's refusal.
func (e *NoHostError) Unwrap() error { return e.Refusal }

// Is makes the error match [ErrNoHost].
func (*NoHostError) Is(target error) bool { return target == ErrNoHost }

// stepError carries the failed step from do to the operation's Error.
type stepError struct {
	step Step
	err  error
}

func (e *stepError) Error() string { return e.step.ID.String() + ": " + e.err.Error() }
func (e *stepError) Unwrap() error { return e.err }

// operationError turns the error of a step into the error of the operation.
func operationError(step *Step, err, undo error) error {
	if err == nil {
		return nil
	}
	result := &Error{Op: step.Op, Instance: step.Instance, Err: err, Undo: undo}
	if failed, ok := errors.AsType[*stepError](err); ok {
		result.Step = failed.step.ID
	}
	return result
}
