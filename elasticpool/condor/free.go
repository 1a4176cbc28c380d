package condor

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Free gives the jobs of a worker that is no more back to their queues: each schedd is asked to vacate exactly those that
// it believes to run there; jobs that run elsewhere meanwhile are not touched. Then the collector forgets the worker. It
// can be repeated.
//
// A job starts anew when its shadow has ended. That takes HTCondor 23.9 up to the job's lease (JobLeaseDuration, by
// default 40 minutes): a shadow that cannot reach its worker any more sleeps until then, whatever it is told. Its schedd
// ends it earlier where SHADOW_NOT_RESPONDING_TIMEOUT is shorter. Until then the job counts as running.
//
// To hold and release the jobs would show them idle at once, but no schedd starts a job whose shadow is there; and when
// the shadow ends the schedd does not notice that such a job can run, until its queue changes for another reason.
func (p *Pool) Free(ctx context.Context, worker elasticpool.Worker) error {
	if err := named(worker.Name); err != nil {
		return err
	}
	for _, name := range p.config.Schedds {
		if err := p.schedds[name].free(ctx, worker); err != nil {
			return err
		}
	}
	return p.forget(ctx, worker)
}

// free vacates the schedd's jobs on the worker. Where there are none condor_vacate_job fails, in the words in which it
// also says that it may not.
func (s *schedd) free(ctx context.Context, worker elasticpool.Worker) error {
	// A dot in brackets: whether a backslash must be doubled differs between HTCondor's own parsers.
	pattern := inQuotes("(^|@)" + strings.ReplaceAll(worker.Name, ".", "[.]") + "$")
	there := "(JobStatus == 2 || JobStatus == 6 || JobStatus == 7) && regexp(" + pattern + ", RemoteHost)"
	some, err := s.some(ctx, there)
	if err != nil || !some {
		return err
	}
	err = s.pool.run(ctx, call{
		op: "vacate jobs of " + worker.Name + " at schedd " + s.name, tool: "condor_vacate_job",
		args: s.pool.at("-name", s.name, "-fast", "-constraint", there),
	})
	if err != nil && strings.Contains(err.Error(), "Couldn't find/") {
		if some, again := s.some(ctx, there); again == nil && !some { // they have ended since they were seen
			return nil
		}
	}
	return err
}

// some tells whether the schedd has jobs of a constraint.
func (s *schedd) some(ctx context.Context, constraint string) (bool, error) {
	some := false
	c := s.query("jobs of a lost worker", "-constraint", constraint, "-attributes", "ClusterId", "-json")
	c.read = func(output io.Reader) error {
		return eachAd(output, func(ad) error {
			some = true
			return nil
		})
	}
	err := s.pool.run(ctx, c)
	return some, err
}

// forget takes the worker's ads out of the collector, which would keep them for a quarter of an hour.
func (p *Pool) forget(ctx context.Context, worker elasticpool.Worker) error {
	vm, err := quote(worker.VM)
	if err != nil {
		return err
	}
	for command, kind := range map[string]string{"INVALIDATE_STARTD_ADS": "Machine", "INVALIDATE_MASTER_ADS": "DaemonMaster"} {
		err := p.run(ctx, call{
			op: "forget " + worker.Name, tool: "condor_advertise", args: p.at(command, "-"),
			stdin: fmt.Sprintf("MyType = \"Query\"\nTargetType = %q\nRequirements = ElasticVM =?= %s\n", kind, vm),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
