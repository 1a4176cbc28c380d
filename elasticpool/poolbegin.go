package elasticpool

import (
	"errors"
	"maps"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool/journal"
)

// record writes the state and the actions into the journal before they begin, and returns them by their numbers. If
// that fails they do not begin, and the next decision hears of it.
func (p *Pool) record(now time.Time, actions []Action) (map[int64]Action, error) {
	if p.options.dryRun {
		return nil, nil
	}
	state := p.decider.State()
	begun := p.number(state, actions)
	entry, err := p.change(state)
	if err != nil {
		p.refuse(begun, err)
		return nil, err
	}
	entry.Now, entry.Decided, entry.Begun = now, p.decided, begun
	err = p.store.append(entryCycle, entry)
	if errors.Is(err, journal.ErrBroken) {
		if err = p.store.compact(p.ledger); err == nil {
			err = p.store.append(entryCycle, entry)
		}
	}
	if err != nil {
		p.refuse(begun, err)
		return nil, err
	}
	p.decided = nil
	if p.store.journal.Due(journalLimit) {
		if err := p.store.compact(p.ledger); err != nil {
			p.options.logger.Error("compact the journal", "error", err)
		}
	}
	return begun, nil
}

// change returns what the journal does not say yet about a state.
func (p *Pool) change(state State) (entry cycleEntry, err error) {
	p.mu.Lock()
	names := maps.Clone(p.names)
	p.mu.Unlock()
	p.store.read(func(r *poolRecord) { entry, err = r.change(state, names) })
	return entry, err
}

// number gives each action a number, and forgets the workers of VMs that are no more.
func (p *Pool) number(state State, actions []Action) map[int64]Action {
	p.mu.Lock()
	defer p.mu.Unlock()
	begun := make(map[int64]Action, len(actions))
	for _, action := range actions {
		begun[p.next] = action
		p.next++
	}
	there := make(map[string]bool, len(state.VMs))
	for _, vm := range state.VMs {
		there[vm.ID] = true
	}
	maps.DeleteFunc(p.workers, func(id string, _ Worker) bool { return !there[id] })
	maps.DeleteFunc(p.names, func(id, _ string) bool { return !there[id] })
	return begun
}

// refuse lets the controller know that actions have not begun.
func (p *Pool) refuse(begun map[int64]Action, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, action := range begun {
		p.ended[number] = failed(action, ErrTransient, "not begun: "+why.Error())
	}
}
