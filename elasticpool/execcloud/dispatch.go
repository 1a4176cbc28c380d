package execcloud

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// methods are what a plugin of Serve offers. A provider that cannot do one returns ErrUnsupported.
var methods = []string{MethodServers, MethodLimits, MethodCreate, MethodDelete, MethodStop, MethodStart}

// do lets the provider do a request and returns its result.
func (s *server) do(ctx context.Context, asked request) (any, error) {
	switch asked.Method {
	case MethodCapabilities:
		return capabilities(asked.Params)
	case MethodServers:
		return s.servers(ctx, asked.Params)
	case MethodLimits:
		limits, err := s.provider.Limits(ctx)
		return limitsResult{Total: orEmpty(limits.Total), Free: orEmpty(limits.Free)}, err
	case MethodCreate:
		params, err := readParams[createParams](asked.Params)
		if err != nil {
			return nil, err
		}
		server, err := s.provider.Create(ctx, params.Spec)
		return serverResult{Server: &server}, err
	case MethodDelete:
		return onServer(ctx, asked.Params, s.provider.Delete)
	case MethodStop:
		return onServer(ctx, asked.Params, s.provider.Stop)
	case MethodStart:
		return onServer(ctx, asked.Params, s.provider.Start)
	}
	return nil, fmt.Errorf("%w: method %q", elasticpool.ErrUnsupported, asked.Method)
}

func capabilities(raw json.RawMessage) (any, error) {
	offered, err := readParams[offer](raw)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(offered.Protocols, Protocol) {
		return nil, fmt.Errorf("%w: protocols %v; this plugin speaks %d", elasticpool.ErrUnsupported, offered.Protocols, Protocol)
	}
	return agreed{Protocol: Protocol, Methods: methods}, nil
}

func (s *server) servers(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := readParams[serversParams](raw)
	if err != nil {
		return nil, err
	}
	list, complete, err := s.provider.Servers(ctx, params.Pool)
	if list == nil {
		list = []elasticpool.Server{}
	}
	return serversResult{Servers: &list, Complete: &complete}, err
}

func onServer(ctx context.Context, raw json.RawMessage, do func(context.Context, elasticpool.Server) error) (any, error) {
	params, err := readParams[serverParams](raw)
	if err != nil {
		return nil, err
	}
	return struct{}{}, do(ctx, params.Server)
}

// readParams reads the parameters of a request; unknown ones are ignored.
func readParams[T any](raw json.RawMessage) (T, error) {
	var params T
	if len(raw) == 0 || bytes.Equal(raw, null) {
		return params, fmt.Errorf("%w: params are missing", elasticpool.ErrInvalid)
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return params, fmt.Errorf("%w: params: %w", elasticpool.ErrInvalid, err)
	}
	return params, nil
}

func orEmpty(r elasticpool.Resources) elasticpool.Resources {
	if r == nil {
		return elasticpool.Resources{}
	}
	return r
}
