package condor

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Join starts the startd of a warm worker and binds it to the queue. It returns when the collector knows the worker's
// slots and the worker serves, which takes some seconds; until it is bound it takes no job. It can be repeated.
func (p *Pool) Join(ctx context.Context, worker elasticpool.Worker, queue string) error {
	if err := checkBinding(worker, queue); err != nil {
		return err
	}
	// Without the first the next condor_reconfig of the master, whoever asks for it, would stop the startd again.
	for _, c := range []call{
		{tool: "condor_config_val", args: p.at("-master", "-name", worker.Name, "-rset", "START_DAEMONS = True")},
		{tool: "condor_on", args: p.at("-startd", "-name", worker.Name)},
	} {
		c.op = "join " + worker.Name
		if err := p.run(ctx, c); err != nil {
			return err
		}
	}
	if err := p.awaitSlots(ctx, worker); err != nil {
		return err
	}
	return p.bind(ctx, worker, queue)
}

// Bind lets a worker take its next jobs from another queue: it sets ElasticQueue while the startd runs, which is part
// of its START. Jobs that run stay; when one ends its slot is given up, so that no other job of the old queue follows.
func (p *Pool) Bind(ctx context.Context, worker elasticpool.Worker, queue string) error {
	if err := checkBinding(worker, queue); err != nil {
		return err
	}
	return p.bind(ctx, worker, queue)
}

func checkBinding(worker elasticpool.Worker, queue string) error {
	if err := named(worker.Name); err != nil {
		return err
	}
	if queue == "" {
		return &Error{Op: "bind " + worker.Name, Class: ErrName, Detail: "the queue has no name"}
	}
	_, err := quote(queue)
	return err
}

func (p *Pool) bind(ctx context.Context, worker elasticpool.Worker, queue string) error {
	value, err := quote(p.config.Prefix + queue)
	if err != nil {
		return err
	}
	op := fmt.Sprintf("bind %s to %s", worker.Name, queue)
	set := p.at("-startd", "-name", worker.Name, "-rset", "ElasticQueue = "+value)
	if err := p.run(ctx, call{op: op, tool: "condor_config_val", args: set}); err != nil {
		return err
	}
	// The master tells its startd. The startd's own daemon ad comes to the collector later than its slots, and until
	// then condor_reconfig -startd does not find it.
	return p.run(ctx, call{op: op, tool: "condor_reconfig", args: p.at("-name", worker.Name)})
}

// awaitSlots waits until the collector knows the worker's slots, for Config.Timeout at most.
func (p *Pool) awaitSlots(ctx context.Context, worker elasticpool.Worker) error {
	limit := p.config.Timeout.D()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		joined, err := p.slots.look(ctx, p.joined)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if joined[worker.VM] {
			return nil
		}
		select {
		case <-ctx.Done():
			return &Error{Op: "join " + worker.Name, Class: ErrTimeout, Detail: fmt.Sprintf("no slot in the collector within %s", limit)}
		case <-time.After(lookAgain):
		}
	}
}

const lookAgain = 500 * time.Millisecond

// joined returns the VMs whose slots the collector knows.
func (p *Pool) joined(ctx context.Context) (map[string]bool, error) {
	joined := map[string]bool{}
	c := call{op: "joined workers", tool: "condor_status", args: p.at("-json", "-attributes", "ElasticVM", "-constraint", p.mine())}
	c.read = func(output io.Reader) error {
		return eachAd(output, func(a ad) error {
			joined[a.text("ElasticVM")] = true
			return nil
		})
	}
	return joined, p.run(ctx, c)
}

// glance lets all who wait for slots at the same time share one look: a hundred workers that join cost the collector
// no more than one.
type glance struct {
	mu   sync.Mutex
	at   time.Time
	seen map[string]bool
}

// look returns what was seen within the last moment, or looks again.
func (g *glance) look(ctx context.Context, again func(context.Context) (map[string]bool, error)) (map[string]bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.at) < lookAgain {
		return g.seen, nil
	}
	seen, err := again(ctx)
	if err == nil {
		g.seen, g.at = seen, time.Now()
	}
	return seen, err
}
