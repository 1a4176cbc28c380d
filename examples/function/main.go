// Command function shows an accelerated function as a service: a tenant asks for what an FPGA is to do, by the function
// id in a device profile, and whatever the FPGA did before, it is programmed while the instance is built. Placement and
// Cyborg live in this process.
//
//	go run ./examples/function
//	go run ./examples/function -function 5f3a-9b1e             a function id with dashes, at which the real Cyborg fails
//	go run ./examples/function -function 5f3a-9b1e -careful    and a Cyborg that does not
//
// It prints what Cyborg and Placement know of the device before, while the instance is there, after the next report of
// the host's agent, and when all is given back.
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
	"time"

	"github.com/google/uuid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "function:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("function", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error that is returned says it
	function := flags.String("function", "c32c", "`id` of the function that the tenant asks for; seed.yaml has the images")
	careful := flags.Bool("careful", false, "play a Cyborg without the faults of the real one")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.Usage()
		return nil
	case err != nil:
		return fmt.Errorf("%w; -h lists the flags", err)
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	c, err := newCloud(ctx, out, *careful)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.knows(*function); err != nil {
		return err
	}
	return c.serve(ctx, *function)
}

// knows refuses a function that no image of the seed has: a bind waits for one that
// is not there for as long as the client lets it.
func (c *cloud) knows(function string) error {
	images := c.fake.Seed().Images
	known := make([]string, 0, len(images))
	for _, image := range images {
		if image.FunctionID == function {
			return nil
		}
		known = append(known, image.FunctionID)
	}
	return fmt.Errorf("-function %q: no image has this function; the images of seed.yaml have %s", function, strings.Join(known, ", "))
}

// explain says why a Cyborg that is not careful fails at a function id with dashes.
func (c *cloud) explain(err error, function string) error {
	if c.careful || !strings.Contains(function, "-") {
		return err
	}
	return fmt.Errorf("%w\nCyborg puts the id %s into a trait as it is, and Placement takes no trait with dashes; -careful plays a Cyborg that replaces them", err, function)
}

// serve gives one instance a function, and everything back.
func (c *cloud) serve(ctx context.Context, function string) (err error) {
	if err := c.show(ctx, "before"); err != nil {
		return err
	}
	profile := cyborgclient.DeviceProfileCreate{
		Name: "tenant-function", Groups: []requestspec.ProfileGroup{{{Key: "resources:FPGA", Value: "1"}, {Key: "accel:function_id", Value: function}}},
	}
	if _, err := c.cyborg.CreateDeviceProfile(ctx, profile); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.cyborg.DeleteDeviceProfile(ctx, profile.Name)) }()
	fmt.Fprintf(c.out, "\nprofile %s asks for the function %s\n", profile.Name, function)

	created, err := c.manager.Create(ctx, lifecycle.CreateRequest{
		Consumer: placement.Consumer{UUID: uuid.NewString(), ProjectID: "tenant", UserID: "tenant"},
		Spec:     requestspec.Input{Flavor: requestspec.Flavor{Name: "f", VCPUs: 1, MemoryMB: 1024, ExtraSpecs: map[string]string{"accel:device_profile": profile.Name}}},
	})
	if err != nil {
		return errors.Join(c.explain(err, function), c.show(ctx, "after the failure"))
	}
	arq := created.ARQs[0]
	handle := arq.AttachHandle
	fmt.Fprintf(c.out, "\ninstance on %s has %s %v:%v:%v.%v\n", arq.Hostname, handle.Type,
		handle.Info["domain"], handle.Info["bus"], handle.Info["device"], handle.Info["function"])
	if err := c.show(ctx, "programmed"); err != nil {
		return errors.Join(err, c.manager.Delete(ctx, created.Record))
	}
	if err := c.fake.Report(ctx); err != nil {
		return errors.Join(err, c.manager.Delete(ctx, created.Record))
	}
	if err := c.show(ctx, "after the agent's next report"); err != nil {
		return errors.Join(err, c.manager.Delete(ctx, created.Record))
	}
	if err := c.manager.Delete(ctx, created.Record); err != nil {
		return err
	}
	return c.show(ctx, "given back: the device keeps its image")
}

// step prints a finished step; that of the wait takes as long as the programming.
func (c *cloud) step(_ context.Context, s lifecycle.Step) {
	failure, verb := "", s.Op
	if s.Err != nil {
		failure = s.Err.Error()
	}
	if s.Undo {
		verb = "undo"
	}
	fmt.Fprintf(c.out, "  %-8s %-18s %8s %s\n", verb, s.ID, s.Duration.Round(time.Millisecond), failure)
}
