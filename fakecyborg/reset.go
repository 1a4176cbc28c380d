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
	"github.com/novacyborg/novacyborg/placement"
)

// origin is the seed that a reset goes back to.
type origin struct {
	sync.Mutex
	seed  Seed
	place func(path string) string
	// trouble is why the seed that was loaded last is not reported, nil if it is.
	trouble error
}

// Load replaces everything by a seed, which is the one that [Server.Reset] goes
// back to from then on: nothing is left of what there was, rules of faults,
// journal, clock and what goes on in the background included. When the seed is
// wrong, nothing changes. With a Placement its devices are reported, and those
// that are not there any more are taken out; the error of what has allocations, and so
// stays, is placement.ErrInUse. Nothing changes either when Placement does not
// answer, or has no provider for a host without compute node. After any other
// failure of the report the server is not ready until a report succeeds.
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
	fresh, err := s.store.fresh(seed, place)
	if err != nil {
		return err
	}
	if err := s.reporter.expect(ctx, seed.Hosts); err != nil {
		return err
	}
	if err := s.replaceRows(ctx, fresh); err != nil {
		return err
	}
	s.store.clock.set(time.Time{}, 0)
	s.faults.Clear("")
	s.journal.Clear("")
	s.origin.Lock()
	s.origin.seed, s.origin.place = seed, place
	s.origin.Unlock()
	s.resumed.Store(seed.unreported())
	kept := s.keeper.keepAll()
	added, forgotten, reported := s.faults.Add(seed.Faults...), s.forgetHosts(ctx, seed), s.Report(ctx)
	if reported != nil && !errors.Is(reported, placement.ErrInUse) {
		s.unready(reported)
	}
	return errors.Join(kept, added, forgotten, reported)
}

// unready remembers why what was loaded is not reported.
func (s *Server) unready(trouble error) {
	s.origin.Lock()
	defer s.origin.Unlock()
	s.origin.trouble = trouble
	s.ready.Store(false)
}

// trouble is why the server is not ready, "" before the first report.
func (s *Server) trouble() string {
	s.origin.Lock()
	defer s.origin.Unlock()
	if s.origin.trouble == nil {
		return ""
	}
	return s.origin.trouble.Error()
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

// replaceRows ends what goes on and puts fresh rows in place of all that there are.
// When that does not end in time, nothing changes. What starts between with the old
// rows is cancelled afterwards, and finds its requests gone.
func (s *Server) replaceRows(ctx context.Context, fresh rows) error {
	if err := s.jobs.drop(ctx); err != nil {
		return err
	}
	s.reports.Lock()
	s.store.mu.Lock()
	s.store.rows = fresh
	s.store.mu.Unlock()
	s.reports.Unlock()
	s.jobs.cancel()
	return nil
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

// fresh are the rows that a seed makes; the store stays as it is.
func (s *store) fresh(seed Seed, place func(string) string) (rows, error) {
	s.mu.Lock() // the source of uuids needs it
	defer s.mu.Unlock()
	fresh := &store{release: s.release, uuids: s.uuids, clock: s.clock, careful: s.careful, rows: newRows()}
	l := loader{store: fresh, place: place}
	err := l.load(seed)
	return fresh.rows, err
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
