package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	faults "github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// Load replaces everything by a seed, which is the one that [Server.Reset] goes
// back to from then on: nothing is left of what there was, rules of faults,
// journal, clock and what goes on in the background included. When the seed is
// wrong, nothing changes. With a Placement its devices are reported, and those
// that are not there any more are taken out; the error of what has allocations, and so
// stays, is placement.ErrInUse. Nothing changes either when Placement does not
// answer, or has no provider for a host without compute node. After any other
// failure of the report the server is not ready until a report succeeds.
//
// Binds under way are cancelled and waited for. When the context ends before they do
// they are cancelled nevertheless, and all else stays as it was. Seeds are loaded one after
// the other.
func (s *Server) Load(ctx context.Context, seed Seed) error {
	return s.replace(ctx, func() (Seed, func(string) string) { return seed, seedPlace })
}

// Reset goes back to the seed: see [Server.Load].
func (s *Server) Reset(ctx context.Context) error {
	return s.replace(ctx, func() (Seed, func(string) string) {
		s.store.mu.RLock()
		defer s.store.mu.RUnlock()
		return s.store.seed, s.store.place
	})
}

// replace loads the seed that wanted names once it is its turn.
func (s *Server) replace(ctx context.Context, wanted func() (Seed, func(string) string)) error {
	select {
	case s.loading <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for another seed to be loaded: %w", ctx.Err())
	}
	defer func() { <-s.loading }()
	fresh, err := s.fresh(wanted())
	if err != nil {
		return err
	}
	if err := s.reporter.expect(ctx, fresh.seed.Hosts); err != nil {
		return err
	}
	if err := s.replaceRows(ctx, fresh); err != nil {
		return err
	}
	s.journal.Clear("")
	kept, reported := s.keeper.keepAll(), s.Report(ctx)
	fresh.progress.unready(reported)
	return errors.Join(kept, reported)
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

// replaceRows ends what goes on and puts fresh rows in place of all that there are,
// with the rules and the clock that belong to them: nobody sees a part of both.
// What starts between with the old rows is cancelled afterwards, and finds its
// requests gone.
func (s *Server) replaceRows(ctx context.Context, fresh rows) error {
	if err := s.jobs.drop(ctx); err != nil {
		return err
	}
	defer s.jobs.cancel()
	s.reports.Lock()
	defer s.reports.Unlock()
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if err := s.faults.Replace(fresh.seed.Faults...); err != nil {
		return err
	}
	s.store.rows = fresh
	s.store.clock.set(time.Time{}, 0)
	return nil
}

// forgetHosts takes the hosts out of Placement that were reported and are not in
// the seed.
func (s *Server) forgetHosts(ctx context.Context) error {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.store.mu.RLock()
	hosts := s.store.seed.Hosts
	s.store.mu.RUnlock()
	var failed []error
	for _, name := range s.reporter.hosts() {
		if slices.ContainsFunc(hosts, func(host Host) bool { return host.Name == name }) {
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

// fresh are the rows that a seed makes; all stays as it is.
func (s *Server) fresh(seed Seed, place func(string) string) (rows, error) {
	if err := checkFaults(seed.Faults, place); err != nil {
		return rows{}, err
	}
	made, err := s.store.fresh(seed, place)
	if err != nil {
		return rows{}, err
	}
	made.progress = s.newProgress(seed.unreported())
	if s.keeper != nil {
		made.seedText, err = seed.text()
	}
	return made, err
}

// newProgress is the progress of what was not reported yet.
func (s *Server) newProgress(untouched bool) *progress {
	return &progress{ready: s.reporter.client == nil, untouched: untouched}
}

func (s *store) fresh(seed Seed, place func(string) string) (rows, error) {
	s.mu.Lock() // the source of uuids needs it
	defer s.mu.Unlock()
	fresh := &store{release: s.release, uuids: s.uuids, clock: s.clock, careful: s.careful, changed: s.changed, rows: newRows()}
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
		err = c.server.replace(c.Context(), func() (Seed, func(string) string) { return seed, place })
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
