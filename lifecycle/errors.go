package lifecycle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/placement"
)

// What an [Error] may be made of, besides the errors of placement, cyborgclient, requestspec and virtdriver.
var (
	// ErrNoHost says that Placement has no candidate for the request; the error in the chain is a *[NoHostError]
	// where Placement was asked why.
	ErrNoHost = errors.New("no host")
	// ErrState says that the operation is not possible in the instance's state.
	ErrState = errors.New("not possible in this state")
	// ErrBusy says that an operation runs on the instance.
	ErrBusy = errors.New("an operation is running")
	// ErrInterrupted says that the record has an operation that a crash interrupted: Resume comes first.
	ErrInterrupted = errors.New("an operation was interrupted")
	// ErrExists says that a new instance has the uuid of one on record: Resume or Delete that one. If it stays on
	// record then, because ARQs may be left of it, Reconcile clears that up.
	ErrExists = errors.New("there is a record of the instance already")
	// ErrStale says that the given record is older than the stored one: load that.
	ErrStale = errors.New("the record is not the newest, load it again")
	// ErrHostDown in the error of a [Hypervisor] says that the host is surely down, fenced off, and no guest runs there.
	// The instance can go elsewhere then; what is left of its guest is destroyed by HostBoot.
	ErrHostDown = errors.New("the host is down")
	// ErrDeleted says that the instance was deleted while the operation ran.
	ErrDeleted = errors.New("the instance is being deleted")
	// ErrNotBound says that the instance has lost an accelerator. Evacuate or Migrate, which bind new ones, help.
	ErrNotBound = errors.New("accelerator not bound")
	// ErrProfileChanged says that a device profile is not what it was when the instance got its accelerators.
	ErrProfileChanged = errors.New("device profile changed")
	// ErrInterruption says that the operation needs AttachRequest.Interrupt.
	ErrInterruption = errors.New("the guest would lose its accelerators for a moment, which Interrupt allows")
	// ErrAbort in the error of a [Hypervisor] says that another host would not help.
	ErrAbort = errors.New("abort")
)

// Error is what every operation of a [Manager] returns when it fails.
type Error struct {
	// Op is the operation.
	Op Op
	// Instance is the uuid of the instance.
	Instance string
	// Host is the compute node that the instance was on when the operation began; "" for none.
	Host string
	// Step is the step that failed, in the first attempt where there were several; 0 if the input was refused before
	// the first step.
	Step StepID
	// Err is the cause.
	Err error
	// Undo is what could not be taken back; nil means that nothing was left behind when the undo ended. A request
	// that a server carries out only after its caller gave up on it cannot be seen by then.
	Undo error
	// Record is the instance's record afterwards. What Undo says is in its Pending, to be done later.
	Record Record
}

// Error names the operation, the instance, and for each attempt its host, step and cause; at last what is left behind if
// anything is.
func (e *Error) Error() string {
	host := ""
	if e.Host != "" {
		host = " on " + e.Host
	}
	text := fmt.Sprintf("%s instance %s%s: %s", e.Op, e.Instance, host, e.Err)
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

// failure turns the error of a step into the error of the operation.
func (r *run) failure(err, undo error) error {
	result := &Error{Op: r.step.Op, Instance: r.record.Instance(), Host: r.host, Err: err, Undo: undo, Record: r.record}
	if err == nil { // the operation did its work, and could not free what it replaced
		result.Err, result.Undo = undo, nil
	}
	if failed, ok := errors.AsType[*stepError](result.Err); ok {
		result.Step = failed.step.ID
	}
	return result
}
