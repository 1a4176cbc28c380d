package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
)

// Kinds of faults.
const (
	refuse     = "refuse"     // the request fails with class and detail, and nothing is done
	hang       = "hang"       // nothing is done, and no answer comes in time
	loseReply  = "lose_reply" // it is done, and no answer comes in time
	incomplete = "incomplete" // the list of servers says that it is short, and lacks the last one
	vanish     = "vanish"     // a server ends and is forgotten before the list is made
)

// injected is a fault of the faults file.
type injected struct {
	Method string `json:"method"`
	Do     string `json:"do"`
	Class  string `json:"class,omitempty"`
	Detail string `json:"detail,omitempty"`
	VM     string `json:"vm,omitempty"`       // only for that VM; empty: for any
	Kind   string `json:"vm_class,omitempty"` // only for VMs of that class; empty: of any
	Times  int    `json:"times,omitempty"`    // how often; 0: always
}

// faulty is a cloud whose requests fail as a file says. The file is read at each request; faults that are used up are taken out
// of it.
type faulty struct {
	cloud *cloud
	file  string
	mu    sync.Mutex
}

var _ elasticpool.Provider = (*faulty)(nil)

// take returns the first fault for a request, and counts it. Without one its Do is empty.
func (f *faulty) take(method, vm, class string) (injected, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list, err := readFaults(f.file)
	if err != nil {
		return injected{}, fmt.Errorf("faults file: %w", err)
	}
	at := slices.IndexFunc(list, func(one injected) bool { return one.meets(method, vm, class) })
	if at < 0 {
		return injected{}, nil
	}
	found := list[at]
	switch found.Times {
	case 0:
		return found, nil
	case 1:
		list = slices.Delete(list, at, at+1)
	default:
		list[at].Times--
	}
	text, err := json.MarshalIndent(list, "", "  ")
	return found, errors.Join(err, writeFile(f.file, text))
}

// readFaults reads the file; without one there are no faults.
func readFaults(file string) (list []injected, err error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // the operator's file
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return list, err
}

// meets tells whether a fault is for a request.
func (i injected) meets(method, vm, class string) bool {
	return i.Method == method && (i.VM == "" || i.VM == vm || i.Do == vanish) && (i.Kind == "" || i.Kind == class)
}

// meet does something unless a fault is in the way.
func (f *faulty) meet(ctx context.Context, method, vm, class string, do func() error) error {
	found, err := f.take(method, vm, class)
	if err != nil {
		return err
	}
	switch found.Do {
	case "":
		return do()
	case refuse:
		return &elasticpool.CloudError{Op: method, Class: elasticpool.ErrorOfWord(found.Class), Detail: found.Detail}
	case hang:
	case loseReply:
		if err := do(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("faults file: method %s cannot %q", method, found.Do)
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// Servers implements elasticpool.Provider.
func (f *faulty) Servers(ctx context.Context, pool string) (servers []elasticpool.Server, complete bool, err error) {
	found, err := f.take(execcloud.MethodServers, "", "")
	switch {
	case err != nil:
		return nil, false, err
	case found.Do == vanish:
		err = f.cloud.vanish(ctx, pool, found.VM)
	case found.Do == refuse:
		err = &elasticpool.CloudError{Op: "list servers", Class: elasticpool.ErrorOfWord(found.Class), Detail: found.Detail}
	case found.Do == hang || found.Do == loseReply:
		<-ctx.Done()
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, false, err
	}
	servers, complete, err = f.cloud.Servers(ctx, pool)
	if found.Do == incomplete {
		return servers[:max(0, len(servers)-1)], false, err
	}
	return servers, complete, err
}

// Limits implements elasticpool.Provider.
func (f *faulty) Limits(ctx context.Context) (limits elasticpool.Limits, err error) {
	err = f.meet(ctx, execcloud.MethodLimits, "", "", func() error {
		limits, err = f.cloud.Limits(ctx)
		return err
	})
	return limits, err
}

// Create implements elasticpool.Provider.
func (f *faulty) Create(ctx context.Context, spec elasticpool.ServerSpec) (server elasticpool.Server, err error) {
	err = f.meet(ctx, execcloud.MethodCreate, spec.VM, spec.Class.Name, func() error {
		server, err = f.cloud.Create(ctx, spec)
		return err
	})
	return server, err
}

// Delete implements elasticpool.Provider.
func (f *faulty) Delete(ctx context.Context, server elasticpool.Server) error {
	return f.meet(ctx, execcloud.MethodDelete, server.VM, server.Class, func() error { return f.cloud.Delete(ctx, server) })
}

// Stop implements elasticpool.Provider.
func (f *faulty) Stop(ctx context.Context, server elasticpool.Server) error {
	return f.meet(ctx, execcloud.MethodStop, server.VM, server.Class, func() error { return f.cloud.Stop(ctx, server) })
}

// Start implements elasticpool.Provider.
func (f *faulty) Start(ctx context.Context, server elasticpool.Server) error {
	return f.meet(ctx, execcloud.MethodStart, server.VM, server.Class, func() error { return f.cloud.Start(ctx, server) })
}

// vanish ends and forgets a server of a pool, as a cloud does that loses one; an empty id means the first one.
func (c *cloud) vanish(ctx context.Context, pool, vm string) error {
	servers, _, err := c.Servers(ctx, pool)
	if err != nil {
		return err
	}
	for _, server := range servers {
		if vm == "" || server.VM == vm {
			return c.Delete(ctx, server)
		}
	}
	return nil
}
