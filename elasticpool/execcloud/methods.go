package execcloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Servers asks the plugin for the servers of the pool. Servers that bear another pool's name or no VM id are left out.
func (p *Plugin) Servers(ctx context.Context, pool string) ([]elasticpool.Server, bool, error) {
	var is serversResult
	if err := p.call(ctx, MethodServers, "list servers", serversParams{Pool: pool}, &is); err != nil {
		return nil, false, err
	}
	own := slices.DeleteFunc(*is.Servers, func(s elasticpool.Server) bool { return s.Pool != pool || s.VM == "" })
	for i := range own {
		own[i].Status = known(own[i].Status)
	}
	return own, *is.Complete, nil
}

// Limits asks the plugin for the limits of its cloud.
func (p *Plugin) Limits(ctx context.Context) (elasticpool.Limits, error) {
	var is limitsResult
	err := p.call(ctx, MethodLimits, "get limits", struct{}{}, &is)
	return elasticpool.Limits(is), err
}

// Create asks the plugin for a server. Without a clear answer to a request that the plugin may have seen, its error is
// of class ErrUnknownOutcome.
func (p *Plugin) Create(ctx context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	op := "create server " + spec.Name
	text, err := p.config.fill(ctx, spec)
	if err != nil {
		return elasticpool.Server{}, cloudError(op, elasticpool.ErrorOfWord(elasticpool.ErrorWord(err)), err)
	}
	spec.Class.UserData = text
	is := createdResult{vm: spec.VM, pool: spec.Pool}
	err = p.call(ctx, MethodCreate, op, createParams{Spec: spec, Tags: spec.Tags()}, &is)
	if err != nil {
		return elasticpool.Server{}, err
	}
	is.Server.Status = known(is.Server.Status)
	return *is.Server, nil
}

// Delete asks the plugin to remove a server.
func (p *Plugin) Delete(ctx context.Context, server elasticpool.Server) error {
	return p.call(ctx, MethodDelete, "delete server "+server.ID, serverParams{Server: server}, &struct{}{})
}

// Stop asks the plugin to put a server to sleep.
func (p *Plugin) Stop(ctx context.Context, server elasticpool.Server) error {
	return p.call(ctx, MethodStop, "stop server "+server.ID, serverParams{Server: server}, &struct{}{})
}

// Start asks the plugin to wake a server.
func (p *Plugin) Start(ctx context.Context, server elasticpool.Server) error {
	return p.call(ctx, MethodStart, "start server "+server.ID, serverParams{Server: server}, &struct{}{})
}

// call asks the plugin and reads the result into result. op tells what is done, for errors.
func (p *Plugin) call(ctx context.Context, method, op string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, p.config.timeout)
	defer cancel()
	op += " with plugin " + p.name
	if p.config.reads && method != MethodServers && method != MethodLimits {
		return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrUnsupported, Detail: "it is only read from"}
	}
	s, err := p.talk(ctx)
	if err != nil {
		return cloudError(op, classOf(err), err)
	}
	if !slices.Contains(s.methods, method) {
		return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrUnsupported}
	}
	found, sent, err := s.ask(ctx, method, params)
	if err == nil {
		err = found.into(result)
	}
	if said, ok := errors.AsType[*saidError](err); ok {
		return &elasticpool.CloudError{Op: op, Class: said.class(), Detail: said.Detail}
	}
	switch {
	case err == nil:
		return nil
	case sent && method == MethodCreate:
		return cloudError(op, elasticpool.ErrUnknownOutcome, err)
	case errors.Is(err, errLongLine):
		return cloudError(op, elasticpool.ErrInvalid, err)
	}
	return cloudError(op, elasticpool.ErrTransient, err)
}

func cloudError(op string, class, err error) error {
	return &elasticpool.CloudError{Op: op, Class: class, Err: err}
}

// classOf returns the class of the error of a handshake.
func classOf(err error) error {
	if said, ok := errors.AsType[*saidError](err); ok {
		return said.class()
	}
	if errors.Is(err, elasticpool.ErrUnsupported) {
		return elasticpool.ErrUnsupported
	}
	return elasticpool.ErrTransient
}

// saidError is an error that the plugin has answered.
type saidError struct{ *wireError }

func (e *saidError) Error() string { return e.Class + ": " + e.Detail }

// checked is a result that knows whether it is whole.
type checked interface{ check() error }

// into reads the answer's result.
func (a answer) into(result any) error {
	switch {
	case a.Error != nil:
		return &saidError{a.Error}
	case a.Result == nil:
		return errUnclear
	}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return fmt.Errorf("unclear result: %w", err)
	}
	if c, ok := result.(checked); ok {
		return c.check()
	}
	return nil
}

// known returns a status that the pool knows.
func known(status elasticpool.ServerStatus) elasticpool.ServerStatus {
	switch status {
	case elasticpool.ServerBuilding, elasticpool.ServerActive, elasticpool.ServerStopped,
		elasticpool.ServerDeleting, elasticpool.ServerError:
		return status
	}
	return elasticpool.ServerUnknown
}
