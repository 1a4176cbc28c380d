package condor

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Free gives the jobs of a worker that is no more back to their queues: the schedd would believe for 40 minutes that
// they run (JobLeaseDuration). Each schedd is asked to hold and release exactly those that it believes to run there;
// jobs that run elsewhere meanwhile are not touched. Then the collector forgets the worker. It can be repeated, also
// after it was cut off between holding and releasing.
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

// lostSubCode marks jobs that were held to be released: HoldReasonSubCode.
const lostSubCode = "7823"

// free holds and releases the schedd's jobs on the worker.
func (s *schedd) free(ctx context.Context, worker elasticpool.Worker) error {
	// A dot in brackets: whether a backslash must be doubled differs between HTCondor's own parsers.
	pattern := inQuotes("(^|@)" + strings.ReplaceAll(worker.Name, ".", "[.]") + "$")
	reason := "elasticpool: worker " + worker.Name + " is lost"
	quoted, err := quote(reason)
	if err != nil {
		return err
	}
	running := "(JobStatus == 2 || JobStatus == 6 || JobStatus == 7) && regexp(" + pattern + ", RemoteHost)"
	held := "JobStatus == 5 && HoldReasonSubCode =?= " + lostSubCode + " && substr(HoldReason, 0, " + strconv.Itoa(len(reason)) + ") == " + quoted
	if err := s.change(ctx, "condor_hold", running, "-reason", reason, "-subcode", lostSubCode); err != nil {
		return err
	}
	return s.change(ctx, "condor_release", held)
}

// change runs condor_hold or condor_release on the jobs of a constraint, if there are any: without any both fail.
func (s *schedd) change(ctx context.Context, tool, constraint string, args ...string) error {
	some := false
	c := s.query("jobs of a lost worker", "-constraint", constraint, "-attributes", "ClusterId", "-json")
	c.read = func(output io.Reader) error {
		return eachAd(output, func(ad) error {
			some = true
			return nil
		})
	}
	if err := s.pool.run(ctx, c); err != nil || !some {
		return err
	}
	at := s.pool.at("-name", s.name)
	err := s.pool.run(ctx, call{
		op: tool + " at schedd " + s.name, tool: tool, args: append(append(at, args...), "-constraint", constraint),
	})
	if err != nil && strings.Contains(err.Error(), "Couldn't find/") { // they have ended or moved since they were seen
		return nil
	}
	return err
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
