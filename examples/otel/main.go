// Command otel builds an instance, migrates it live, reboots it and deletes it, and prints with OpenTelemetry what that
// consists of: a span for each operation, one below it for each step and for each request to Placement and Cyborg, and at
// the end how long the steps and requests took. The steps are logged as well, with slog. It brings its own Placement and
// its own Cyborg, in this process, and no hypervisor: guests are pretended. It is a module of its own, so that nobody else
// gets its dependencies.
//
//	cd examples/otel
//	go run . >spans.json                      spans and metrics as JSON; the log is on standard error
//	go run . -prometheus 127.0.0.1:0          the same, and the metrics for Prometheus until interrupted; the log tells where
//
// An address without a host, as in -prometheus :9464, is one that only this machine reaches.
//
// telemetry.go is what a program of yours needs: an observer that turns each step of an operation into a span and a
// measurement, and a hook that does so for each call.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "otel:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, log io.Writer) (err error) {
	flags := flag.NewFlagSet("otel", flag.ContinueOnError)
	flags.SetOutput(log)
	address := flags.String("prometheus", "", "serve the metrics for Prometheus at this `address` until interrupted, for example 127.0.0.1:0")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	telemetry, err := newTelemetry(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, telemetry.close(context.WithoutCancel(ctx))) }()
	cloud, err := newCloud(ctx, telemetry, logger)
	if err != nil {
		return err
	}
	defer cloud.cyborg.Close()
	if *address == "" {
		return live(ctx, telemetry, cloud.manager)
	}
	stop, err := serve(ctx, *address, telemetry.metrics, logger)
	if err != nil {
		return fmt.Errorf("-prometheus %s: %w", *address, err)
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := live(ctx, telemetry, cloud.manager); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
