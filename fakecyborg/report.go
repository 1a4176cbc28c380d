package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// WithCarefulReports plays a Cyborg without the faults that the real one has in
// its reports: [driver.CompareCarefully] instead of [driver.Compare]; attributes
// that were made through the API stay; a device that vanished while requests have
// it is only taken off the market, and is back on it when it is found again; a
// function id with dashes becomes a trait that Placement takes, see
// [driver.PlainFunctionTrait]; one device's trouble does not stop the others.
func WithCarefulReports() Option {
	return func(c *config) error {
		c.careful = true
		return nil
	}
}

// WithReportInterval makes the agents report again and again, with that time
// between the end of a report and the next one; the real ones take a minute.
// Without it reports are made by [Server.Report] and [Server.Discover] only. What
// fails is logged. [Server.Close] ends it.
func WithReportInterval(interval time.Duration) Option {
	return func(c *config) error {
		if interval <= 0 {
			return fmt.Errorf("with report interval: %s, want more than 0", interval)
		}
		c.reportInterval = interval
		return nil
	}
}

// periodically starts the reports of the agents. They end with the server, not
// with the context of the one who makes it.
func (s *Server) periodically(interval time.Duration) {
	s.silence = func() {}
	if interval == 0 {
		return
	}
	life := newGeneration()
	life.wait.Go(func() { s.reportAgain(life.ctx, interval) })
	s.silence = func() {
		life.cancel()
		life.wait.Wait()
	}
}

// reportAgain reports until the context ends.
// It mirrors cyborg/agent/manager.py:AgentManager.update_available_resource.
func (s *Server) reportAgain(ctx context.Context, interval time.Duration) {
	for sleep(ctx, interval) {
		if err := s.Report(ctx); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "periodic report", "error", err)
		}
	}
}

// Report is [Server.Discover] for all hosts of the seed, and takes those out of
// Placement that an earlier seed had; one that fails does not keep the others from
// reporting. It can be called again at any time, also by a server that was started
// anew. The server counts as ready once all hosts have reported, also where something
// stays that has allocations (placement.ErrInUse). Until a report of a server that took its state from a file, or a
// seed with vanished devices or attributes made through the API, has succeeded, it
// changes nothing but Placement on hosts without [WithDriver].
func (s *Server) Report(ctx context.Context) error {
	s.store.mu.RLock()
	hosts, progress := s.store.seed.Hosts, s.store.progress
	s.store.mu.RUnlock()
	failed := []error{s.forgetHosts(ctx)}
	for _, host := range hosts {
		failed = append(failed, s.reportHost(ctx, host.Name, true))
	}
	err := errors.Join(append(failed, s.keeper.keep())...)
	progress.note(err)
	return err
}

// Discover is one report of a host's agent: it asks the host's drivers for their
// devices, writes what is different into Cyborg's tables, and makes Placement,
// where there is one, have a provider for each deployable below that of the host.
// The host's own provider is written first if the seed describes a compute node.
//
// It does so with the faults of the real one, see [driver.Compare], or without, see
// [WithCarefulReports]. Attributes that were made through the API go. A device that
// vanished goes, but not if its provider has allocations, and of its attach handles
// only those before the first one that an accelerator request has: such a request
// stays Bound, what is left of the device stays, the rest of the report is not
// carried out, and this is an error of [ErrHandleInUse] or placement.ErrInUse,
// at each report again. What others changed of the providers stays and is an error too.
// The error is of [ErrNoHost] for a host that is not in the seed.
func (s *Server) Discover(ctx context.Context, host string) error {
	return errors.Join(s.reportHost(ctx, host, false), s.keeper.keep())
}

// reportHost reports one host, by itself or together with all others.
func (s *Server) reportHost(ctx context.Context, name string, all bool) error {
	if err := s.tryReport(ctx, name, all); err != nil {
		return fmt.Errorf("report host %s: %w", name, err)
	}
	return nil
}

func (s *Server) tryReport(ctx context.Context, name string, all bool) error {
	for {
		drivers, host, err := s.agent(name)
		if err != nil {
			return err
		}
		found, err := drivers.discover(ctx)
		if err != nil {
			return err
		}
		if done, err := s.conductFor(ctx, drivers, host, found, all); done {
			return err
		}
	}
}

// conductFor carries out a report, unless another seed was loaded since the
// devices were found.
func (s *Server) conductFor(ctx context.Context, drivers fleet, host Host, found []driver.Device, all bool) (done bool, err error) {
	s.reports.Lock()
	defer s.reports.Unlock()
	if now, err := s.Machine(host.Name); err != nil || now != drivers[0] {
		return false, nil
	}
	s.store.mu.RLock()
	untouched := all && s.store.progress.isUntouched()
	s.store.mu.RUnlock()
	return true, s.conduct(ctx, host, found, untouched)
}
