package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// settings are the flags, and what some of them mean.
type settings struct {
	listen         string
	expose         bool
	auth           string
	release        string
	seed           string
	tokens         string
	mount          string
	placement      string
	placementToken string
	placementWait  time.Duration
	nova           string
	version        bool

	address *net.TCPAddr
	mode    authMode
	plays   fakecyborg.Release
	place   fakecyborg.Mount
	// callers is how they are told apart, nil for not at all.
	callers fakecyborg.Option
}

// embedded is the value of -placement that asks for a Placement in memory.
const embedded = "embedded"

// parseFlags reads the command line; what is wrong with it, and help, goes to stderr.
func parseFlags(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("fakecyborg", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:6666", "`address` to listen on; port 0 takes a free port")
	flags.BoolVar(&s.expose, "expose", false, "let -listen take an address that other machines reach")
	flags.StringVar(&s.auth, "auth", authModes[0].name, "how callers are told apart, a `mode`: "+describeModes())
	flags.StringVar(&s.release, "release", fakecyborg.Newest().Series, "`release` of Cyborg to play, by OpenStack's name or Cyborg's version")
	flags.StringVar(&s.tokens, "tokens", "", "YAML `file` with the tokens of -auth tokens, or \"recorded\"")
	flags.StringVar(&s.mount, "mount", "devstack", "`where` the API is: devstack (below /accelerator and at the root) or bare (at the root only)")
	flags.StringVar(&s.seed, "seed", "", "YAML `file` with hosts, devices and device profiles, or \"recorded\"; without it a built-in example")
	flags.StringVar(&s.placement, "placement", "", "Placement to report devices to: an `URL`, or \"embedded\" to serve one under /placement")
	flags.StringVar(&s.placementToken, "placement-token", "", "`token` for the Placement at an URL")
	flags.DurationVar(&s.placementWait, "placement-wait", 30*time.Second, "how long the Placement at an URL may take to answer for the first `time`")
	flags.StringVar(&s.nova, "nova", "", "compute endpoint, with its version, that gets events: an `URL` such as http://127.0.0.1:8774/v2.1")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if err := s.resolve(flags.Args()); err != nil {
		fmt.Fprintf(stderr, "fakecyborg: %v; see -help\n", err)
		return settings{}, err
	}
	return s, nil
}

// resolve finds what the values of flags stand for.
func (s *settings) resolve(rest []string) (err error) {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	if s.mode, err = findMode(s.auth); err != nil {
		return err
	}
	if s.callers, err = s.mode.callers(*s); err != nil {
		return err
	}
	if s.place, err = findMount(s.mount); err != nil {
		return err
	}
	if s.plays, err = fakecyborg.FindRelease(s.release); err != nil {
		return err
	}
	s.address, err = resolveListen(s.listen, s.expose)
	return err
}

// versionText names this build and the release that it plays.
func versionText(release fakecyborg.Release) string {
	build := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		build = info.Main.Version
	}
	return fmt.Sprintf("fakecyborg %s, plays Cyborg %s (%s)", build, release.Version, release.Series)
}
