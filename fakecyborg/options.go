package fakecyborg

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
	"github.com/novacyborg/novacyborg/placement"
)

// Option changes what [New] and [Start] make. An option that is given a useless
// value makes them return an error.
type Option func(*config) error

// config is what the options collect.
type config struct {
	release Release
	seed    Seed
	place   func(path string) string
	// seeder and identifier name the options that gave the seed and the authenticator, ""
	// for none.
	seeder, identifier string
	placement          *placement.Client
	nova               string
	events             chan<- Event
	novaTransport      http.RoundTripper
	logger             *slog.Logger
	authenticator      Authenticator
	newPolicies        bool
	images             driver.Images
	drivers            map[string][]driver.Driver
	careful            bool
	reportInterval     time.Duration
	mount              Mount
	front              front
	eventForm          *EventForm
	noNova             bool
	random             io.Reader
	journal            journal.Limits
	clock              *clock
	stateFile          string
	// oddities are what is strange about tokens, for the log.
	oddities []string
}

func newConfig(opts []Option) (*config, error) {
	c := &config{
		release:       Newest(),
		place:         seedPlace,
		logger:        slog.New(slog.DiscardHandler),
		authenticator: noAuth{},
		clock:         &clock{base: time.Now},
		drivers:       make(map[string][]driver.Driver),
	}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("option %d is nil", i)
		}
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	for _, odd := range c.oddities {
		c.logger.Warn("tokens", "odd", odd)
	}
	return c, nil
}

// seedPlace names a place in a seed that came from no file.
func seedPlace(path string) string { return "seed: " + path }

// WithRelease makes the server play that release of Cyborg; the default is [Newest].
func WithRelease(release Release) Option {
	return func(c *config) error {
		if release.MaxMicroversion < 0 {
			return fmt.Errorf("release %s: maximum microversion 2.%d is below 2.0", release.Series, release.MaxMicroversion)
		}
		c.release = release.copied()
		return nil
	}
}

// WithNewPolicies plays a Cyborg with the setting enforce_new_defaults = True of
// its policies, which the release does not ship.
func WithNewPolicies() Option {
	return func(c *config) error {
		c.newPolicies = true
		return nil
	}
}

// policies are those that are in force.
func (c *config) policies() Policies {
	if c.newPolicies {
		return c.release.NewPolicies
	}
	return c.release.Policies
}

// WithSeed fills the server with hosts, devices and device profiles. A server has one
// seed: there can be one of WithSeed, [WithSeedFile], [WithSeedYAML] and
// [WithPresetSeed].
func WithSeed(seed Seed) Option {
	return func(c *config) error { return c.takeSeed("with seed", seed, seedPlace) }
}

// takeSeed takes the seed of an option, unless there is one already.
func (c *config) takeSeed(option string, seed Seed, place func(path string) string) error {
	if c.seeder != "" {
		return fmt.Errorf("%s: there is a seed already, %s: give one of them", option, c.seeder)
	}
	c.seeder, c.seed, c.place = option, seed, place
	return nil
}

// WithSeedFile fills the server from a YAML file. The file is strict: unknown
// keys, repeated keys and values of the wrong kind are errors of type
// [*SeedError] that name file, line and key. Aliases may repeat some thousand
// values, not more.
func WithSeedFile(path string) Option {
	return func(c *config) error {
		data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
		if err != nil {
			return fmt.Errorf("read seed: %w", err)
		}
		return WithSeedYAML(path, data)(c)
	}
}

// WithSeedYAML is [WithSeedFile] for a file that was read already, or embedded;
// name is what errors call it, and files that the seed names are relative to its
// directory.
func WithSeedYAML(name string, data []byte) Option {
	return func(c *config) error {
		seed, place, err := parseSeed(name, data, filepath.Dir(name))
		if err != nil {
			return err
		}
		return c.takeSeed("with seed "+name, seed, place)
	}
}

// WithPlacement makes [Server.Report], and with it [Start], report the seed's
// hosts and devices into that Placement.
func WithPlacement(client *placement.Client) Option {
	return func(c *config) error {
		if client == nil {
			return errors.New("with placement: no client")
		}
		c.placement = client
		return nil
	}
}

// WithNova posts events to that compute endpoint, for example
// "http://127.0.0.1:8774/v2.1"; /os-server-external-events is appended.
func WithNova(endpoint string) Option {
	return func(c *config) error {
		if err := checkURL(endpoint); err != nil {
			return fmt.Errorf("with nova: the endpoint %w", err)
		}
		c.nova = strings.TrimRight(endpoint, "/")
		return nil
	}
}

// WithoutNova plays a cloud that has no compute service: every bind ends as a 500
// although its requests are Bound.
func WithoutNova() Option {
	return func(c *config) error {
		c.noNova = true
		return nil
	}
}

// WithEvents sends every event into that channel. The bind that causes an event
// waits until it is received, or until its request ends; give the channel a
// buffer when binder and receiver are one goroutine.
func WithEvents(events chan<- Event) Option {
	return func(c *config) error {
		if events == nil {
			return errors.New("with events: no channel")
		}
		c.events = events
		return nil
	}
}

// WithNovaTransport carries the posts to Nova of [WithNova], and nothing else;
// the default is net/http's.
func WithNovaTransport(transport http.RoundTripper) Option {
	return func(c *config) error {
		if transport == nil {
			return errors.New("with nova transport: no transport")
		}
		c.novaTransport = transport
		return nil
	}
}

// WithLogger logs each exchange and each event; the default is silence.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		if logger == nil {
			return errors.New("with logger: no logger")
		}
		c.logger = logger
		return nil
	}
}

// WithUUIDs takes the random bytes of all UUIDs of objects from that reader, so
// that a run can be repeated to the byte; a creation fails when the reader ends.
// Request ids stay random.
func WithUUIDs(random io.Reader) Option {
	return func(c *config) error {
		if random == nil {
			return errors.New("with uuids: no reader")
		}
		c.random = random
		return nil
	}
}
