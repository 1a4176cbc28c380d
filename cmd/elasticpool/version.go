package main

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
)

// version prints the version of this build, which Go notes in the program.
func version(_ context.Context, p *program, flags *flag.FlagSet, args []string) error {
	if err := parse(flags, args, 0, 0); err != nil {
		return err
	}
	build := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		build = info.Main.Version
	}
	_, err := fmt.Fprintln(p.stdout, "elasticpool", build)
	return err
}
