package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// grace is how long a server's command may take to end. patience is how long a command that was started may take to run.
const (
	grace    = 5 * time.Second
	patience = 10 * time.Second
)

// cloud is a provider whose servers are processes.
type cloud struct {
	config config
	store  *store
	log    *slog.Logger

	mu   sync.Mutex // of records
	busy map[string]bool
}

var _ elasticpool.Provider = (*cloud)(nil)

func newCloud(c config, s *store, log *slog.Logger) *cloud {
	return &cloud{config: c, store: s, log: log, busy: map[string]bool{}}
}

// Servers returns the servers of the pool.
func (c *cloud) Servers(_ context.Context, pool string) ([]elasticpool.Server, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	records, whole, err := c.store.list()
	if err != nil {
		return nil, false, err
	}
	var servers []elasticpool.Server
	for _, r := range records {
		if r.Spec.Pool == pool {
			servers = append(servers, c.server(r))
		}
	}
	return servers, whole, nil
}

// Limits returns what -max says.
func (c *cloud) Limits(context.Context) (elasticpool.Limits, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	records, _, err := c.store.list()
	if err != nil {
		return elasticpool.Limits{}, err
	}
	free := elasticpool.Resources{}
	used := usage(records)
	for name, amount := range c.config.max {
		free[name] = max(0, amount-used[name])
	}
	return elasticpool.Limits{Total: c.config.max, Free: free}, nil
}

// usage returns what servers take, those that sleep too.
func usage(records []record) elasticpool.Resources {
	used := elasticpool.Resources{}
	for _, r := range records {
		used = used.Plus(takes(r.Spec))
	}
	return used
}

func takes(spec elasticpool.ServerSpec) elasticpool.Resources {
	all := spec.Class.Takes.Plus(nil)
	all[elasticpool.VMs] = 1
	return all
}

// goodName is what a VM id must be: it names files.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,63}$`)

// Create starts a server. Asked again for a VM, it returns the server that it has.
func (c *cloud) Create(_ context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	op := "create server " + spec.Name
	if !goodName.MatchString(spec.VM) || spec.Pool == "" {
		return elasticpool.Server{}, fault(op, elasticpool.ErrInvalid, fmt.Errorf("VM id %q of pool %q is not of letters, digits and -", spec.VM, spec.Pool))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	records, _, err := c.store.list()
	if err != nil {
		return elasticpool.Server{}, fault(op, elasticpool.ErrTransient, err)
	}
	for _, r := range records {
		switch {
		case r.Spec.VM != spec.VM:
		case r.Spec.Pool != spec.Pool:
			return elasticpool.Server{}, fault(op, elasticpool.ErrInvalid, fmt.Errorf("VM %s belongs to pool %s", spec.VM, r.Spec.Pool))
		default:
			return c.server(r), nil
		}
	}
	if err := c.fits(usage(records), takes(spec)); err != nil {
		return elasticpool.Server{}, fault(op, elasticpool.ErrQuota, err)
	}
	spec.Class.UserData = "" // it may hold secrets, and no command gets it
	r := record{Spec: spec, Created: time.Now()}
	if err := c.begin(&r); err != nil {
		return elasticpool.Server{}, fault(op, classOf(err), errors.Join(err, c.store.forget(spec.VM)))
	}
	return c.server(r), nil
}

// errTemplate marks that a command cannot be made for a server.
var errTemplate = errors.New("template")

func classOf(err error) error {
	if errors.Is(err, errTemplate) {
		return elasticpool.ErrInvalid
	}
	return elasticpool.ErrTransient
}

func (c *cloud) fits(used, more elasticpool.Resources) error {
	for name, limit := range c.config.max {
		if more[name] > 0 && used[name]+more[name] > limit {
			return fmt.Errorf("%s: %d of %d are in use, %d more were asked for", name, used[name], limit, more[name])
		}
	}
	return nil
}

// begin notes that a server is on, and starts its command.
func (c *cloud) begin(r *record) error {
	arguments, env, err := c.fill(c.config.start, *r)
	if err != nil {
		return err
	}
	if err := c.store.clear(r.Spec.VM); err != nil {
		return err
	}
	r.Phase, r.Launched = on, time.Now()
	if err := c.store.save(*r); err != nil {
		return err
	}
	return c.store.launch(r.Spec.VM, c.config.bootDelay, arguments, env)
}

// fill returns the arguments and the environment of a command for a server.
func (c *cloud) fill(line command, r record) (arguments, env []string, err error) {
	v := valuesOf(r.Spec)
	if arguments, err = line.fill(v); err != nil {
		return nil, nil, errors.Join(errTemplate, err)
	}
	added, err := c.config.env.fill(v)
	if err != nil {
		return nil, nil, errors.Join(errTemplate, err)
	}
	env, err = v.environment()
	return arguments, append(added, env...), err
}

// Delete ends a server and forgets it.
func (c *cloud) Delete(ctx context.Context, server elasticpool.Server) error {
	return c.change("delete", server, leaving, func(r record) error {
		if err := c.end(ctx, r); err != nil {
			return err
		}
		return c.store.forget(r.Spec.VM)
	})
}

// Stop ends a server's command, and remembers the server.
func (c *cloud) Stop(ctx context.Context, server elasticpool.Server) error {
	return c.change("stop", server, stopping, func(r record) error {
		if err := c.end(ctx, r); err != nil {
			return err
		}
		r.Phase = off
		return c.store.save(r)
	})
}

// Start starts the command of a server that was stopped.
func (c *cloud) Start(_ context.Context, server elasticpool.Server) error {
	return c.change("start", server, "", func(r record) error {
		if r.Phase != off {
			return nil // it is on, or leaves
		}
		return c.begin(&r)
	})
}

// change does something to a server of ours: it notes the phase first, if there is one, and does it then, one thing at a time.
func (c *cloud) change(what string, server elasticpool.Server, to phase, do func(record) error) error {
	op := what + " server " + server.ID
	r, err := c.claim(server, to)
	if err != nil {
		return fault(op, elasticpool.ErrTransient, err)
	}
	if r == nil {
		if to == leaving {
			return nil
		}
		return fault(op, elasticpool.ErrInvalid, errors.New("there is no such server"))
	}
	defer c.release(server.ID)
	if err := do(*r); err != nil {
		return fault(op, elasticpool.ErrTransient, err)
	}
	return nil
}

// claim finds a server's record and notes the phase. It is nil if there is none, or if it is another pool's.
func (c *cloud) claim(server elasticpool.Server, to phase) (*record, error) {
	if !goodName.MatchString(server.ID) {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[server.ID] {
		return nil, errors.New("something else is done to it")
	}
	r, found, err := c.store.load(server.ID)
	if err != nil || !found || r.Spec.Pool != server.Pool {
		return nil, err
	}
	if to != "" && r.Phase != leaving {
		r.Phase = to
		if err := c.store.save(r); err != nil {
			return nil, err
		}
	}
	c.busy[server.ID] = true
	return &r, nil
}

func (c *cloud) release(vm string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, vm)
}

// end ends what runs of a server.
func (c *cloud) end(ctx context.Context, r record) error {
	if err := c.store.end(ctx, r, grace); err != nil {
		return fmt.Errorf("its command does not end: %w", err)
	}
	if len(c.config.stop) == 0 {
		return nil
	}
	arguments, env, err := c.fill(c.config.stop, r)
	if err != nil {
		return err
	}
	return c.store.finish(ctx, r.Spec.VM, arguments, env)
}

func fault(op string, class, err error) error {
	return &elasticpool.CloudError{Op: op, Class: class, Err: err}
}
