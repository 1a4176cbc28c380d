package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func replay(_ context.Context, p *program, flags *flag.FlagSet, args []string) error {
	if err := parse(flags, args, 1, 1); err != nil {
		return err
	}
	file, err := os.Open(flags.Arg(0))
	if err != nil {
		return err
	}
	defer file.Close()
	differences, err := elasticpool.Replay(file)
	if err != nil {
		return fmt.Errorf("%s: %w", flags.Arg(0), err)
	}
	for _, difference := range differences {
		fmt.Fprintln(p.stdout, difference)
	}
	if len(differences) > 0 {
		return fmt.Errorf("%d decisions differ", len(differences))
	}
	fmt.Fprintln(p.stdout, "every decision is the same")
	return nil
}
