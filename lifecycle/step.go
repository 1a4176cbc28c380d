package lifecycle

import (
	"context"
	"log/slog"
	"time"
)

// StepID numbers the steps of the operations; the files of this package bear the numbers. The undo of a step carries
// the number of the step that it takes back.
type StepID int

// The steps.
const (
	StepProfile    StepID = 1 + iota // read the device profiles
	StepGroups                       // merge the request groups
	StepCandidates                   // ask Placement for candidates
	StepClaim                        // claim one candidate
	StepARQs                         // create the ARQs and match them to providers
	StepBind                         // bind all ARQs in one request
	StepWait                         // wait until all are bound
	StepCompose                      // put the devices into the domain XML
	StepGuest                        // have the hypervisor start, stop or move the guest
	StepDevices                      // have it attach or detach devices
	StepVacate                       // free the devices that the instance has
	StepCheck                        // see that the instance still has its devices
	StepLimits                       // see that the project may have so much
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
	StepGuest:      "guest",
	StepDevices:    "devices",
	StepVacate:     "old ARQs",
	StepCheck:      "bound ARQs",
	StepLimits:     "limits",
}

// String returns what the step is about, in a word or two that fit its undo as well.
func (s StepID) String() string { return stepNames[s] }

// Step is what an observer is told when a step ends.
type Step struct {
	// Op is the operation.
	Op Op
	// Instance is the uuid of the instance.
	Instance string
	// ID says which step it was.
	ID StepID
	// Undo is true where the step was taken back after a failure.
	Undo bool
	// Attempt counts the candidates tried, from 1; 0 before the first.
	Attempt int
	// Host is the compute node that the step was about, empty before one is chosen.
	Host string
	// ARQs are the uuids of the ARQs that the instance then had or was about to get.
	ARQs []string
	// Started is when the step began, Duration how long it took.
	Started  time.Time
	Duration time.Duration
	// Err is why it failed; nil for success.
	Err error
}

func (s Step) log(ctx context.Context, logger *slog.Logger) {
	level := slog.LevelDebug
	attributes := []slog.Attr{
		slog.String("op", string(s.Op)), slog.String("instance", s.Instance), slog.String("step", s.ID.String()),
		slog.Bool("undo", s.Undo), slog.Int("attempt", s.Attempt), slog.String("host", s.Host),
		slog.Any("arqs", s.ARQs), slog.Duration("duration", s.Duration),
	}
	if s.Err != nil {
		level = slog.LevelWarn
		attributes = append(attributes, slog.String("error", s.Err.Error()))
	}
	logger.LogAttrs(ctx, level, "accelerator step", attributes...)
}
