// Command boot runs the main job once: a flavor and a device profile in, a claimed host, bound accelerators and a
// libvirt domain XML out. Without -cloud it brings its own Placement and its own Cyborg, in this process.
//
//	go run ./examples/boot
//	go run ./examples/boot -flavor flavor.yaml -profile profile.yaml -domain domain.xml
//	go run ./examples/boot -cloud mycloud -flavor flavor.yaml       with a profile that the cloud has
//
// Flavor and profile are YAML or JSON, with the keys of the files beside this program. The profile must be the one that
// the flavor names. It is made in Cyborg unless it is there; another one of that name is never used.
//
// The built-in cloud has the hosts of seed.yaml beside this program; -h lists what they have. For others start a fake with
// a seed of your own and name it by -cloud; nova is the service whose token Cyborg demands beside the user's:
//
//	go run ./cmd/fakecyborg -seed seed.yaml -placement embedded -auth mini-keystone -clouds-file clouds.yaml
//	OS_CLIENT_CONFIG_FILE=clouds.yaml go run ./examples/boot -cloud admin -service-cloud nova -flavor flavor.yaml -profile profile.yaml
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
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "boot:", err)
		stop()
		os.Exit(1)
	}
}

// arguments are the flags of one run.
type arguments struct {
	files inputFiles
	cloud cloudNames
	json  bool
}

func (a *arguments) parse(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("boot", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error that is returned says it
	flags.StringVar(&a.files.flavor, "flavor", "", "`file` (JSON or YAML) with the flavor (default: the built-in flavor.json)")
	flags.StringVar(&a.files.profile, "profile", "", "`file` (JSON or YAML) with the device profile that the flavor names, made in Cyborg unless it is there "+
		"(default: the built-in profile.json, or the one that the cloud has)")
	flags.StringVar(&a.files.domain, "domain", "", "`file` with the libvirt domain XML that gets the devices (default: the built-in domain.xml)")
	flags.StringVar(&a.cloud.user, "cloud", "", "use the real Placement and Cyborg of this cloud of clouds.yaml by `name`")
	flags.StringVar(&a.cloud.service, "service-cloud", "", "with -cloud: the `name` in clouds.yaml of the user whose service token Cyborg demands for binds")
	flags.BoolVar(&a.json, "json", false, "print one JSON object instead of text")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		flags.Usage()
		fmt.Fprintf(stdout, "\n%s\n", builtinHosts)
		return err
	case err != nil:
		return fmt.Errorf("%w; -h lists the flags", err)
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; files are given by -flavor, -profile and -domain", flags.Arg(0))
	case a.cloud.user == "" && a.cloud.service != "":
		return errors.New("-service-cloud goes with -cloud")
	}
	return nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var a arguments
	switch err := a.parse(args, out); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	input, err := a.files.read(a.cloud.user)
	if err != nil {
		return err
	}
	report := newReport(out, a.json)
	world, err := openWorld(ctx, a.cloud, report.step)
	if err != nil {
		return err
	}
	defer world.close()
	return a.cloud.hint(boot(ctx, world, input, report))
}
