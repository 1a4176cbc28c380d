package elasticpool

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// poolSensors are all that a pool looks at.
type poolSensors struct {
	jobs    map[string]*sensor[[]JobGroup]
	workers *sensor[Workers]
	clouds  map[string]*sensor[CloudView]
}

// looker is any sensor.
type looker interface {
	look(ctx context.Context, work *sync.WaitGroup) <-chan struct{}
	status(now time.Time) SensorStatus
}

func newSensor[T any](p *Pool, name string, ask func(context.Context) (T, error)) *sensor[T] {
	return &sensor[T]{name: name, ask: ask, clock: p.clock, limit: p.options.look}
}

func (p *Pool) newSensors() poolSensors {
	s := poolSensors{
		jobs: map[string]*sensor[[]JobGroup]{}, workers: newSensor(p, "workers", p.config.Batch.Workers),
		clouds: map[string]*sensor[CloudView]{},
	}
	for name, source := range p.config.Jobs {
		s.jobs[name] = newSensor(p, "jobs/"+name, source.Jobs)
	}
	for name, cloud := range p.clouds {
		s.clouds[name] = newSensor(p, "cloud/"+name, func(ctx context.Context) (CloudView, error) {
			return cloud.view(ctx, p.config.Policy.Pool)
		})
	}
	return s
}

// all returns the sensors in the order of their names.
func (s poolSensors) all() []looker {
	var list []looker
	for _, name := range slices.Sorted(maps.Keys(s.clouds)) {
		list = append(list, s.clouds[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.jobs)) {
		list = append(list, s.jobs[name])
	}
	return append(list, s.workers)
}

// look lets the sensors look, and waits for them, but not longer than a cycle: a slow one is heard in a later cycle. A dry
// run may have no later one.
func (p *Pool) look(ctx context.Context) error {
	var looking []<-chan struct{}
	for _, s := range p.sensors.all() {
		looking = append(looking, s.look(p.open, &p.looks)) //nolint:contextcheck // a look lives longer than the cycle that begins it
	}
	patience := p.cycle
	if p.options.dryRun {
		patience = p.options.look
	}
	return p.await(ctx, looking, patience)
}

// lookAtClouds asks every cloud, and waits for its answer for as long as a look may take.
func (p *Pool) lookAtClouds(ctx context.Context) error {
	var looking []<-chan struct{}
	for _, s := range p.sensors.clouds {
		looking = append(looking, s.look(p.open, &p.looks)) //nolint:contextcheck // a look lives longer than the cycle that begins it
	}
	return p.await(ctx, looking, p.options.look)
}

// await waits for looks until they have ended, some time has passed, or there is nobody left to wait for them.
func (p *Pool) await(ctx context.Context, looking []<-chan struct{}, patience time.Duration) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for _, done := range looking {
		if done == nil {
			continue
		}
		select {
		case <-done:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-p.open.Done():
			return p.over()
		}
	}
	return nil
}

// input returns all that is known now, and the numbers of the outcomes and commands in it.
func (p *Pool) input() (Input, []int64) {
	in := Input{
		Now: p.clock.now(), ClockStep: p.clock.stepped(),
		Jobs: map[string]Seen[[]JobGroup]{}, Clouds: map[string]Seen[CloudView]{},
	}
	for name, s := range p.sensors.jobs {
		in.Jobs[name] = s.value(in.Now)
	}
	for name, s := range p.sensors.clouds {
		in.Clouds[name] = s.value(in.Now)
	}
	in.Workers = p.sensors.workers.value(in.Now)
	in.Leases = p.leased()
	if in.ClockStep != 0 {
		p.options.logger.Warn("the wall clock was set", "by", in.ClockStep)
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	numbers := slices.Concat(slices.Sorted(maps.Keys(p.ended)), slices.Sorted(maps.Keys(p.commands)))
	for _, number := range slices.Sorted(maps.Keys(p.ended)) {
		in.Outcomes = append(in.Outcomes, p.ended[number])
	}
	for _, number := range slices.Sorted(maps.Keys(p.commands)) {
		in.Commands = append(in.Commands, p.commands[number])
	}
	clear(p.ended)
	clear(p.commands)
	in.Running = slices.Sorted(maps.Keys(p.running))
	for _, worker := range in.Workers.Value.List {
		if worker.VM != "" {
			p.workers[worker.VM], p.names[worker.VM] = worker, worker.Name
		}
	}
	return in, numbers
}
