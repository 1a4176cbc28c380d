package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostNamed bounds the hosts that a text names.
const mostNamed = 5

// hosts returns the sorted names of the hosts on which a variant of the request finds candidates.
func (e *explainer) hosts(ctx context.Context, variants ...variant) ([]string, error) {
	found, err := e.ask(ctx, variants...)
	if err != nil {
		return nil, err
	}
	var roots []string
	for _, candidate := range found.List {
		roots = append(roots, candidate.RootProvider)
	}
	return e.names(ctx, roots)
}

// names returns the sorted names of hosts. One that is gone by now has its uuid as name.
func (e *explainer) names(ctx context.Context, roots []string) ([]string, error) {
	var names []string
	for _, uuid := range distinct(roots) {
		name, err := e.name(ctx, uuid)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// name returns the name of a host.
func (e *explainer) name(ctx context.Context, uuid string) (string, error) {
	if e.providers[uuid].Name == "" {
		provider, err := e.Provider(ctx, uuid)
		switch {
		case errors.Is(err, ErrNotFound):
			provider = &Provider{UUID: uuid, Name: uuid}
		case err != nil:
			return "", err
		}
		e.providers[uuid] = *provider
	}
	return e.providers[uuid].Name, nil
}

// list puts names in a text.
func list(names []string) string {
	switch more := len(names) - mostNamed; {
	case len(names) == 0:
		return "none"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}
