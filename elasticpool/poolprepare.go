package elasticpool

import (
	"path/filepath"
)

// prepare makes the controller ready for a decision, and the decision log for its line.
func (p *Pool) prepare() error {
	if p.options.dryRun {
		p.log.restart()
		if err := p.store.reload(filepath.Join(p.config.Dir, journalName)); err != nil {
			return err
		}
		if err := p.restore(); err != nil {
			return err
		}
	} else if err := p.hear(); err != nil {
		return err
	}
	if err := p.log.begin(p.config.Policy, p.decider.State()); err != nil {
		p.options.logger.Error("decision log", "error", err)
	}
	return nil
}

// hear takes in the generations of servers in clouds that did not answer at the start.
func (p *Pool) hear() error {
	if len(p.unheard) == 0 {
		return nil
	}
	state := p.decider.State()
	before := state.Generation
	if err := p.lead(&state, 0); err != nil || state.Generation == before {
		return err
	}
	next, err := p.build(p.config.Policy, state)
	if err != nil {
		return err
	}
	p.decider = next
	p.log.restart()
	return nil
}
