package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// embeddedPath is where an embedded Placement is served.
const embeddedPath = "/placement"

// healthPath is where the fake tells whether it is ready.
const healthPath = "/_fake/health"

//go:embed seed.yaml
var exampleSeed []byte

// grace is how long open requests have to finish once the program is to end.
const grace = 5 * time.Second

// serve runs until the context ends. Requests that are still open after grace
// are cut off, which the log tells and which is no error.
func serve(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	handler, cyborg, err := assemble(ctx, s, logger)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.address.String())
	if err != nil {
		return err
	}
	base := baseURL(listener.Addr())
	logger.Info("listening", "health", base+healthPath)
	clients := newConnections()
	front := &http.Server{
		Handler:           intake(clients.watch(handler), bodyTimeout),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ConnState:         clients.changed,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- front.Serve(listener) }()

	err = report(ctx, s, cyborg, logger)
	switch {
	case ctx.Err() != nil: // told to end while it waited
	case err != nil:
		return errors.Join(err, front.Close())
	default:
		announce(stdout, s, base)
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	return shutDown(ctx, front, clients, logger)
}

// assemble makes the servers and what their one listener serves.
func assemble(ctx context.Context, s settings, logger *slog.Logger) (http.Handler, *fakecyborg.Server, error) {
	opts := []fakecyborg.Option{fakecyborg.WithLogger(logger), fakecyborg.WithRelease(s.plays), seedOption(s, logger)}
	opts = append(opts, fakecyborg.WithMount(s.place))
	if s.callers != nil {
		opts = append(opts, s.callers)
	}
	if s.nova != "" {
		opts = append(opts, fakecyborg.WithNova(s.nova))
	}
	place, client, err := reportTo(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if client != nil {
		opts = append(opts, fakecyborg.WithPlacement(client))
	}
	cyborg, err := fakecyborg.New(opts...)
	if err != nil {
		return nil, nil, err
	}
	if place == nil {
		return cyborg, cyborg, nil
	}
	return split(place, cyborg), cyborg, nil
}

// seedOption is the seed that the flags name, or the example, which the log then tells.
func seedOption(s settings, logger *slog.Logger) fakecyborg.Option {
	switch s.seed {
	case "":
	case preset:
		return fakecyborg.WithPresetSeed(preset)
	default:
		return fakecyborg.WithSeedFile(s.seed)
	}
	logger.Info("no -seed given: the built-in example is used")
	return fakecyborg.WithSeedYAML("built-in seed", exampleSeed)
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
		return embedPlacement(ctx, s.mode)
	}
	opts := []placement.Option{placement.WithEndpoint(s.placement)}
	if s.placementToken != "" {
		opts = append(opts, placement.WithToken(s.placementToken))
	}
	client, err := placement.New(ctx, opts...)
	return nil, client, err
}

func embedPlacement(ctx context.Context, mode authMode) (http.Handler, *placement.Client, error) {
	server, err := placementtest.New(append([]placementtest.Option{placementtest.WithPrefix(embeddedPath)}, mode.placement...)...)
	if err != nil {
		return nil, nil, err
	}
	client, err := placement.New(ctx, placement.WithEndpoint("http://embedded"+embeddedPath),
		placement.WithTransport(server.Transport()))
	return server, client, err
}

// report makes the fake ready, once a Placement elsewhere answers.
func report(ctx context.Context, s settings, cyborg *fakecyborg.Server, logger *slog.Logger) error {
	if s.placement != "" && s.placement != embedded {
		awaitPlacement(ctx, s, logger)
	}
	return cyborg.Report(ctx)
}

// announce prints what is served where, once it is.
func announce(stdout io.Writer, s settings, base string) {
	below := "/accelerator"
	if s.place == fakecyborg.MountBare {
		below = ""
	}
	fmt.Fprintf(stdout, "cyborg     %s%s\n", base, below)
	if s.placement == embedded {
		fmt.Fprintf(stdout, "placement  %s%s\n", base, embeddedPath)
	}
	fmt.Fprintf(stdout, "health     %s%s\n", base, healthPath)
}

func shutDown(ctx context.Context, front *http.Server, clients *connections, logger *slog.Logger) error {
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	clients.end()
	err := front.Shutdown(waiting)
	for _, client := range clients.unfinished() {
		logger.Warn("cut off", "client", client)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return front.Close()
	}
	return err
}
