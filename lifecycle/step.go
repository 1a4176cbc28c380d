package lifecycle

import (
	"context"
	"time"
)

// StepID numbers the steps of a creation as the files of this package do; the undo of a step and the steps of a
// deletion carry the number of the step that they take back.
type StepID int

// The steps of a creation in their order.
const (
	StepProfile    StepID = 1 + iota // read the device profiles
	StepGroups                       // merge the request groups
	StepCandidates                   // ask Placement for candidates
	StepClaim                        // claim one candidate
	StepARQs                         // create the ARQs and match them to providers
	StepBind                         // bind all ARQs in one request
	StepWait                         // wait until all are bound
	StepCompose                      // put the devices into the domain XML
)

var stepNames = map[StepID]string{
	StepProfile:    "device profiles",
	StepGroups:     "request groups",
	StepCandidates: "candidates",
	StepClaim:      "claim",
	StepARQs:       "ARQs",
	StepBind:       "bind",
	StepWait:       "wait",
	StepCompose:    "domain XML",
}

// String returns what the step is about, in a word or two that fit its undo as well.
func (s StepID) String() string { return stepNames[s] }

// Step is what an observer is told when a step ends.
type Step struct {
	// Op is the operation: create, delete or recover.
	Op string
	// Instance is the uuid of the instance.
	Instance string
	// ID says which step it was.
	ID StepID
	// Undo is true where the step was taken back after a failure.
	Undo bool
	// Attempt counts the candidates tried, from 1; 0 before the first.
	Attempt int
	// Host is the compute node of the attempt, empty before one is chosen.
	Host string
	// Duration is how long the step took.
	Duration time.Duration
	// Err is why it failed; nil for success.
	Err error
}

// do runs one step, tells the observer, and names the step in its error. What the step finds out, such as the host, is
// in the observer's copy.
func (m *Manager) do(ctx context.Context, step *Step, run func(context.Context) error) error {
	started := time.Now()
	err := run(ctx)
	step.Duration, step.Err = time.Since(started), err
	m.observe(*step)
	if err != nil {
		return &stepError{step: *step, err: err}
	}
	return nil
}
