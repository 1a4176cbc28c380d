// Command elasticpool runs a pool of virtual machines that grows and shrinks with the queues of a batch system.
//
//	elasticpool run -config pool.yaml        the daemon
//	elasticpool plan -config pool.yaml       what it would do now; nothing is done
//	elasticpool check -config pool.yaml      whether the file is right; nothing is asked
//	elasticpool example-config               a configuration with every key explained
//	elasticpool status                       queues, classes, VMs and why
//	elasticpool explain QUEUE|VM|JOB         why it is as it is
//	elasticpool drain|undrain vm|class|queue|cloud NAME
//	elasticpool freeze|thaw                  hold everything still, and go on
//	elasticpool quota [QUEUE]                thresholds; with -lower, -upper or -weight they are set
//	elasticpool simulate                     the same controller on virtual time
//	elasticpool replay FILE                  decide a decision log again, and compare
//
// Commands that speak to a running pool find its control socket by -config (its key state), or by -socket; -url speaks
// to a pool's HTTP address instead, with the token in -token-file for commands that change something. The variable
// ELASTICPOOL_CONFIG stands for -config.
//
// # Exit codes
//
// 0 done; 1 it failed, and standard error says why; 2 the command line is wrong. replay ends with 1 when a decision
// differs, and status when the pool is frozen or its last cycle failed, if -check is given.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// program is where a command reads and writes.
type program struct {
	stdout, stderr io.Writer
	environ        func(string) string
}

// command is one of the words after the program's name.
type command struct {
	name, args, help string
	run              func(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error
}

// commands in the order of the help.
func commands() []command {
	return []command{
		{"run", "", "run the pool until SIGTERM or SIGINT", runPool},
		{"plan", "", "say what the pool would do now, and do nothing", plan},
		{"check", "", "say whether the configuration is right", check},
		{"example-config", "", "print a configuration with every key explained", exampleConfig},
		{"status", "", "show the pool", status},
		{"explain", "QUEUE|VM|JOB", "say why something is as it is", explain},
		{"drain", "vm|class|queue|cloud NAME", "let VMs leave when their jobs have ended", drain},
		{"undrain", "vm|class|queue|cloud NAME", "take a drain back", undrain},
		{"freeze", "", "do nothing to any VM until thaw", freeze},
		{"thaw", "", "end a freeze, also one that a doubt has set", thaw},
		{"quota", "[QUEUE]", "show or set thresholds and weights", quotas},
		{"simulate", "", "run the controller on virtual time", simulation},
		{"replay", "FILE", "decide a decision log again and compare", replay},
	}
}

// errUsage is an error in the command line.
var errUsage = errors.New("wrong command line")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	p := &program{stdout: os.Stdout, stderr: os.Stderr, environ: os.Getenv}
	os.Exit(p.main(ctx, os.Args[1:]))
}

// main runs one command and returns the exit code.
func (p *program) main(ctx context.Context, args []string) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" || args[0] == "-help" {
		p.help(p.stdout)
		if len(args) == 0 {
			return 2
		}
		return 0
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		flags := flag.NewFlagSet("elasticpool "+c.name, flag.ContinueOnError)
		flags.SetOutput(p.stdout)
		flags.Usage = func() {
			fmt.Fprintf(p.stdout, "elasticpool %s %s: %s\n", c.name, c.args, c.help)
			flags.PrintDefaults()
		}
		return p.code(c.name, c.run(ctx, p, flags, args[1:]))
	}
	fmt.Fprintf(p.stderr, "elasticpool: there is no command %s; see elasticpool help\n", args[0])
	return 2
}

func (p *program) code(name string, err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintf(p.stderr, "elasticpool %s: %v; see elasticpool %s -h\n", name, err, name)
		return 2
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(p.stderr, "elasticpool %s: %s\n", name, line)
	}
	return 1
}

func (p *program) help(w io.Writer) {
	fmt.Fprintln(w, "elasticpool COMMAND [FLAGS] [ARGUMENTS]")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-40s %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	fmt.Fprintln(w, "elasticpool COMMAND -h tells a command's flags.")
}

// parse reads a command's flags and checks how many arguments are left.
func parse(flags *flag.FlagSet, args []string, least, most int) error {
	var said strings.Builder
	out := flags.Output()
	flags.SetOutput(&said) // the package tells an error twice, with all flags
	err := flags.Parse(args)
	flags.SetOutput(out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.Usage()
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", errUsage, err)
	case flags.NArg() < least || flags.NArg() > most:
		return fmt.Errorf("%w: %d arguments", errUsage, flags.NArg())
	}
	return nil
}
