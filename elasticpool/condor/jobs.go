package condor

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// schedd is a source of jobs, with what is remembered of it between polls.
type schedd struct {
	pool *Pool
	name string

	mu     sync.Mutex // one poll at a time
	polls  int
	plain  int // polls that go without -group-by; forever: it does not know the option
	queued map[string]int64
	hidden []row // of the last look at the factories
}

const (
	forever    = 1 << 62
	plainPolls = 20 // after a poll whose requests the grouped query could not tell
)

// Jobs returns the jobs of the schedd: it implements elasticpool.JobSource.
func (s *schedd) Jobs(ctx context.Context) ([]elasticpool.JobGroup, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.visible(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.ages(ctx, found); err != nil {
		return nil, err
	}
	if err := s.factories(ctx); err != nil {
		return nil, err
	}
	for _, r := range s.hidden {
		found.add(r)
	}
	s.polls++
	return found.list(), nil
}

// visible counts the jobs that the schedd has: by groups that it makes itself if it can, which costs a fraction.
func (s *schedd) visible(ctx context.Context) (*tally, error) {
	if s.plain == 0 {
		found, whole, err := s.grouped(ctx)
		switch {
		case err == nil && whole:
			return found, nil
		case err == nil:
			s.plain = plainPolls
		case refused(err):
			s.plain = forever
		default:
			return nil, err
		}
	}
	s.plain--
	return s.ungrouped(ctx)
}

// refused tells whether an error is that condor_q does not know -group-by: an option that its usage does not name.
func refused(err error) bool {
	return strings.Contains(err.Error(), "-group-by") || strings.Contains(err.Error(), "Usage: condor_q")
}

const inQueue = "JobStatus =!= 3 && JobStatus =!= 4"

// query returns a call of condor_q. -name is never left out: with -pool alone condor_q asks the schedd of its own
// machine. Without -allusers it shows only one's own jobs.
func (s *schedd) query(what string, args ...string) call {
	at := s.pool.at("-name", s.name, "-allusers")
	return call{op: what + " of schedd " + s.name, tool: "condor_q", args: append(at, args...)}
}

// grouped lets the schedd sum up. whole is false when a request has no value that can be computed here.
func (s *schedd) grouped(ctx context.Context) (found *tally, whole bool, err error) {
	attributes := []string{s.pool.config.Queue, "JobStatus", "JobUniverse", "MinHosts"}
	for _, ask := range s.pool.requests {
		attributes = append(attributes, ask.attribute)
		if ask.require != "" {
			attributes = append(attributes, ask.require)
		}
	}
	if s.pool.config.Runtime != "" {
		attributes = append(attributes, s.pool.config.Runtime)
	}
	found, whole = s.pool.newTally(s.name), true
	c := s.query("jobs", "-group-by", "-attributes", strings.Join(attributes, ","), "-constraint", inQueue, "-json")
	c.read = func(output io.Reader) error {
		return eachAd(output, func(a ad) error {
			r, known, err := s.pool.rowOf(a)
			whole = whole && known
			found.add(r)
			return err
		})
	}
	err = s.pool.run(ctx, c)
	return found, whole, err
}

// ungrouped asks for every job, with values that condor_q has computed.
func (s *schedd) ungrouped(ctx context.Context) (*tally, error) {
	found := s.pool.newTally(s.name)
	c := s.query("jobs", append([]string{"-constraint", inQueue, "-af:V,"}, s.pool.columns("JobStatus", "QDate")...)...)
	c.read = func(output io.Reader) error {
		return s.pool.eachLine(output, func(r row, special [2]int64) error {
			r.status, r.queued, r.count = special[0], special[1], 1
			found.add(r)
			return nil
		})
	}
	return found, s.pool.run(ctx, c)
}

// factories counts the jobs that late materialisation still keeps back: now and then, and at every poll as long as
// there are any, because they become visible ones.
func (s *schedd) factories(ctx context.Context) error {
	if s.polls%s.pool.config.FactoryEvery != 0 && len(s.hidden) == 0 {
		return nil
	}
	var hidden []row
	c := s.query("factories", append([]string{"-factory", "-af:V,"},
		s.pool.columns("ifThenElse(JobMaterializePaused =?= undefined, 0, JobMaterializePaused)",
			"ifThenElse(JobMaterializeLimit =?= undefined, TotalSubmitProcs, JobMaterializeLimit) - JobMaterializeNextProcId")...)...)
	c.read = func(output io.Reader) error {
		return s.pool.eachLine(output, func(r row, special [2]int64) error {
			if paused, left := special[0], special[1]; paused == 0 && left > 0 {
				r.status, r.hidden, r.count, r.id = statusIdle, true, int(left), ""
				r.requires = slices.Clone(r.requires)
				r.amounts = slices.Clone(r.amounts)
				hidden = append(hidden, r)
			}
			return nil
		})
	}
	if err := s.pool.run(ctx, c); err != nil {
		return err
	}
	s.hidden = hidden
	return nil
}
