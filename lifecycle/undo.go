package lifecycle

import (
	"context"
	"errors"
	"slices"
)

// undoLog remembers how to take back what an attempt did. A step registers its undo before it runs, so that a call
// whose answer is lost is taken back too.
type undoLog struct{ entries []undoEntry }

type undoEntry struct {
	step StepID
	run  func(context.Context) error
}

func (u *undoLog) add(step StepID, run func(context.Context) error) {
	u.entries = append(u.entries, undoEntry{step, run})
}

// unwind takes everything back, last step first. It goes on after an error, because each entry frees something that
// others could use, and returns all errors.
func (m *Manager) unwind(ctx context.Context, log *undoLog, step Step) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.undoTimeout)
	defer cancel()
	step.Undo = true
	var errs []error
	for _, entry := range slices.Backward(log.entries) {
		step.ID = entry.step
		errs = append(errs, m.do(ctx, &step, entry.run))
	}
	return errors.Join(errs...)
}
