package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// help tells which commands there are.
func help(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(table, "elasticpool %s\t%s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	table.Flush() //nolint:gosec // what is lost with standard output cannot be told
	fmt.Fprintln(w, "\nelasticpool COMMAND -h tells a command's flags, elasticpool help all those of all commands.")
}

// helpOf tells of the commands that are named; of none: which there are.
func (p *program) helpOf(ctx context.Context, names []string) int {
	if len(names) == 0 {
		help(p.stdout)
		return 0
	}
	all := slices.Equal(names, []string{"all"})
	told := 0
	for _, c := range commands() {
		if all && told > 0 {
			fmt.Fprintln(p.stdout)
		}
		if all || slices.Contains(names, c.name) {
			told++
			c.run(ctx, p, p.flags(c), []string{"-h"}) //nolint:errcheck,gosec // that help was asked for
		}
	}
	if told == 0 {
		fmt.Fprintf(p.stderr, "elasticpool: there is no command %q%s; see elasticpool help\n", names[0], meant(names[0], commands()))
		return 2
	}
	return 0
}

// flags returns an empty set of flags for a command, which knows how to tell what is in it.
func (p *program) flags(c command) *flag.FlagSet {
	flags := flag.NewFlagSet("elasticpool "+c.name, flag.ContinueOnError)
	flags.SetOutput(p.stdout)
	flags.Usage = func() {
		fmt.Fprintf(p.stdout, "elasticpool %s: %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
		table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		flags.VisitAll(func(f *flag.Flag) {
			kind, usage := flag.UnquoteUsage(f)
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "-1" {
				usage += " (" + f.DefValue + ")"
			}
			fmt.Fprintf(table, "  -%s\t%s\n", strings.TrimSpace(f.Name+" "+kind), usage)
		})
		table.Flush() //nolint:gosec // what is lost with standard output cannot be told
	}
	return flags
}
