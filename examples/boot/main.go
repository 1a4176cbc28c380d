// Command boot runs the main job once: a flavor and a device profile in, a claimed host, bound accelerators and a
// libvirt domain XML out. Without -cloud it brings its own Placement and its own Cyborg, in this process.
//
// At the end it gives everything back, so that a real cloud is left as it was.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "boot:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("boot", flag.ContinueOnError)
	var files inputFiles
	flags.StringVar(&files.flavor, "flavor", "", "`file` (JSON) with the flavor (default: the built-in flavor.json)")
	flags.StringVar(&files.profile, "profile", "", "`file` (JSON) with the device profile, made in Cyborg unless it is there (default: the built-in profile.json)")
	flags.StringVar(&files.domain, "domain", "", "`file` with the libvirt domain XML that gets the devices (default: the built-in domain.xml)")
	cloud := flags.String("cloud", "", "use the real Placement and Cyborg of this cloud of clouds.yaml by `name`")
	asJSON := flags.Bool("json", false, "print one JSON object instead of text")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	input, err := files.read()
	if err != nil {
		return err
	}
	report := newReport(out, *asJSON)
	world, err := openWorld(ctx, *cloud, report.step)
	if err != nil {
		return err
	}
	defer world.close()
	return boot(ctx, world, input, report)
}
