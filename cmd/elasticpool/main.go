// Command elasticpool runs a pool of virtual machines that grows and shrinks with the queues of a batch system.
//
//	elasticpool example-config >pool.yaml     a configuration with every key explained
//	elasticpool check -config pool.yaml       whether it is right
//	elasticpool plan -config pool.yaml        what a pool would do now
//	elasticpool run -config pool.yaml         the pool
//
// The pool prints the addresses that it serves, one a line, and "pool NAME runs" once its first cycle begins. It ends with
// SIGTERM or SIGINT, after the actions that are under way, and leaves its VMs as they are: the next one of the same
// directory goes on, also after a kill.
//
// Commands that speak to a running pool find its control socket by -config (its key state), or by -socket; -url speaks
// to a pool's HTTP address instead, with the token in -token-file for commands that change something. The variable
// ELASTICPOOL_CONFIG stands for -config. Flags may come before and after arguments.
//
// # Commands
//
//	elasticpool run                                run the pool until SIGTERM or SIGINT
//	elasticpool plan                               say what the pool would do now, and do nothing
//	elasticpool check                              say whether the configuration is right
//	elasticpool example-config                     print a configuration with every key explained
//	elasticpool worker-config POOL                 print what a worker's HTCondor needs, for user data
//	elasticpool status                             show the pool
//	elasticpool explain QUEUE|CLASS|VM|JOB         say why something is as it is
//	elasticpool drain vm|class|queue|cloud NAME    let VMs leave when their jobs have ended
//	elasticpool undrain vm|class|queue|cloud NAME  take a drain back
//	elasticpool forget vm|cloud NAME               take VMs of a cloud that is no longer configured out of the books
//	elasticpool freeze                             do nothing to any VM until thaw
//	elasticpool thaw                               end a freeze, also one that a doubt has set
//	elasticpool quota [QUEUE]                      show or set thresholds and weights
//	elasticpool simulate                           run the controller on virtual time
//	elasticpool replay FILE                        decide a decision log again and compare
//	elasticpool version                            print the version
//
// # Flags
//
//	elasticpool run: run the pool until SIGTERM or SIGINT
//	  -config file      configuration file
//	  -dry-run          decide and say what would be done, and do nothing
//	  -log-format form  form of the log on standard error: text or json (text)
//
//	elasticpool plan: say what the pool would do now, and do nothing
//	  -config file  configuration file
//
//	elasticpool check: say whether the configuration is right
//	  -config file  configuration file
//	  -files        also read the files with secrets that it names
//
//	elasticpool example-config: print a configuration with every key explained
//
//	elasticpool worker-config POOL: print what a worker's HTCondor needs, for user data
//
//	elasticpool status: show the pool
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -check            end with exit code 1 if the pool is frozen or its last cycle failed
//	  -config file      configuration file of the pool
//	  -json             print everything as JSON
//	  -key-file file    file with the key of that certificate
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//	  -vms              list every VM
//
//	elasticpool explain QUEUE|CLASS|VM|JOB: say why something is as it is
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -config file      configuration file of the pool
//	  -key-file file    file with the key of that certificate
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//
//	elasticpool drain vm|class|queue|cloud NAME: let VMs leave when their jobs have ended
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -config file      configuration file of the pool
//	  -key-file file    file with the key of that certificate
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//	  -why reason       a reason, which status shows
//
//	elasticpool undrain vm|class|queue|cloud NAME: take a drain back
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -config file      configuration file of the pool
//	  -key-file file    file with the key of that certificate
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//	  -why reason       a reason, which status shows
//
//	elasticpool forget vm|cloud NAME: take VMs of a cloud that is no longer configured out of the books
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -config file      configuration file of the pool
//	  -key-file file    file with the key of that certificate
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//	  -why reason       a reason, which status shows
//
//	elasticpool freeze: do nothing to any VM until thaw
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -config file      configuration file of the pool
//	  -key-file file    file with the key of that certificate
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//	  -why reason       a reason, which status shows
//
//	elasticpool thaw: end a freeze, also one that a doubt has set
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -config file      configuration file of the pool
//	  -key-file file    file with the key of that certificate
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//	  -why reason       a reason, which status shows
//
//	elasticpool quota [QUEUE]: show or set thresholds and weights
//	  -ca-file file     file with the CA of an https -url; without it those of the system
//	  -cert-file file   file with the certificate that -url asks for
//	  -config file      configuration file of the pool
//	  -key-file file    file with the key of that certificate
//	  -lower number     set the lower threshold, a number of VMs
//	  -reset            let the configuration's values hold again
//	  -socket path      control socket, a path; without it that of the configuration
//	  -token-file file  file with the token for -url
//	  -upper number     set the upper threshold, a number of VMs; 0 for none
//	  -url URL          HTTP address of the pool, a URL, instead of its socket
//	  -weight number    set the weight, a number above 0
//	  -why reason       a reason, which status shows
//
//	elasticpool simulate: run the controller on virtual time
//	  -config file        simulate the queues, classes and control of this pool's configuration file
//	  -csv file           write the time series to this file
//	  -days number        length, a number of days (14)
//	  -json               print one JSON object
//	  -load part          offered work as a part of the capacity; 0 leaves a -trace as it is (0.8)
//	  -loads loads        loads that -report compares (0.5,0.8)
//	  -policies policies  policies that -report compares (static,vcondor,linear,fair,oracle)
//	  -policy policy      policy: static, vcondor, linear, fair, oracle (fair)
//	  -report file        compare policies over seeds and write a page to this file
//	  -seed seed          seed of all that is drawn (1)
//	  -seeds number       over how many seeds -report compares, a number (10)
//	  -svg file           draw the time series into this file
//	  -trace file         SWF file with jobs; without it they are generated
//	  -vms number         capacity, a number of VMs (200)
//
//	elasticpool replay FILE: decide a decision log again and compare
//
//	elasticpool version: print the version
//
// # Exit codes
//
// 0 done; 1 it failed, and standard error says why; 2 the command line is wrong. replay ends with 1 when a decision
// differs, and status -check when the pool is frozen or its last cycle failed. run ends with 0 after SIGTERM or SIGINT.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/novacyborg/novacyborg/internal/near"
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
		{"worker-config", "POOL", "print what a worker's HTCondor needs, for user data", workerConfig},
		{"status", "", "show the pool", status},
		{"explain", "QUEUE|CLASS|VM|JOB", "say why something is as it is", explain},
		{"drain", "vm|class|queue|cloud NAME", "let VMs leave when their jobs have ended", drain},
		{"undrain", "vm|class|queue|cloud NAME", "take a drain back", undrain},
		{"forget", "vm|cloud NAME", "take VMs of a cloud that is no longer configured out of the books", forget},
		{"freeze", "", "do nothing to any VM until thaw", freeze},
		{"thaw", "", "end a freeze, also one that a doubt has set", thaw},
		{"quota", "[QUEUE]", "show or set thresholds and weights", quotas},
		{"simulate", "", "run the controller on virtual time", simulation},
		{"replay", "FILE", "decide a decision log again and compare", replay},
		{"version", "", "print the version", version},
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
	if len(args) == 0 {
		help(p.stderr)
		return 2
	}
	name, known := strings.TrimLeft(args[0], "-"), commands()
	if name == "help" || name == "h" {
		return p.helpOf(ctx, args[1:])
	}
	at := slices.IndexFunc(known, func(c command) bool { return c.name == args[0] })
	if at < 0 {
		fmt.Fprintf(p.stderr, "elasticpool: there is no command %q%s; see elasticpool help\n", args[0], meant(args[0], known))
		return 2
	}
	return p.code(args[0], known[at].run(ctx, p, p.flags(known[at]), args[1:]))
}

// meant asks whether the command that is almost called so was meant.
func meant(name string, known []command) string {
	least, names := 1+len(name)/4, []string(nil)
	for _, c := range known {
		if d := near.Distance(name, c.name, least); d <= least {
			least, names = d, []string{c.name}
		}
	}
	return near.Question(names)
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

// parse reads a command's flags, which may come before and after its arguments, and checks how many of those there are.
func parse(flags *flag.FlagSet, args []string, least, most int) error {
	out := flags.Output()
	flags.SetOutput(io.Discard) // the package tells an error twice, with all flags
	defer flags.SetOutput(out)
	var words []string
	for {
		err := flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errUsage, err)
		}
		if flags.NArg() == 0 {
			break
		}
		words, args = append(words, flags.Arg(0)), flags.Args()[1:]
	}
	if len(words) < least || len(words) > most {
		return fmt.Errorf("%w: it has %d arguments, of which there must be %s", errUsage, len(words), counted(least, most))
	}
	return flags.Parse(append([]string{"--"}, words...))
}

func counted(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
