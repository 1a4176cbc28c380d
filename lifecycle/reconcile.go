package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrIncomplete says that the list of ARQs may be cut: what it lacks may be gone, or not visible to Cyborg's user.
var ErrIncomplete = errors.New("the list of ARQs may be incomplete")

const defaultGrace = 10 * time.Minute

// Known is what neither Placement nor Cyborg can tell [Manager.Reconcile] and [Manager.Repair].
type Known struct {
	// Records returns the records of all instances, as [FileStore.All] does. Whatever an instance has that it leaves
	// out is taken for somebody else's. It is called several times, and each time has to tell what is saved by then.
	Records func() ([]Record, error)
	// Prepared are ARQs that somebody made to be given to a creation, and may want again afterwards: while nobody has
	// them they are left as they are, and where they are on no record they are unbound, not deleted.
	Prepared []string
	// Gone says that an instance without a record was deleted, so that what it has is to be freed. It must be sure: a
	// real Nova, or another program, may own the instance, and not to find it is not to know that it was deleted. An
	// error ends the work on what it was asked for. nil means that nothing is known of such instances: what they have
	// is reported and left alone.
	Gone func(ctx context.Context, instance string) (bool, error)
	// AllProjects says that Cyborg's user is admin and sees the ARQs of all projects. Others see those of their own, and
	// Cyborg does not tell how many it leaves out. It is needed only where Reconcile fails with ErrIncomplete.
	AllProjects bool
	// Grace is how long an ARQ may stay unbound, and an operation run, before it counts as left behind; 0 means ten
	// minutes. It has to be longer than a creation takes, and than the clocks of Cyborg and of this machine differ.
	Grace time.Duration
}

// FindingKind says what is wrong.
type FindingKind string

// The kinds of findings, in the order of their repair: what frees a device comes before what gives up its allocation
// (B22), and that before what needs one.
const (
	FindingStray       FindingKind = "stray"                  // an ARQ that nobody has bound for a long time
	FindingInterrupted FindingKind = "interrupted"            // an operation that nobody finishes
	FindingPending     FindingKind = "pending"                // what an operation could not take back or finish
	FindingOrphan      FindingKind = "orphan"                 // an ARQ of an instance that is gone
	FindingStale       FindingKind = "stale"                  // an ARQ that is bound to an instance, and not on its record
	FindingIdle        FindingKind = "allocation without ARQ" // devices in Placement that no ARQ of the instance uses
	FindingUnallocated FindingKind = "ARQ without allocation" // Placement offers to others what is in use
	FindingNotBound    FindingKind = "not bound"              // an ARQ on record is gone, or not bound to its instance
	FindingMisplaced   FindingKind = "misplaced"              // an ARQ on record is bound to another host or provider
	FindingAnswered    FindingKind = "answered"               // a [TaskStrays] that nothing is left for
	FindingForeign     FindingKind = "foreign"                // an ARQ of an instance that no record knows: perhaps Nova's
)

var repairOrder = []FindingKind{
	FindingStray, FindingInterrupted, FindingPending, FindingOrphan, FindingStale, FindingIdle, FindingUnallocated,
	FindingNotBound, FindingMisplaced, FindingAnswered, FindingForeign,
}

// Finding is one thing that is not as it should be.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Instance, ARQ and Provider are uuids, Host the compute node's name, as far as the finding is about one.
	Instance string `json:"instance,omitempty"`
	ARQ      string `json:"arq,omitempty"`
	Provider string `json:"provider,omitempty"`
	Host     string `json:"host,omitempty"`
	// Why is for people.
	Why string `json:"why"`
	// Repair is what Repair would do, for people; "" if it would do nothing.
	Repair string `json:"repair,omitempty"`
	// Guest says that the repair starts, stops or changes a guest.
	Guest bool `json:"guest,omitempty"`
}

// same says that two findings are about the same thing, and that it would be repaired in both.
func (f Finding) same(other Finding) bool {
	return f.Kind == other.Kind && f.Instance == other.Instance && f.ARQ == other.ARQ && f.Provider == other.Provider &&
		(f.Repair == "") == (other.Repair == "")
}

// Plan is what Reconcile found and what Repair would do about it. Take out what is not to be repaired.
type Plan struct {
	Findings []Finding `json:"findings"`
}

// Reconcile compares the records with the ARQs of Cyborg and the allocations of its devices in Placement, and changes
// nothing. What operations of this Manager are at work on is left out. A read that fails ends it with an error, and so
// does a list that may be cut (ErrIncomplete): nothing is concluded from what is missing in it.
//
// Nova has no such thing: what its operations leave behind stays (B4, B22).
func (m *Manager) Reconcile(ctx context.Context, known Known) (*Plan, error) {
	found := []Finding{} // not null in JSON
	err := m.observed(ctx, Step{Op: OpReconcile, ID: StepCheck}, func() error {
		s, err := m.survey(ctx, known)
		if err == nil {
			found = append(found, s.findings(s.instances())...)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reconcile: %w", err)
	}
	sortFindings(found)
	return &Plan{Findings: found}, nil
}

func sortFindings(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(repairOrder, a.Kind), slices.Index(repairOrder, b.Kind)), cmp.Compare(a.Instance, b.Instance),
			cmp.Compare(a.ARQ, b.ARQ), cmp.Compare(a.Provider, b.Provider),
		)
	})
}

// observed runs a step that belongs to no operation of an instance.
func (m *Manager) observed(ctx context.Context, step Step, do func() error) error {
	step.Started = time.Now()
	step.Err = do()
	step.Duration = time.Since(step.Started)
	m.observe(ctx, step)
	return step.Err
}
