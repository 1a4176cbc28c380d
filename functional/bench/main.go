// Bench measures what docs/performance.md shows, side by side in one run, and writes that page.
//
//	go run ./functional/bench              measure, write docs/performance.md; fails when a goal is missed
//	go run ./functional/bench -quick       one short round of everything, no judgement; prints the page
//	go run ./functional/bench -quick -check    the same, and compares the page in docs with what would be written, but for figures
//	go run ./functional/bench -only placement    only the steps with that in their name, no judgement; prints the page
//
// It runs from the root of the checkout. Three kinds of rows come together on the page: benchmarks of the packages, which
// report a ratio to a floor of their own ([benchmarks]); servers that answer the same client by turns ([comparison]); and
// memory. The real peers are those of functional/realstack. Without NOVACYBORG_BENCH_REALSTACK, the folder of such a
// cloud, their rows stay and say that nothing was measured.
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
	"strings"
	"syscall"
	"time"
)

// effort is how much of everything is done.
type effort struct {
	rounds    int    // blocks of each side
	divisor   int    // by which blocks and stored requests are smaller
	benchtime string // of go test
}

var (
	full  = effort{rounds: 3, divisor: 1, benchtime: "500ms"}
	quick = effort{rounds: 1, divisor: 50, benchtime: "1x"}
)

// of is n, made smaller by the divisor.
func (e effort) of(n int) int { return max(n/e.divisor, 1) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		slog.Error("bench", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	isQuick := flags.Bool("quick", false, "one short round of everything; print the page, judge nothing")
	check := flags.Bool("check", false, "compare the page with what would be written, but for the figures, and write nothing")
	only := flags.String("only", "", "do only the steps that have this in their name; print the page, judge nothing")
	path := flags.String("page", "docs/performance.md", "the page")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	amount := full
	if *isQuick {
		amount = quick
	}
	results, err := measure(ctx, amount, *only)
	if err != nil {
		return err
	}
	page, err := render(results)
	if err != nil {
		return err
	}
	switch {
	case *check:
		return checkPage(*path, page)
	case *isQuick, *only != "":
		_, err := io.WriteString(out, page)
		return err
	}
	if err := os.WriteFile(*path, []byte(page), 0o644); err != nil { //nolint:gosec // a page of the documentation
		return err
	}
	return results.missed()
}

// measure fills the rows of the steps that have a text in their name.
func measure(ctx context.Context, amount effort, only string) (*results, error) {
	r := newResults(amount)
	var err error
	if r.real, err = findReal(ctx); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context, *results) error
	}{
		{"benchmarks of the packages", measurePackages},
		{"requestspec and Nova", measureNova},
		{"fakecyborg and a bare handler", measureBare},
		{"placementtest and Placement", measurePlacement},
		{"fakecyborg and Cyborg", measureCyborg},
	} {
		if !strings.Contains(step.name, only) {
			continue
		}
		started := time.Now()
		if stepErr := step.do(ctx, r); stepErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", step.name, stepErr))
		}
		slog.Info("measured", "what", step.name, "seconds", int(time.Since(started).Seconds()))
	}
	return r, err
}
