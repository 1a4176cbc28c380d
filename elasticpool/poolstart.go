package elasticpool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool/journal"
)

// check says what is wrong with the parts of the configuration that the policy does not know of.
func (c *PoolConfig) check() error {
	if c.Batch == nil {
		return errors.New("pool: there is no batch system")
	}
	if c.Dir == "" {
		return errors.New("pool: there is no directory for its journal")
	}
	if c.Jobs == nil {
		c.Jobs = map[string]JobSource{"jobs": c.Batch}
	}
	named := map[string]bool{}
	for _, cloud := range c.Policy.Clouds {
		named[cloud.Name] = true
		if c.Clouds[cloud.Name] == nil {
			return fmt.Errorf("pool: cloud %q of the policy has no provider", cloud.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Clouds)) {
		if !named[name] {
			return fmt.Errorf("pool: there is a provider of cloud %q, which is not in the policy", name)
		}
	}
	return nil
}

// start brings the pool to life.
func (p *Pool) start(ctx context.Context) error {
	p.started = p.clock.now()
	for _, class := range p.config.Policy.Classes {
		p.classes[class.Name] = class
	}
	for name, provider := range p.config.Clouds {
		p.clouds[name] = newBreaker(name, provider, p.options.logger)
		p.slots[name] = make(chan struct{}, p.options.parallel)
		p.unheard[name] = true
	}
	p.sensors = p.newSensors()
	if p.options.logPath != "" {
		p.log = &decisionLog{path: p.options.logPath, limit: p.options.logSize}
	}
	if err := p.load(ctx); err != nil {
		return err
	}
	if err := p.restoreLedger(); err != nil {
		return err
	}
	if err := p.lookAtClouds(ctx); err != nil {
		return err
	}
	if err := p.restore(); err != nil {
		return err
	}
	p.warnOfStranded(p.decider.State())
	if p.options.dryRun {
		return nil
	}
	return p.store.compact(p.ledger)
}

// load takes the lock and reads the journal.
func (p *Pool) load(ctx context.Context) (err error) {
	if p.options.dryRun {
		p.store = readStore()
		return p.store.reload(filepath.Join(p.config.Dir, journalName))
	}
	if err := os.Mkdir(p.config.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if p.leader, err = journal.Lock(ctx, filepath.Join(p.config.Dir, lockName)); err != nil {
		return err
	}
	store, torn, err := openStore(filepath.Join(p.config.Dir, journalName))
	if err != nil {
		return err
	}
	store.journal = p.options.disk(store.journal)
	p.store = store
	if torn != nil {
		p.options.logger.Warn("the journal's end was cut short by a crash; nothing acknowledged is lost", "line", torn.Line, "bytes", torn.Bytes)
	}
	return nil
}

// restore makes the controller from what the journal says.
func (p *Pool) restore() error {
	var state State
	var err error
	p.store.read(func(r *poolRecord) {
		p.mu.Lock()
		defer p.mu.Unlock()
		state, err = r.state(p.clock.now())
		p.next, p.ended = r.Next, r.unresolved()
		p.commands, p.names = maps.Clone(r.Commands), maps.Clone(r.Workers)
	})
	if err != nil {
		return fmt.Errorf("restore pool %s: %w", p.config.Policy.Pool, err)
	}
	if err := p.lead(&state, state.Generation); err != nil {
		return err
	}
	p.mu.Lock()
	p.last.orders = slices.Clone(state.Orders) // they are in force before the first cycle
	p.mu.Unlock()
	p.decider, err = p.build(p.config.Policy, state)
	return err
}

// warnOfStranded tells of VMs in the journal whose cloud is not configured.
func (p *Pool) warnOfStranded(state State) {
	stranded := map[string][]string{}
	for _, vm := range state.VMs {
		if p.clouds[vm.Cloud] == nil {
			stranded[vm.Cloud] = append(stranded[vm.Cloud], vm.ID)
		}
	}
	for _, cloud := range sortedKeys(stranded) {
		p.options.logger.Warn("VMs are of a cloud that is not configured: nothing is done with them until it is put back or they are forgotten",
			"cloud", cloud, "vms", stranded[cloud])
	}
}

// lead makes the generation of this controller greater than past, and than that of any server that a cloud shows for the
// first time.
func (p *Pool) lead(state *State, past int64) error {
	for name := range p.unheard {
		seen := p.sensors.clouds[name].value(p.clock.now())
		if seen.At.IsZero() {
			continue
		}
		delete(p.unheard, name)
		for _, server := range seen.Value.Servers {
			past = max(past, server.Generation)
		}
	}
	if p.leader == nil {
		state.Generation = max(state.Generation, past)
		return nil
	}
	if err := p.leader.Advance(past); err != nil {
		return err
	}
	state.Generation = p.leader.Generation()
	return nil
}
