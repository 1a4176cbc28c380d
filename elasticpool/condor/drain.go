package condor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// idle is true for every slot of a worker on which no job runs or begins. condor_startd evaluates it at the moment it
// would begin to drain, so that no job can come in between.
const idle = `State =!= "Claimed" && State =!= "Preempting" && State =!= "Matched"`

// Drain lets a worker take no new jobs; when its jobs have ended its startd ends too, and it is warm again. With onlyIdle
// the worker itself refuses if a job runs on it: elasticpool.ErrBusy. Without it, a worker that would end its jobs
// before they are done is not drained (ErrEvicts) unless Config.Evict says so. To drain a worker that drains is no error.
func (p *Pool) Drain(ctx context.Context, worker elasticpool.Worker, onlyIdle bool) error {
	if err := named(worker.Name); err != nil {
		return err
	}
	args := []string{"-graceful", "-exit-on-completion", "-reason", "elasticpool"}
	if onlyIdle {
		args = append(args, "-check", idle)
	} else if err := p.checkRetirement(ctx, worker); err != nil {
		return err
	}
	err := p.run(ctx, call{op: "drain " + worker.Name, tool: "condor_drain", args: p.at(append(args, "slot1@"+worker.Name)...)})
	if err != nil && strings.Contains(err.Error(), "error code 10001") { // already in progress
		return nil
	}
	return err
}

// CancelDrain lets a draining worker take jobs again. If it has drained already and is warm, it is
// elasticpool.ErrNoWorker: it has to be joined.
func (p *Pool) CancelDrain(ctx context.Context, worker elasticpool.Worker) error {
	if err := named(worker.Name); err != nil {
		return err
	}
	return p.run(ctx, call{op: "cancel the drain of " + worker.Name, tool: "condor_drain", args: p.at("-cancel", "slot1@"+worker.Name)})
}

// checkRetirement refuses a drain that would end jobs. A drain gives a job MaxJobRetirementTime from its start on, and
// HTCondor's default for that is 0: a graceful drain then ends every job at once.
func (p *Pool) checkRetirement(ctx context.Context, worker elasticpool.Worker) error {
	if p.config.Evict {
		return nil
	}
	name, err := quote("@" + worker.Name)
	if err != nil {
		return err
	}
	op, limit, slots := "drain "+worker.Name, p.config.MinRetirement.D(), 0
	least := time.Duration(1<<63 - 1)
	c := call{op: op, tool: "condor_status", args: p.at("-af:V,", "State", "MaxJobRetirementTime", "RetirementTimeRemaining",
		"-constraint", "substr(Name, size(Name) - size("+name+")) == "+name)}
	c.read = func(output io.Reader) error {
		text, err := io.ReadAll(output)
		for line := range strings.Lines(string(text)) {
			slots++
			least = min(least, retirement(strings.Split(strings.TrimSpace(line), separator)))
		}
		return err
	}
	if err := p.run(ctx, c); err != nil {
		return err
	}
	switch {
	case slots == 0:
		return &Error{Op: op, Class: elasticpool.ErrNoWorker, Detail: "it has no slots"}
	case least < limit:
		return &Error{Op: op, Class: ErrEvicts, Detail: fmt.Sprintf(
			"its MaxJobRetirementTime leaves jobs %s, less than %s: set MAXJOBRETIREMENTTIME on the worker, or allow evict", least, limit)}
	}
	return nil
}

// retirement returns how long a slot lets its job run when it drains: a claimed one what is left of it.
func retirement(fields []string) time.Duration {
	if len(fields) != 3 {
		return 0
	}
	value := fields[1]
	if fields[0] == `"Claimed"` {
		value = fields[2]
	}
	seconds, ok := valueNumber(value)
	if !ok {
		return 0
	}
	return times(time.Second, seconds)
}
