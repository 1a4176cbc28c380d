package elasticpool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// batchSlots names the slots of the batch system among those of clouds, whose names are not empty.
const batchSlots = ""

// inCloud says whether a kind of action is done by a cloud, and not by the batch system.
func inCloud(kind ActionKind) bool {
	return kind == ActCreate || kind == ActDelete || kind == ActStart || kind == ActStop
}

// begin begins actions, each in its own time.
func (p *Pool) begin(begun map[int64]Action) {
	for _, number := range slices.Sorted(maps.Keys(begun)) {
		action := begun[number]
		if p.take(action) {
			p.acts.Go(func() { p.act(number, action) })
		} else {
			p.finish(number, failed(action, ErrTransient, "another action on it is under way"), false)
		}
	}
}

// take notes that an action on a VM is under way, unless one is.
func (p *Pool) take(action Action) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, busy := p.running[action.VM]; busy {
		return false
	}
	p.running[action.VM] = RunningAction{Action: action, Since: p.clock.now()}
	return true
}

// act does one action when there is a slot for it.
func (p *Pool) act(number int64, action Action) {
	slots := p.slots[batchSlots]
	if own := p.slots[action.Cloud]; own != nil && inCloud(action.Kind) {
		slots = own
	}
	select {
	case slots <- struct{}{}:
	case <-p.open.Done():
		return // it has not begun; the next pool finds that out
	}
	if p.leads() != nil {
		<-slots
		return
	}
	began := time.Now()
	outcome := p.within(action, func() { <-slots })
	if lost := p.over(); lost != nil && !errors.Is(lost, ErrPoolClosed) {
		return // another leads: nothing is written any more
	}
	p.finish(number, outcome, true)
	p.options.logger.Info("action", "kind", action.Kind, "vm", action.VM, "cloud", action.Cloud, "class", action.Class, "queue", action.Queue,
		"why", action.Reason, "took", time.Since(began), "error", outcome.Error, "detail", outcome.Detail)
}

// within does an action within its time. One that does not heed its deadline is left alone; it keeps its slot until it
// has ended.
func (p *Pool) within(action Action, release func()) Outcome {
	ctx, cancel := context.WithTimeout(p.acting, p.options.act)
	ended := make(chan Outcome, 1)
	p.acts.Go(func() {
		defer cancel()
		defer release()
		ended <- p.perform(ctx, action)
	})
	hanging := time.NewTimer(p.options.act + hangs)
	defer hanging.Stop()
	select {
	case outcome := <-ended:
		return outcome
	case <-hanging.C:
		return failed(action, ErrUnknownOutcome, fmt.Sprintf("it hangs: no answer for %s", p.options.act+hangs))
	}
}

// finish notes how an action ended, first in the journal.
func (p *Pool) finish(number int64, outcome Outcome, taken bool) {
	if err := p.store.append(entryEnd, endEntry{Number: number, Outcome: outcome}); err != nil {
		p.options.logger.Error("the end of an action is not in the journal", "error", err) // a crash now makes it unknown
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if taken {
		delete(p.running, outcome.Action.VM)
	}
	p.ended[number] = outcome
	p.rouse()
}
