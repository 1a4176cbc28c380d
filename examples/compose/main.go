package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(os.Stderr, "compose:", line)
		}
		stop()
		os.Exit(1)
	}
}

// arguments are the flags of one run.
type arguments struct {
	domain, arqs, before, ports, options, sysfs, mdevs string
	others                                             string
	instance, cloud, cyborg                            string
	do, unknown, release                               string
	companions, jsonl                                  bool
}

func parse(args []string, stdout io.Writer) (arguments, error) {
	var a arguments
	flags := flag.NewFlagSet("compose", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error that is returned says it
	flags.StringVar(&a.domain, "domain", "", "`file` of the domain XML, - is standard input; default: the domain.xml beside this program")
	flags.StringVar(&a.arqs, "arqs", "", "`file` of the ARQs, JSON; default, without -domain only: the arqs.json beside this program")
	flags.StringVar(&a.before, "before", "", "`file` of the ARQs that -do replace takes out")
	flags.StringVar(&a.instance, "instance", "", "take the ARQs that Cyborg has for the instance with this `uuid`; needs -cloud or -cyborg")
	flags.StringVar(&a.cloud, "cloud", "", "the Cyborg of this `NAME` in clouds.yaml")
	flags.StringVar(&a.cyborg, "cyborg", "", "the Cyborg at this `URL`, with the token of OS_TOKEN (default admin)")
	flags.StringVar(&a.ports, "ports", "", "`file` of the instance's ports, JSON")
	flags.StringVar(&a.options, "options", "", "`file` of options by ARQ, JSON")
	flags.StringVar(&a.sysfs, "sysfs", "", "check against the PCI devices in this `folder`, /sys/bus/pci/devices on the host")
	flags.BoolVar(&a.companions, "companions", false, "add the other functions of a device that must come along; needs -sysfs")
	flags.StringVar(&a.others, "others", "", "`addresses` on the host, with commas between them, of devices that are somebody else's")
	flags.StringVar(&a.mdevs, "mdevs", "", "write the XML of mediated devices to be created into this `folder`")
	flags.StringVar(&a.do, "do", doCompose, "what to do: `"+strings.Join(doings, ", ")+"`")
	flags.StringVar(&a.unknown, "unknown", "fail", "what becomes of unknown attach handles: `fail, skip, report`")
	flags.BoolVar(&a.jsonl, "jsonl", false, "answer one case per line of standard input")
	flags.StringVar(&a.release, "release", "", "with -jsonl: what Nova `2025.1 or 2026.2` emits")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		flags.Usage()
		return a, err
	case err != nil:
		return a, fmt.Errorf("%w; -h lists the flags", err)
	case flags.NArg() > 0:
		return a, fmt.Errorf("unexpected argument %q; files are given by -domain and -arqs", flags.Arg(0))
	}
	return a, a.check(flags.NFlag())
}

// check finds flags that do not go together.
func (a arguments) check(given int) error {
	if a.jsonl || a.release != "" {
		return a.checkLines(given)
	}
	_, known := policies[a.unknown]
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{!known, fmt.Sprintf("-unknown %q, want fail, skip or report", a.unknown)},
		{operations[a.do] == nil, fmt.Sprintf("-do %q, want one of %s", a.do, strings.Join(doings, ", "))},
		{(a.do == doReplace) != (a.before != ""), "-do replace and -before go together"},
		{a.domain != "" && a.arqs+a.instance == "", "-domain needs -arqs or -instance: the ARQs beside this program are not that guest's"},
		{a.arqs != "" && a.instance != "", "give one of -arqs and -instance"},
		{(a.instance != "") != (a.cloud+a.cyborg != "") || a.cloud != "" && a.cyborg != "", "-instance goes with one of -cloud and -cyborg"},
		{a.companions && a.sysfs == "", "-companions needs -sysfs"},
	} {
		if rule.broken {
			return errors.New(rule.text)
		}
	}
	return a.checkStdin()
}

// checkStdin wants at most one file to be standard input.
func (a arguments) checkStdin() error {
	var flags []string
	for _, file := range []struct{ flag, name string }{
		{"-domain", a.domain}, {"-arqs", a.arqs}, {"-before", a.before}, {"-ports", a.ports}, {"-options", a.options},
	} {
		if file.name == "-" {
			flags = append(flags, file.flag)
		}
	}
	if len(flags) > 1 {
		return fmt.Errorf("%s: only one file can be standard input", strings.Join(flags, " and "))
	}
	return nil
}

func (a arguments) checkLines(given int) error {
	switch {
	case !a.jsonl:
		return errors.New("-release goes with -jsonl")
	case a.release == "" && given > 1 || given > 2:
		return errors.New("-jsonl reads standard input and goes with -release only")
	case a.release != "" && releases[a.release] == nil:
		return fmt.Errorf("-release %q, want 2025.1 or 2026.2", a.release)
	}
	return nil
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	a, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	out := bufio.NewWriter(stdout)
	if a.jsonl {
		reply := ours
		if a.release != "" {
			reply = releases[a.release]
		}
		err = answerLines(ctx, stdin, out, reply)
	} else {
		err = a.work(ctx, stdin, out, stderr)
	}
	return errors.Join(err, out.Flush())
}
