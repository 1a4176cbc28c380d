package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
// wrong, nothing changes. With a Placement its devices are reported; those that
// are not there any more stay in Placement.
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
	if err := s.store.replace(seed, place); err != nil {
		return err
	}
	s.store.clock.set(time.Time{}, 0)
	s.faults.Clear("")
	s.journal.Clear("")
	s.origin.Lock()
	s.origin.seed, s.origin.place = seed, place
	s.origin.Unlock()
	s.reporter.follow(seed.Hosts)
	return errors.Join(s.faults.Add(seed.Faults...), s.Report(ctx))
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
	fresh := &store{release: s.release, uuids: s.uuids, clock: s.clock, rows: newRows()}
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
