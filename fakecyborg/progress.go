package fakecyborg

import (
	"errors"
	"slices"
	"sync"

	"github.com/novacyborg/novacyborg/placement"
)

// progress is how far the reports of one seed are; a report of an earlier seed that
// is still on its way has its own.
type progress struct {
	mu sync.Mutex
	// ready says that all hosts have reported.
	ready bool
	// trouble is why they have not, nil before the first report.
	trouble error
	// untouched says that the tables are to stay as they are until a report has
	// succeeded, as the one that comes next would change what was asked for.
	untouched bool
}

// note takes the outcome of a report. What is in use, or of somebody else, stays as it
// is, and everything else was done.
func (p *progress) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = err
	if only(err, placement.ErrInUse) {
		p.ready, p.trouble = true, nil
	}
	if only(err, placement.ErrInUse, placement.ErrForeign) {
		p.untouched = false
	}
}

// unready takes the outcome of the report of a seed that was just loaded.
func (p *progress) unready(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !only(err, placement.ErrInUse) {
		p.ready, p.trouble = false, err
	}
}

// state tells whether all hosts have reported, and otherwise why not, if that is known.
func (p *progress) state() (ready bool, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ready && p.trouble != nil {
		reason = p.trouble.Error()
	}
	return p.ready, reason
}

func (p *progress) isUntouched() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.untouched
}

// several are errors in one.
type several interface {
	error
	Unwrap() []error
}

// only tells whether nothing failed but for those reasons. An error of Placement has one
// reason, whatever it unwraps to.
func only(err error, reasons ...error) bool {
	for one := err; one != nil; one = errors.Unwrap(one) {
		if _, whole := one.(*placement.Error); whole { //nolint:errorlint // the parts of the error are looked at one by one
			break
		}
		if list, ok := one.(several); ok { //nolint:errorlint // see above
			return !slices.ContainsFunc(list.Unwrap(), func(part error) bool { return !only(part, reasons...) })
		}
	}
	return err == nil || slices.ContainsFunc(reasons, func(reason error) bool { return errors.Is(err, reason) })
}
