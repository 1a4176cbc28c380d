package elasticpool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// perform does an action and returns how it ended.
func (p *Pool) perform(ctx context.Context, action Action) Outcome {
	var server Server
	var err error
	if inCloud(action.Kind) {
		server, err = p.performInCloud(ctx, action)
	} else {
		err = p.performInBatch(ctx, action)
	}
	if err == nil {
		return Outcome{Action: action, Server: server.ID}
	}
	class := ErrorOfWord(ErrorWord(err))
	if action.Kind == ActCreate && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		class = ErrUnknownOutcome
	}
	return failed(action, class, err.Error())
}

func failed(action Action, class error, detail string) Outcome {
	return Outcome{Action: action, Error: ErrorWord(class), Detail: detail}
}

func (p *Pool) performInCloud(ctx context.Context, action Action) (made Server, err error) {
	cloud := p.clouds[action.Cloud]
	op := fmt.Sprintf("%s VM %s in cloud %q", action.Kind, action.VM, action.Cloud)
	if cloud == nil {
		return made, &CloudError{Op: op, Class: ErrInvalid, Detail: "there is no such cloud"}
	}
	if action.Kind == ActCreate {
		spec, err := p.spec(op, action)
		if err != nil {
			return made, err
		}
		err = cloud.call(op, guardOther, func() (err error) {
			made, err = cloud.provider.Create(ctx, spec)
			return err
		})
		return made, err
	}
	server := p.server(action)
	switch action.Kind {
	case ActDelete:
		return made, cloud.call(op, guardDelete, func() error { return cloud.provider.Delete(ctx, server) })
	case ActStart:
		return made, cloud.call(op, guardOther, func() error { return cloud.provider.Start(ctx, server) })
	default:
		return made, cloud.call(op, guardOther, func() error { return cloud.provider.Stop(ctx, server) })
	}
}

// spec returns what a create asks for.
func (p *Pool) spec(op string, action Action) (ServerSpec, error) {
	class, known := p.classes[action.Class]
	if !known || class.Cloud != action.Cloud {
		return ServerSpec{}, &CloudError{Op: op, Class: ErrInvalid, Detail: fmt.Sprintf("class %q is not one of this cloud", action.Class)}
	}
	pool := p.config.Policy.Pool
	spec := ServerSpec{
		Pool: pool, VM: action.VM, Name: ServerName(pool, action.VM), Queue: action.Queue, Class: class, Generation: p.leader.Generation(),
	}
	if class.Lifetime > 0 {
		spec.Expires = p.clock.now().Add(class.Lifetime.D())
	}
	return spec, nil
}

// server returns the server of an action as its cloud last showed it, or what is known without that.
func (p *Pool) server(action Action) Server {
	vm, _, _ := strings.Cut(action.VM, "/") // a second server of a VM is known as VM/SERVER
	seen := p.sensors.clouds[action.Cloud].value(p.clock.now())
	for _, server := range seen.Value.Servers {
		if server.ID == action.Server || action.Server == "" && server.VM == vm {
			return server
		}
	}
	return Server{ID: action.Server, VM: vm, Pool: p.config.Policy.Pool, Class: action.Class}
}

func (p *Pool) performInBatch(ctx context.Context, action Action) error {
	p.mu.Lock()
	worker, seen := p.workers[action.VM]
	name := p.names[action.VM]
	p.mu.Unlock()
	if !seen && (action.Kind != ActFree || name == "") {
		return fmt.Errorf("%s VM %s: %w", action.Kind, action.VM, ErrNoWorker)
	}
	if !seen {
		worker = Worker{VM: action.VM, Name: name}
	}
	batch := p.config.Batch
	switch action.Kind {
	case ActJoin:
		return batch.Join(ctx, worker, action.Queue)
	case ActBind:
		return batch.Bind(ctx, worker, action.Queue)
	case ActDrain:
		return batch.Drain(ctx, worker, action.OnlyIdle)
	case ActCancelDrain:
		return batch.CancelDrain(ctx, worker)
	case ActFree:
		return batch.Free(ctx, worker)
	default:
		return fmt.Errorf("%w: action of kind %q", errors.ErrUnsupported, cmp.Or(string(action.Kind), "?"))
	}
}
