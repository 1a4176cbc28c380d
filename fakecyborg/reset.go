package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// origin is the seed that a reset goes back to.
type origin struct {
	sync.Mutex
	seed  Seed
	place func(path string) string
}

// Load replaces everything by a seed, which is the one that [Server.Reset] goes
// back to from then on: nothing is left of what there was, rules of faults,
// journal, clock and what goes on in the background included. When the seed is
// wrong, nothing changes. With a Placement its devices are reported, and those
// that are not there any more are taken out; the error of what has allocations, and so
// stays, is placement.ErrInUse.
func (s *Server) Load(ctx context.Context, seed Seed) error {
	return s.replace(ctx, seed, seedPlace)
}

// Reset goes back to the seed: see [Server.Load].
func (s *Server) Reset(ctx context.Context) error {
	s.origin.Lock()
	seed, place := s.origin.seed, s.origin.place
	s.origin.Unlock()
	return s.replace(ctx, seed, place)
}

func (s *Server) replace(ctx context.Context, seed Seed, place func(string) string) error {
	if err := checkFaults(seed.Faults, place); err != nil {
		return err
	}
	s.jobs.drop()
	if err := s.replaceRows(seed, place); err != nil {
		return err
	}
	s.store.clock.set(time.Time{}, 0)
	s.faults.Clear("")
	s.journal.Clear("")
	s.origin.Lock()
	s.origin.seed, s.origin.place = seed, place
	s.origin.Unlock()
	s.resumed.Store(seed.unreported())
	s.keeper.keepAll()
	return errors.Join(s.faults.Add(seed.Faults...), s.forgetHosts(ctx, seed), s.Report(ctx))
}

// unreported tells whether a report would change at once what the seed says.
func (s Seed) unreported() bool {
	for _, host := range s.Hosts {
		for _, device := range host.Devices {
			if device.Vanished || len(device.Attributes) > 0 {
				return true
			}
		}
	}
	return false
}

func (s *Server) replaceRows(seed Seed, place func(string) string) error {
	s.reports.Lock()
	defer s.reports.Unlock()
	return s.store.replace(seed, place)
}

// forgetHosts takes the hosts out of Placement that were reported and are not in
// the seed.
func (s *Server) forgetHosts(ctx context.Context, seed Seed) error {
	s.reports.Lock()
	defer s.reports.Unlock()
	var failed []error
	for _, name := range s.reporter.hosts() {
		if slices.ContainsFunc(seed.Hosts, func(host Host) bool { return host.Name == name }) {
			continue
		}
		if err := s.reporter.forget(ctx, name); err != nil {
			failed = append(failed, fmt.Errorf("forget host %s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

// checkFaults tries the rules of a seed.
func checkFaults(rules []faults.Rule, place func(string) string) error {
	err := faults.NewSet(operations()...).Add(rules...)
	if wrong, ok := errors.AsType[*faults.Error](err); ok {
		return &SeedError{Place: place("faults" + wrong.Place), Err: wrong.Err}
	}
	return err
}

// replace fills the store anew; when the seed is wrong, it stays as it is.
func (s *store) replace(seed Seed, place func(string) string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := &store{release: s.release, uuids: s.uuids, clock: s.clock, careful: s.careful, rows: newRows()}
	l := loader{store: fresh, place: place}
	if err := l.load(seed); err != nil {
		return err
	}
	s.rows = fresh.rows
	return nil
}

// replaceSeed takes a seed in YAML or JSON.
func (c *controlCall) replaceSeed() controlAnswer {
	data, refusal := c.read()
	if refusal != nil {
		return *refusal
	}
	seed, place, err := parseSeed("body", data, "")
	if err == nil {
		err = c.server.replace(c.Context(), seed, place)
	}
	return replaced(err)
}

// reset goes back to the seed, or to nothing.
func (c *controlCall) reset() controlAnswer {
	switch to := c.query.Get("to"); to {
	case "", "seed":
		return replaced(c.server.Reset(c.Context()))
	case "empty":
		return replaced(c.server.Load(c.Context(), Seed{}))
	default:
		return refuseControl(http.StatusBadRequest, "query: to", fmt.Errorf("want seed or empty, got %q", to))
	}
}

// replaced tells a wrong seed from a Placement that does not take it.
func replaced(err error) controlAnswer {
	if err == nil {
		return noContent()
	}
	if _, wrong := errors.AsType[*SeedError](err); wrong {
		return refuseInput(err)
	}
	return refuseControl(http.StatusBadGateway, "", err)
}
