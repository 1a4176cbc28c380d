package main

import (
	"flag"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// settings are the flags.
type settings struct {
	listen         string
	seed           string
	placement      string
	placementToken string
	nova           string
	version        bool
}

// embedded is the value of -placement that asks for a Placement in memory.
const embedded = "embedded"

// parseFlags reads the command line; what is wrong with it, and help, goes to stderr.
func parseFlags(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("fakecyborg", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:6666", "`address` to listen on; port 0 takes a free port")
	flags.StringVar(&s.seed, "seed", "", "YAML `file` with hosts, devices and device profiles; without it the server starts empty")
	flags.StringVar(&s.placement, "placement", "", "Placement to report devices to: an `URL`, or \"embedded\" to serve one under /placement")
	flags.StringVar(&s.placementToken, "placement-token", "", "`token` for the Placement at an URL")
	flags.StringVar(&s.nova, "nova", "", "compute endpoint, with its version, that gets events: an `URL` such as http://127.0.0.1:8774/v2.1")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		fmt.Fprintf(stderr, "fakecyborg: %v; see -help\n", err)
		return settings{}, err
	}
	return s, nil
}

// versionText names this build and the release that it plays.
func versionText() string {
	build := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		build = info.Main.Version
	}
	release := fakecyborg.Newest()
	return fmt.Sprintf("fakecyborg %s, plays Cyborg %s (%s)", build, release.Version, release.Series)
}
