package elasticpool

import (
	"context"
	"regexp"
	"slices"
	"time"
)

// spacing is the least time between two cycles.
const spacing = time.Second

// poolCycle is what is told of the last cycle.
type poolCycle struct {
	count    int64
	took     time.Duration
	err      error
	decision Decision
	vms      []VM
	orders   []Command
}

// Run runs cycles until ctx ends, which is no error, or until the pool is not the leader any more: then it begins nothing
// more, and the error wraps journal.ErrFenced. Between two regular cycles it decides at once, on what the sensors have
// seen lately, when an action has ended or a command comes.
func (p *Pool) Run(ctx context.Context) error {
	regular := time.Now()
	for ctx.Err() == nil {
		fresh := !time.Now().Before(regular)
		if fresh {
			regular = time.Now().Add(p.cycle)
		}
		_, err := p.run(ctx, fresh)
		if over := p.over(); over != nil {
			return over
		}
		if err != nil && ctx.Err() == nil {
			p.options.logger.Error("cycle", "error", err)
		}
		p.rest(ctx, regular)
	}
	return nil
}

// rest returns when the next cycle is due.
func (p *Pool) rest(ctx context.Context, regular time.Time) {
	select {
	case <-time.After(spacing):
	case <-ctx.Done():
	case <-p.open.Done():
	}
	select {
	case <-time.After(time.Until(regular)):
	case <-p.wake:
	case <-ctx.Done():
	case <-p.open.Done():
	}
}

// rouse lets the next cycle come early.
func (p *Pool) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Cycle runs one cycle: it looks, decides, and begins to act. It does not wait for the actions. The error is of the cycle
// as a whole, such as of a disk that is full: then nothing has begun.
func (p *Pool) Cycle(ctx context.Context) (Decision, error) { return p.run(ctx, true) }

func (p *Pool) run(ctx context.Context, fresh bool) (Decision, error) {
	p.cycling.Lock()
	defer p.cycling.Unlock()
	began := time.Now()
	if err := p.leads(); err != nil {
		return Decision{}, err
	}
	if fresh {
		if err := p.look(ctx); err != nil {
			return Decision{}, err
		}
	}
	if err := p.prepare(); err != nil {
		return Decision{}, err
	}
	in, numbers := p.input()
	decision := p.decider.Decide(in)
	p.decided = append(p.decided, numbers...)
	begun, err := p.record(in.Now, decision.Actions)
	if err == nil {
		p.begin(begun) //nolint:contextcheck // an action lives longer than the cycle that begins it
	}
	p.lease(in, decision)
	if err := p.log.write(in, decision); err != nil {
		p.options.logger.Error("decision log", "error", err)
	}
	p.tell(decision)
	p.options.observer(in, decision)
	p.publish(decision, time.Since(began), err)
	return decision, err
}

// withoutNumbers returns reasons without ages and counts, which change in each cycle.
func withoutNumbers(reasons []string) []string {
	bare := make([]string, len(reasons))
	for i, reason := range reasons {
		bare[i] = numbers.ReplaceAllString(reason, "N")
	}
	return bare
}

var numbers = regexp.MustCompile(`[0-9][0-9.hms]*`)

// tell logs what has changed.
func (p *Pool) tell(decision Decision) {
	for _, event := range decision.Events {
		p.options.logger.Info(event.What, "vm", event.VM, "class", event.Class, "cloud", event.Cloud, "from", event.From, "to", event.To)
	}
	switch reasons := withoutNumbers(decision.Frozen); {
	case slices.Equal(p.frozen, reasons):
	case len(reasons) == 0:
		p.options.logger.Info("no more frozen")
		p.frozen = reasons
	default:
		p.options.logger.Warn("frozen", "reasons", decision.Frozen)
		p.frozen = reasons
	}
}
