package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/config"
	"github.com/novacyborg/novacyborg/elasticpool/console"
	"github.com/novacyborg/novacyborg/elasticpool/quota"
	"github.com/novacyborg/novacyborg/internal/unixsocket"
)

func runPool(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	path := flags.String("config", "", "configuration `file`")
	dry := flags.Bool("dry-run", false, "decide and say what would be done, and do nothing")
	form := flags.String("log-format", "text", "`form` of the log on standard error: text or json")
	if err := parse(flags, args, 0, 0); err != nil {
		return err
	}
	logger, err := newLogger(p.stderr, *form)
	if err != nil {
		return err
	}
	c, err := loadConfig(p, *path)
	if err != nil {
		return err
	}
	parts, err := build(ctx, c, logger, *dry)
	if err != nil {
		return err
	}
	defer parts.close()
	d := &daemon{config: c, clouds: parts.Clouds, logger: logger, stdout: p.stdout}
	return d.run(ctx, parts, *dry)
}

func newLogger(w io.Writer, form string) (*slog.Logger, error) {
	switch form {
	case "text":
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	}
	return nil, fmt.Errorf("%w: -log-format: %q is neither text nor json", errUsage, form)
}

// daemon is a pool with what is served beside it.
type daemon struct {
	config *config.Config
	clouds map[string]elasticpool.Provider
	logger *slog.Logger
	stdout io.Writer
}

// run runs the pool and its servers until the context ends or one of them fails.
func (d *daemon) run(ctx context.Context, parts *parts, dry bool) error {
	token, err := readToken(d.config.HTTP.TokenFile)
	if err != nil {
		return err
	}
	options := []console.Option{console.WithLogger(d.logger)}
	if token != "" {
		options = append(options, console.WithToken(token))
	}
	if d.config.HTTP.Expose {
		options = append(options, console.WithAnyHost())
	}
	shown, err := console.New(parts.Policy, options...)
	if err != nil {
		return err
	}
	pool, err := elasticpool.NewPool(ctx, parts.PoolConfig, d.options(shown, dry)...)
	if err != nil {
		return err
	}
	shown.Show(pool)
	err = d.serveAll(ctx, pool, shown, dry)
	return errors.Join(err, pool.Close())
}

// serveAll listens everywhere, and lets the pool's first cycle begin after that.
func (d *daemon) serveAll(ctx context.Context, pool *elasticpool.Pool, shown *console.Console, dry bool) error {
	ctx, end := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	leases, err := d.quota(ctx, group, pool, dry)
	if err == nil {
		err = d.serve(ctx, group, shown, leases, dry)
	}
	if err != nil {
		end()
		return errors.Join(err, group.Wait())
	}
	defer end()
	group.Go(func() error { return ended(pool.Run(ctx)) })
	if !dry {
		group.Go(func() error {
			reap(ctx, d.config.Pool, d.clouds, d.config.OrphanGrace(), d.logger)
			return nil
		})
	}
	fmt.Fprintf(d.stdout, "pool %s runs\n", d.config.Pool)
	return group.Wait()
}

// ended makes the end that was asked for no error.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (d *daemon) options(shown *console.Console, dry bool) []elasticpool.PoolOption {
	options := []elasticpool.PoolOption{elasticpool.WithLogger(d.logger), elasticpool.WithObserver(shown.Observe)}
	if log := d.config.DecisionLog; log.Path != "" && !dry { // the log is that of the pool that acts
		options = append(options, elasticpool.WithDecisionLog(log.Path, log.MaxBytes))
	}
	if dry {
		options = append(options, elasticpool.WithDryRun())
	}
	return options
}

// serve opens the control socket and the HTTP address. The quota service is there too if it knows who asks: a page of
// somebody else's that a browser shows must not lease anything.
func (d *daemon) serve(ctx context.Context, group *errgroup.Group, shown *console.Console, leases http.Handler, dry bool) error {
	if !dry {
		socket, err := unixsocket.Listen(ctx, filepath.Join(d.config.State, socketName), 0o600)
		if err != nil {
			return err
		}
		d.serveHTTP(ctx, group, socket, shown.Trusted(), nil)
	}
	if d.config.HTTP.Listen == "" {
		return nil
	}
	secure, err := d.config.HTTP.TLS.Server(d.logger)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", d.config.HTTP.Listen)
	if err != nil {
		return err
	}
	scheme := "http"
	if secure != nil {
		scheme = "https"
	}
	fmt.Fprintf(d.stdout, "%s://%s/\n", scheme, listener.Addr())
	handler := http.NewServeMux()
	handler.Handle("/", shown.Handler())
	if leases != nil && d.config.KnowsHTTP() {
		handler.Handle("/quota", leases)
		handler.Handle("/quota/", leases)
	}
	d.serveHTTP(ctx, group, listener, handler, secure)
	return nil
}

// serveHTTP serves on a listener until the context ends; without a TLS configuration it is plain HTTP.
func (d *daemon) serveHTTP(ctx context.Context, group *errgroup.Group, listener net.Listener, handler http.Handler, secure *tls.Config) {
	server := &http.Server{
		Handler: handler, TLSConfig: secure, ErrorLog: slog.NewLogLogger(d.logger.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	serve := server.Serve
	if secure != nil {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	group.Go(func() error {
		if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		patience, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer stop()
		return server.Shutdown(patience)
	})
}

// quota serves VCondor's protocol if the configuration names an address, and returns the same over HTTP. A dry run leases
// nothing: it would promise what another pool has.
func (d *daemon) quota(ctx context.Context, group *errgroup.Group, pool *elasticpool.Pool, dry bool) (http.Handler, error) {
	q := d.config.Quota
	if q.Listen == "" && q.Socket == "" || dry {
		return nil, nil
	}
	options, err := d.quotaOptions()
	if err != nil {
		return nil, err
	}
	server, err := quota.NewServer(pool.Ledger(), options...)
	if err != nil {
		return nil, err
	}
	if err := server.Listen(ctx); err != nil {
		return nil, err
	}
	for _, address := range server.Addrs() {
		fmt.Fprintf(d.stdout, "quota %s %s\n", address.Network(), address)
	}
	group.Go(func() error { return server.Serve(ctx) })
	return server.Handler(), nil
}

// quotaOptions are the addresses of the quota service and what protects it.
func (d *daemon) quotaOptions() ([]quota.ServerOption, error) {
	q := d.config.Quota
	options := []quota.ServerOption{quota.WithLogger(d.logger)}
	if q.Listen != "" {
		options = append(options, quota.WithTCP(q.Listen))
	}
	if q.Socket != "" {
		options = append(options, quota.WithUnixSocket(q.Socket))
	}
	token, err := readToken(q.TokenFile)
	if err != nil {
		return nil, err
	}
	if token != "" {
		options = append(options, quota.WithToken(token))
	}
	secure, err := q.TLS.Server(d.logger)
	if err != nil {
		return nil, err
	}
	if secure != nil {
		options = append(options, quota.WithTLS(secure))
	}
	return options, nil
}
