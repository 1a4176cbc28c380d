// Reconcile finds what is left behind or lost: accelerator requests (ARQs) and allocations of instances that are gone,
// devices in use that Placement offers to others, instances whose devices are not bound any more, and operations that
// nobody finished. docs/reconcile.md tells what each finding means.
//
//	go run ./examples/reconcile                                       a cloud with some of each, built in
//	go run ./examples/reconcile -repair                               the same, repaired
//	go run ./examples/reconcile -records DIR -cloud admin             what is wrong; changes nothing
//	go run ./examples/reconcile -records DIR -cloud admin -service-cloud nova -repair
//	go run ./examples/reconcile -records DIR -cyborg http://127.0.0.1:6666/v2 -placement http://127.0.0.1:8778/placement
//
// The directory is that of a lifecycle.FileStore, with the records of all instances. The program that works with it must
// not run meanwhile; it is refused then.
//
// -cloud takes both services from clouds.yaml, -service-cloud the service whose token Cyborg demands for repairs. -cyborg
// and -placement send the token of OS_TOKEN ("admin" if it is not set), and that of OS_SERVICE_TOKEN if it is set.
//
// Instances that have no record may be those of Nova: what they have is listed and left alone. -gone names a file with
// the uuids of those that were deleted, one on a line: what these have is freed. -prepared names one with the uuids of ARQs
// that somebody made to be given to an instance later.
//
// This program has no hypervisor. Repairs that stop, start or change a guest are left, unless -guests says that somebody
// else sees to the guests. Stop them before the run, because their devices are taken from them during it; the new domain
// XML, to start them from, is then printed.
//
// The exit code is 0 when nothing is wrong, or nothing any more, 1 when something is, and 2 when the input cannot be read,
// a service does not answer, or a list may be incomplete. Findings of the kind foreign, ARQs that may be Nova's, are
// printed and do not count. go run turns each code but 0 into 1: a script that needs the code builds the program first.
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
	"time"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// The exit codes.
const (
	allWell = iota
	wrong
	noAnswer
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// arguments are the flags of one run.
type arguments struct {
	records, gone, prepared                string
	cloud, serviceCloud, cyborg, placement string
	grace                                  time.Duration
	allProjects, repair, guests, json      bool
}

// parse reads the flags; a usage that was asked for is flag.ErrHelp.
func parse(args []string, stdout io.Writer) (arguments, error) {
	var a arguments
	flags := flag.NewFlagSet("reconcile", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error that is returned says it
	flags.StringVar(&a.records, "records", "", "`directory` with the records of all instances")
	flags.StringVar(&a.gone, "gone", "", "`file` with the uuids of instances that were deleted, one on a line")
	flags.StringVar(&a.prepared, "prepared", "", "`file` with the uuids of ARQs that are to be given to instances, one on a line")
	flags.StringVar(&a.cloud, "cloud", "", "the Cyborg and the Placement of this `name` in clouds.yaml")
	flags.StringVar(&a.serviceCloud, "service-cloud", "", "with -cloud: the `name` in clouds.yaml of the user whose service token Cyborg demands")
	flags.StringVar(&a.cyborg, "cyborg", "", "the Cyborg at this `URL`, with the token of OS_TOKEN (default admin) and that of OS_SERVICE_TOKEN if it is set")
	flags.StringVar(&a.placement, "placement", "", "the Placement at this `URL`, with the token of OS_TOKEN (default admin)")
	flags.DurationVar(&a.grace, "grace", 0, "how old something must be to count as left behind (default 10m0s)")
	flags.BoolVar(&a.allProjects, "all-projects", false, "Cyborg's user is admin and sees the ARQs of all projects")
	flags.BoolVar(&a.repair, "repair", false, "repair what is found; the default is to change nothing")
	flags.BoolVar(&a.guests, "guests", false, "with -repair: also where a guest has to be stopped, started or changed; stop such guests before the run")
	flags.BoolVar(&a.json, "json", false, "print one JSON object")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		fmt.Fprint(stdout, "Reconcile finds ARQs and allocations that are left behind or lost. Without -records it shows a built-in cloud.\n"+
			"Exit code: 0 nothing is wrong, 1 something is, 2 bad input, no answer, or a list that may be incomplete.\n"+
			"Findings of the kind foreign may be Nova's and do not count.\n\n")
		flags.Usage()
		return a, err
	case err != nil:
		return a, fmt.Errorf("%w; -h lists the flags", err)
	case flags.NArg() > 0:
		return a, fmt.Errorf("unexpected argument %q; -h lists the flags", flags.Arg(0))
	}
	return a, a.check()
}

// check finds flags that are missing or do not go together.
func (a arguments) check() error {
	switch {
	case a.guests && !a.repair:
		return errors.New("-guests goes with -repair")
	case a.serviceCloud != "" && a.cloud == "":
		return errors.New("-service-cloud goes with -cloud")
	case a.cloud != "" && a.cyborg+a.placement != "":
		return errors.New("-cloud goes with neither -cyborg nor -placement")
	case a.records == "" && a.cloud+a.cyborg+a.placement+a.gone+a.prepared != "":
		return errors.New("-records is missing: the directory with the records of all instances")
	case a.records != "" && !a.reachesBoth():
		return errors.New("-records needs -cloud, or both -cyborg and -placement")
	}
	return nil
}

func (a arguments) reachesBoth() bool { return a.cloud != "" || a.cyborg != "" && a.placement != "" }

// run returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return allWell
	}
	var r *report
	if err == nil {
		r, err = reconcile(ctx, a)
	}
	if err == nil {
		err = r.print(a.json, stdout)
	}
	if err != nil {
		complain(stderr, err)
		return noAnswer
	}
	if r.wrong() {
		return wrong
	}
	return allWell
}

// complain says what went wrong in the words of the flags, each line with the program's name.
func complain(stderr io.Writer, err error) {
	text := err.Error()
	if errors.Is(err, lifecycle.ErrIncomplete) {
		text = strings.ReplaceAll(text, "Known.AllProjects", "-all-projects")
	}
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(stderr, "reconcile:", strings.TrimPrefix(line, "reconcile: "))
	}
}

// reconcile looks, and if it is asked to, repairs and looks once more.
func reconcile(ctx context.Context, a arguments) (*report, error) {
	c, err := open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer c.close()
	plan, err := c.manager.Reconcile(ctx, c.known)
	if err != nil {
		return nil, err
	}
	r := &report{Findings: plan.Findings, Remaining: plan.Findings}
	if !a.repair {
		return r, nil
	}
	_ = r.repair(ctx, c, a.guests) // each failure is in the report
	after, err := c.manager.Reconcile(ctx, c.known)
	if err != nil {
		return nil, err
	}
	r.Remaining = after.Findings
	return r, nil
}

// repair leaves what would need a hypervisor, unless guests are seen to.
func (r *report) repair(ctx context.Context, c *cloud, guests bool) error {
	var plan lifecycle.Plan
	for _, f := range r.Findings {
		if f.Guest && !guests {
			r.Repaired = append(r.Repaired, outcome{Finding: f, Left: "a guest has to be stopped, started or changed: stop it, see -guests"})
			continue
		}
		plan.Findings = append(plan.Findings, f)
	}
	done, err := c.manager.Repair(ctx, c.known, &plan)
	for _, one := range done {
		r.Repaired = append(r.Repaired, outcomeOf(one))
	}
	return err
}
