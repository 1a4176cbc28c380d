package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func status(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	var c connection
	c.define(flags)
	asJSON := flags.Bool("json", false, "print everything as JSON")
	vms := flags.Bool("vms", false, "list every VM")
	strict := flags.Bool("check", false, "end with exit code 1 if the pool is frozen or its last cycle failed")
	if err := parse(flags, args, 0, 0); err != nil {
		return err
	}
	client, err := c.client(p)
	if err != nil {
		return err
	}
	s, err := client.Status(ctx)
	if err != nil {
		return err
	}
	if *asJSON {
		encoder := json.NewEncoder(p.stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(s)
	} else {
		printStatus(p.stdout, s, *vms)
	}
	if err == nil && *strict && (len(s.Decision.Frozen) > 0 || s.Error != "") {
		return errors.New("the pool is not well: " + strings.Join(append(s.Decision.Frozen, s.Error), "; "))
	}
	return err
}

func printStatus(w io.Writer, s elasticpool.Status, vms bool) {
	d := s.Decision
	fmt.Fprintf(w, "pool %s: %d VMs, cycle %d at %s\n", s.Pool, len(s.VMs), s.Cycles, d.At.Format(time.RFC3339))
	for _, why := range d.Frozen {
		fmt.Fprintf(w, "nothing is shrunk: %s\n", why)
	}
	for _, why := range d.Blind {
		fmt.Fprintf(w, "nothing is grown: %s\n", why)
	}
	for _, order := range s.Orders {
		fmt.Fprintf(w, "in force: %s\n", order)
	}
	for _, order := range s.Pointless {
		fmt.Fprintf(w, "points to nothing: %s\n", order)
	}
	printStranded(w, s.VMs)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	tableQueues(table, d.Queues)
	fmt.Fprintln(table, "\nCLASS\tCLOUD\tVMS\tON THEIR WAY\tOFF BECAUSE")
	for _, class := range d.Classes {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d of %d\t%s\n", class.Name, class.Cloud, states(class.States), class.InFlight, class.Ramp, class.Off)
	}
	if vms {
		fmt.Fprintln(table, "\nVM\tCLASS\tQUEUE\tSTATE\tFOR\tJOBS\tWHY")
		for _, vm := range s.VMs {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", vm.ID, vm.Class, vm.Queue, vm.State, s.Now.Sub(vm.Since).Round(time.Second), len(vm.Jobs), vm.Why)
		}
	}
	table.Flush() //nolint:gosec // what is lost with standard output cannot be told
	for _, unmet := range d.Unmet {
		fmt.Fprintf(w, "%d jobs of %s can run nowhere: %s\n", unmet.Jobs, unmet.Queue, unmet.Reason)
	}
	for _, sensor := range s.Sensors {
		if sensor.Err != "" {
			fmt.Fprintf(w, "sensor %s: %s\n", sensor.Name, sensor.Err)
		}
	}
}

// tableQueues writes a line for each queue.
func tableQueues(table io.Writer, queues []elasticpool.QueueView) {
	fmt.Fprintln(table, "\nQUEUE\tWAITING\tRUNNING\tHELD\tWANTED\tTARGET\tSERVING\tBUSY\tCOMING\tLOWER\tUPPER\tWHY")
	for _, q := range queues {
		upper := "-"
		if q.Upper >= 0 {
			upper = strconv.FormatInt(q.Upper, 10)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", q.Name, q.Waiting, q.Running, q.Held, q.Wanted, q.Target,
			q.Serving, q.Busy, q.Coming, q.Lower, upper, q.Why)
	}
}

// printStranded tells which VMs are of clouds that are not configured.
func printStranded(w io.Writer, vms []elasticpool.VM) {
	stranded := map[string][]string{}
	for _, vm := range vms {
		if vm.State == elasticpool.Stranded {
			stranded[vm.Cloud] = append(stranded[vm.Cloud], vm.ID)
		}
	}
	for _, cloud := range slices.Sorted(maps.Keys(stranded)) {
		fmt.Fprintf(w, "%d VMs are of cloud %s, which is not configured; put it back, or forget them: %s\n",
			len(stranded[cloud]), cloud, strings.Join(stranded[cloud], ", "))
	}
}

func states(of map[elasticpool.VMState]int) string {
	var words []string
	for state, n := range of {
		words = append(words, fmt.Sprintf("%d %s", n, state))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func explain(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	var c connection
	c.define(flags)
	if err := parse(flags, args, 1, 1); err != nil {
		return err
	}
	client, err := c.client(p)
	if err != nil {
		return err
	}
	lines, err := client.Explain(ctx, flags.Arg(0))
	for _, line := range lines {
		fmt.Fprintln(p.stdout, line)
	}
	return err
}
