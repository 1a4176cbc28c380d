package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// embeddedPath is where an embedded Placement is served.
const embeddedPath = "/placement"

// parts are what the servers are made of; to gather them changes nothing that
// another fake may use.
type parts struct {
	options []fakecyborg.Option
	// faultsFile is the file of -faults, "" for none, and faults its text.
	faultsFile string
	faults     []byte
	// place is the embedded Placement, nil for none.
	place http.Handler
	// identity is the mini Keystone, nil for none.
	identity *minikeystone.Server
}

// assembly is what the flags ask for.
type assembly struct {
	// handler is what the one listener serves.
	handler http.Handler
	cyborg  *fakecyborg.Server
	// identity is the mini Keystone, nil for none.
	identity *minikeystone.Server
}

// gather reads the files of the flags but for the seed, which [parts.assemble] does, and
// the state.
func gather(ctx context.Context, s settings, logger *slog.Logger) (parts, error) {
	faults, err := readFaults(s.faults)
	if err != nil {
		return parts{}, err
	}
	place, client, err := reportTo(ctx, s)
	if err != nil {
		return parts{}, err
	}
	callers, identity, err := s.mode.callers(ctx, s, logger)
	if err != nil {
		return parts{}, err
	}
	opts := append(append(s.options(logger), seedOption(s, logger)), callers...)
	if client != nil {
		opts = append(opts, fakecyborg.WithPlacement(client))
	}
	return parts{options: opts, faultsFile: s.faults, faults: faults, place: place, identity: identity}, nil
}

// assemble makes the servers; it can be called again with further options.
func (p parts) assemble(further ...fakecyborg.Option) (assembly, error) {
	cyborg, err := fakecyborg.New(slices.Concat(p.options, further)...)
	if err != nil {
		return assembly{}, err
	}
	if p.faultsFile != "" {
		if _, err := cyborg.Faults().AddText(p.faultsFile, p.faults); err != nil {
			cyborg.Close()
			return assembly{}, err
		}
	}
	made := assembly{handler: cyborg, cyborg: cyborg, identity: p.identity}
	if p.place != nil {
		made.handler = split(p.place, cyborg)
	}
	return made, nil
}

// options are those of the flags that need no file.
func (s *settings) options(logger *slog.Logger) []fakecyborg.Option {
	opts := []fakecyborg.Option{
		fakecyborg.WithLogger(logger), fakecyborg.WithRelease(s.plays), fakecyborg.WithMount(s.place), fakecyborg.WithJournal(s.journal),
	}
	if s.now != nil {
		opts = append(opts, fakecyborg.WithClock(s.now))
	}
	if s.reportInterval > 0 {
		opts = append(opts, fakecyborg.WithReportInterval(s.reportInterval))
	}
	if s.nova != "" {
		opts = append(opts, fakecyborg.WithNova(s.nova))
	}
	return append(opts, s.manners.options()...)
}

// readFaults reads the file of -faults.
func readFaults(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	return data, nil
}

// seedOption is the seed that the flags name, or the example. The log tells when
// it is not that of -seed.
func seedOption(s settings, logger *slog.Logger) fakecyborg.Option {
	_, missing := os.Stat(s.state)
	switch {
	case s.state != "" && missing == nil:
		logger.Info("the state is taken from its file, no seed is read", "file", s.state)
		return fakecyborg.WithSeed(fakecyborg.Seed{})
	case s.seed == preset || s.seed == example:
		return fakecyborg.WithPresetSeed(s.seed)
	case s.seed != "":
		return fakecyborg.WithSeedFile(s.seed)
	}
	logger.Info("no -seed given: the built-in example is used")
	return fakecyborg.WithPresetSeed(example)
}

// split sends what is below embeddedPath to Placement. It is no ServeMux,
// because that redirects paths that Cyborg answers.
func split(place, cyborg http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == embeddedPath || strings.HasPrefix(r.URL.Path, embeddedPath+"/") {
			place.ServeHTTP(w, r)
			return
		}
		cyborg.ServeHTTP(w, r)
	})
}

// reportTo makes the client of the Placement that the flags name, nil if none,
// and its handler if it is embedded.
func reportTo(ctx context.Context, s settings) (http.Handler, *placement.Client, error) {
	switch s.placement {
	case "":
		return nil, nil, nil
	case embedded:
		return embedPlacement(ctx)
	}
	opts := []placement.Option{placement.WithEndpoint(s.placement)}
	switch {
	case s.placementToken != "":
		opts = append(opts, placement.WithToken(s.placementToken))
	case s.keystoneCloud != "":
		opts = append(opts, placement.WithCloud(s.keystoneCloud))
	case s.keystone != "":
		opts = append(opts, placement.WithEnv())
	}
	client, err := placement.New(ctx, opts...)
	return nil, client, err
}

// embedPlacement makes a Placement that asks nobody for tokens.
func embedPlacement(ctx context.Context) (http.Handler, *placement.Client, error) {
	server, err := placementtest.New(placementtest.WithPrefix(embeddedPath), placementtest.WithoutAuth())
	if err != nil {
		return nil, nil, err
	}
	client, err := placement.New(ctx, placement.WithEndpoint("http://embedded"+embeddedPath),
		placement.WithTransport(server.Transport()))
	return server, client, err
}
