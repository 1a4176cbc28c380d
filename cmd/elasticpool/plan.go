package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func plan(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	path := flags.String("config", "", "configuration `file`")
	if err := parse(flags, args, 0, 0); err != nil {
		return err
	}
	c, err := loadConfig(p, *path)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	parts, err := build(ctx, c, logger, true)
	if err != nil {
		return err
	}
	defer parts.close()
	pool, err := elasticpool.NewPool(ctx, parts.PoolConfig, elasticpool.WithDryRun(), elasticpool.WithLogger(logger))
	if err != nil {
		return err
	}
	defer pool.Close()
	decision, err := pool.Cycle(ctx)
	if err != nil {
		return err
	}
	printStatus(p.stdout, pool.Status(), false)
	fmt.Fprintf(p.stdout, "\n%d actions\n", len(decision.Actions))
	for _, a := range decision.Actions {
		fmt.Fprintf(p.stdout, "  %s %s of class %s for queue %s: %s\n", a.Kind, a.VM, a.Class, a.Queue, a.Reason)
	}
	return unseen(pool.Status())
}

// unseen returns an error if the plan was made without having seen something.
func unseen(s elasticpool.Status) error {
	var errs []error
	for _, sensor := range s.Sensors {
		switch {
		case sensor.Err != "":
			errs = append(errs, fmt.Errorf("%s: %s", sensor.Name, sensor.Err))
		case sensor.Age < 0:
			errs = append(errs, fmt.Errorf("%s: it has not answered yet; the plan is made without it", sensor.Name))
		}
	}
	return errors.Join(errs...)
}
