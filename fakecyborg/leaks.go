package fakecyborg

import (
	"context"
	"fmt"
	"time"
)

// ErrorTB is the part of [testing.TB] that assertions need.
type ErrorTB interface {
	Helper()
	Errorf(format string, args ...any)
}

// settling is how long [Server.AssertNoLeaks] waits for exchanges whose client
// has gone to end on the server's side.
const settling = time.Second

// Leaks says what a test has left behind: accelerator requests, taken attach
// handles, exchanges and events in flight, binds and events that are still to
// come. A scope other than "" counts only what its requests made.
func (s *Server) Leaks(scope string) []string {
	leaks := s.store.leaks(scope)
	if open := s.journal.InFlight(scope); open > 0 {
		leaks = append(leaks, fmt.Sprintf("%d exchanges or events are in flight", open))
	}
	if scope == "" {
		leaks = append(leaks, s.jobs.running()...)
	}
	return leaks
}

func (s *store) leaks(scope string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var leaks []string
	owned := make(map[*handle]bool)
	for a := range s.arqs.all {
		if a.handle != nil {
			owned[a.handle] = true
		}
		if scope != "" && a.scope != scope {
			continue
		}
		text := fmt.Sprintf("ARQ %s of profile %s is left, %s", a.uuid, a.profile.name, a.state)
		if a.instance != nil {
			text += fmt.Sprintf(", instance %s on host %s", *a.instance, *a.hostname)
		}
		leaks = append(leaks, text)
	}
	for d := range s.deployables.all {
		for i, h := range d.handles {
			if h.inUse && !owned[h] && scope == "" {
				leaks = append(leaks, fmt.Sprintf("attach handle %d of %s is taken by nobody", i+1, d.Name))
			}
		}
	}
	return leaks
}

// AssertNoLeaks fails the test for everything that [Server.Leaks] finds, and says
// whether there was nothing. Exchanges whose client has gone get a second to end.
func (s *Server) AssertNoLeaks(tb ErrorTB) bool {
	tb.Helper()
	return s.AssertNoLeaksIn(tb, "")
}

// AssertNoLeaksIn is [Server.AssertNoLeaks] for what one scope left.
func (s *Server) AssertNoLeaksIn(tb ErrorTB, scope string) bool {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), settling)
	defer cancel()
	s.journal.Settle(ctx, scope)
	leaks := s.Leaks(scope)
	for _, leak := range leaks {
		tb.Errorf("fakecyborg: %s", leak)
	}
	return len(leaks) == 0
}
