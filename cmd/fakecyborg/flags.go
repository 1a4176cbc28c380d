package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// settings are the flags, and what some of them mean.
type settings struct {
	listen, addressFile                 string
	expose                              bool
	tlsCAFile, tlsCert, tlsKey, tlsName string
	release, mount                      string
	seed, faults, state, clock          string
	auth, tokens, cloudsFile            string
	keystone, keystoneCloud             string
	tokenLife                           time.Duration
	placement, placementToken, nova     string
	placementWait, shutdownWait         time.Duration
	reportInterval                      time.Duration
	journal                             journal.Limits
	logFormat, logLevel                 string
	check                               string
	version                             bool
	manners                             manners

	// given are the names of the flags that the command line or a variable sets.
	given    map[string]bool
	endpoint endpoint
	mode     authMode
	plays    fakecyborg.Release
	place    fakecyborg.Mount
	// now is the clock that -clock asks for, nil for the true one.
	now func() time.Time
}

// embedded is the value of -placement that asks for a Placement in memory.
const embedded = "embedded"

// define is the table of all flags: names, defaults and help are here and nowhere
// else. Each has a variable, which [variable] names.
func (s *settings) define(flags *flag.FlagSet) {
	flags.StringVar(&s.listen, "listen", "127.0.0.1:6666", "`address`, or unix:PATH; port 0 takes a free port")
	flags.BoolVar(&s.expose, "expose", false, "let -listen take an address that other machines reach")
	flags.StringVar(&s.addressFile, "address-file", "", "`file` that has the address while the fake is ready")
	flags.StringVar(&s.tlsCAFile, "tls-ca-file", "", "serve TLS; `file` to write the certificate of the CA to that is made for it")
	flags.StringVar(&s.tlsName, "tls-names", "", "further `names` in the certificate made, comma separated; localhost and the host's own are there")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "serve TLS with the certificate in this `file`")
	flags.StringVar(&s.tlsKey, "tls-key", "", "`file` with its key")

	flags.StringVar(&s.release, "release", fakecyborg.Newest().Series, "`release` of Cyborg to play, by OpenStack's number or name or by Cyborg's version; Debian's 14.0.0-3+deb13u1 has the security fixes and is 14.1.0")
	flags.BoolVar(&s.manners.newPolicies, "new-policies", false, "enforce the new defaults of the policies, which the release does not by itself")
	flags.StringVar(&s.mount, "mount", "devstack", "`where` the API is: devstack (below /accelerator and at the root) or bare (at the root only)")
	flags.BoolVar(&s.manners.connectionClose, "connection-close", false, "close the connection after each answer, as the real front end does")
	flags.BoolVar(&s.manners.noChunkedBodies, "no-chunked-bodies", false, "overlook bodies without Content-Length, as the real front end does")
	flags.BoolVar(&s.manners.proxyHeaders, "proxy-headers", false, "let links follow X-Forwarded-Proto and X-Forwarded-Host, in releases that can (2026.2)")
	flags.StringVar(&s.manners.publicEndpoint, "public-endpoint", "", "start links with that `URL`, not with the address that the client used")
	flags.StringVar(&s.manners.uuidSeed, "uuid-seed", "", "make the same ids in each run with that `text`; not with -state")
	flags.StringVar(&s.seed, "seed", "", "YAML `file` with hosts, devices and device profiles, \"example\" or \"recorded\"; without it the example")
	flags.StringVar(&s.faults, "faults", "", "YAML or JSON `file` with rules of faults")
	flags.StringVar(&s.state, "state", "", "`file` that keeps the state across restarts; once it is there -seed is not read")
	flags.StringVar(&s.clock, "clock", "", "`time` at which the objects' clock stands (2026-01-02T03:04:05Z), or by how much it is put forward or back (+24h, -90m)")

	flags.StringVar(&s.auth, "auth", authModes[0].name, "how callers are told apart, a `mode`: "+strings.Join(modeNames(), ", ")+"; with none everybody is admin")
	flags.StringVar(&s.tokens, "tokens", "", "YAML `file` with the tokens of -auth tokens or the users of -auth mini-keystone, or \"recorded\"")
	flags.DurationVar(&s.tokenLife, "token-life", minikeystone.DefaultTokenLife, "how long a token of -auth mini-keystone is good, a `time`")
	flags.StringVar(&s.cloudsFile, "clouds-file", "", "`file` to write the clouds.yaml of -auth mini-keystone to, with passwords; others may not read it")
	flags.StringVar(&s.keystone, "keystone", "", "`URL` of the Keystone of -auth keystone, such as http://127.0.0.1:5000")
	flags.StringVar(&s.keystoneCloud, "keystone-cloud", "", "`entry` of clouds.yaml with the account for -auth keystone; without it the OS_* variables")

	flags.StringVar(&s.placement, "placement", "", "Placement to report devices to: an `URL`, or \"embedded\" to serve one under "+embeddedPath)
	flags.StringVar(&s.placementToken, "placement-token", "", "`token` for the Placement at an URL; without it that of the account of -auth keystone")
	flags.DurationVar(&s.placementWait, "placement-wait", 30*time.Second, "how long the Placement at an URL may take to answer for the first `time`")
	flags.DurationVar(&s.reportInterval, "report-interval", 0, "let the agents report again and again, with that `time` in between; the real ones take 1m; without it only as the control API asks")
	flags.StringVar(&s.nova, "nova", "", "compute endpoint that gets events: an `URL` such as http://127.0.0.1:8774/v2.1; /v2.1 is added when it has no version")

	flags.StringVar(&s.manners.eventForm, "event-form", "", "`form` of events: profile (Train's), request or spec (that of Nova's specification); without it the release's")
	flags.BoolVar(&s.manners.carefulReports, "careful-reports", false, "play agents without the faults of the real ones")

	flags.IntVar(&s.journal.Entries, "journal-entries", 0, "how many exchanges the journal keeps, a `number`; 0 for 10000")
	flags.IntVar(&s.journal.Bytes, "journal-bytes", 0, "how many `bytes` of all bodies it keeps; 0 for 64 MiB")
	flags.IntVar(&s.journal.BodyBytes, "journal-body-bytes", 0, "how many `bytes` of one body it keeps; 0 for 64 KiB")
	flags.StringVar(&s.logFormat, "log-format", "text", "`form` of the log on standard error: text or json")
	flags.StringVar(&s.logLevel, "log-level", "info", "least `level` that is logged: debug, info, warn or error")
	flags.DurationVar(&s.shutdownWait, "shutdown-wait", 5*time.Second, "how long open requests have to finish after SIGTERM, a `time`")

	flags.StringVar(&s.check, "check", "", "ask the fake at that `URL`, or unix:PATH, whether it is ready; exit with 0 if so, with 1 if not")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
}

// errHelp says that help was asked for, and printed.
var errHelp = errors.New("help was asked for")

// parseFlags reads the command line, and the variables of environ for what it does
// not say. Help goes to stdout.
func parseFlags(args, environ []string, stdout io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("fakecyborg", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	s.define(flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return settings{}, cmp.Or(writeHelp(stdout, flags), errHelp)
	case err != nil:
		return settings{}, unknownFlag(flags, err)
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err := readEnvironment(flags, environ); err != nil {
		return settings{}, err
	}
	s.given = make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { s.given[f.Name] = true })
	return s, s.resolve()
}

// unknownFlag names flags that are spelled much like one that there is not.
func unknownFlag(flags *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	return fmt.Errorf("%w%s", err, didYouMean(name, flagNames(flags), "-"))
}

func flagNames(flags *flag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// versionText names this build and the release that it plays.
func versionText(release fakecyborg.Release) string {
	build := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		build = info.Main.Version
	}
	return fmt.Sprintf("fakecyborg %s, plays Cyborg %s (%s)", build, release.Version, release.Series)
}
