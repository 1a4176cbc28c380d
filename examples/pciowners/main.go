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

	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// The exit codes.
const (
	allWell = iota
	conflict
	badInput
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// list is a flag that may be given several times.
type list []string

// String joins the values.
func (l *list) String() string { return strings.Join(*l, ",") }

// Set adds a value.
func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// arguments are the flags of one run.
type arguments struct {
	lspci, sysfs, devices    string
	novaConf, cyborgConf     list
	host                     string
	cloud, cyborg, placement string
	json, all, builtIn       bool
}

// parse reads the flags; a usage that was asked for is flag.ErrHelp.
func parse(args []string, stdout io.Writer) (arguments, error) {
	var a arguments
	flags := flag.NewFlagSet("pciowners", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error that is returned says it
	flags.StringVar(&a.lspci, "lspci", "", "`file` with the output of lspci -Dnn; - is standard input")
	flags.StringVar(&a.sysfs, "sysfs", "", "`directory` /sys/bus/pci/devices or a copy of it, or a file that lists it")
	flags.StringVar(&a.devices, "devices", "", "`file` with a JSON list of devices; - is standard input")
	flags.Var(&a.novaConf, "nova-conf", "`file` of nova-compute; again for each further one")
	flags.Var(&a.cyborgConf, "cyborg-conf", "`file` of cyborg-agent; again for each further one")
	flags.StringVar(&a.host, "host", "", "`name` of the compute node, for what the services show")
	flags.StringVar(&a.cloud, "cloud", "", "ask the Cyborg and the Placement of this `name` in clouds.yaml")
	flags.StringVar(&a.cyborg, "cyborg", "", "ask the Cyborg at this `URL`, with the token of OS_TOKEN (default admin)")
	flags.StringVar(&a.placement, "placement", "", "ask the Placement at this `URL`, with the token of OS_TOKEN (default admin)")
	flags.BoolVar(&a.json, "json", false, "print one JSON object")
	flags.BoolVar(&a.all, "all", false, "list the devices too that are left to the host")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		fmt.Fprint(stdout, "Pciowners shows who owns each PCI device of a compute host, Nova or Cyborg, and finds those that both hand out.\n"+
			"Without the devices of a host it shows a built-in one.\n"+
			"Exit code: 0 all is well, 1 two services can hand out the same hardware, 2 bad input or no answer.\n\n")
		flags.Usage()
		return a, err
	case err != nil:
		return a, fmt.Errorf("%w; -h lists the flags", err)
	case flags.NArg() > 0:
		return a, fmt.Errorf("unexpected argument %q; -h lists the flags", flags.Arg(0))
	}
	a.builtIn = flags.NFlag() == count(a.json, a.all)
	return a, a.check()
}

// check finds flags that are missing or do not go together.
func (a arguments) check() error {
	live := a.cloud+a.cyborg+a.placement != ""
	switch {
	case a.builtIn:
		return nil
	case count(a.lspci != "", a.sysfs != "", a.devices != "") != 1:
		return errors.New("give the devices of the host by one of -lspci, -sysfs and -devices")
	case a.cloud != "" && a.cyborg+a.placement != "":
		return errors.New("-cloud goes with neither -cyborg nor -placement")
	case live && a.host == "":
		return errors.New("-cloud, -cyborg and -placement need -host: the name of the compute node")
	case !live && len(a.novaConf)+len(a.cyborgConf) == 0:
		return errors.New("give at least one of -nova-conf, -cyborg-conf, -cloud, -cyborg and -placement")
	}
	return nil
}

func count(flags ...bool) int {
	n := 0
	for _, set := range flags {
		if set {
			n++
		}
	}
	return n
}

// run returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return allWell
	}
	var report *pciowner.Report
	if err == nil {
		report, err = check(ctx, a, stdin)
	}
	if err == nil {
		err = show(a, report, stdout)
	}
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(stderr, "pciowners:", line)
		}
		return badInput
	}
	if len(report.Conflicts()) > 0 {
		return conflict
	}
	return allWell
}

// check reads all sources and compares them.
func check(ctx context.Context, a arguments, stdin io.Reader) (*pciowner.Report, error) {
	var in pciowner.Input
	var err error
	if a.builtIn {
		in, err = builtIn()
	} else {
		in, err = readFiles(a, stdin)
	}
	if err != nil {
		return nil, err
	}
	in.Host = a.host
	if err := ask(ctx, a, &in); err != nil {
		return nil, err
	}
	return pciowner.Check(in)
}
