package condor

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Workers returns the pool's workers and the age of the collector, all of one answer of it. A worker whose slots have
// not reported for two intervals is in the list, with nothing free.
func (p *Pool) Workers(ctx context.Context) (elasticpool.Workers, error) {
	found := newRoster(p, time.Now())
	mine := p.mine()
	c := call{op: "workers", tool: "condor_status", args: p.at(
		"-any", "-json", "-attributes", strings.Join(p.slotAttributes(), ","), "-constraint",
		`MyType == "Collector" || ((MyType == "Machine" || MyType == "DaemonMaster") && `+mine+`)`)}
	c.read = func(output io.Reader) error {
		return eachAd(output, func(a ad) error {
			found.add(a)
			return nil
		})
	}
	if err := p.run(ctx, c); err != nil {
		return elasticpool.Workers{}, err
	}
	if !found.collector {
		// Every collector knows itself. An empty answer that does not even tell of it is no answer.
		return elasticpool.Workers{}, &Error{Op: c.op, Class: ErrOutput, Detail: "the collector's own ad is missing"}
	}
	return elasticpool.Workers{List: found.list(), Since: found.since, Interval: p.config.Interval.D()}, nil
}

// mine returns the constraint for ads of this pool's workers.
func (p *Pool) mine() string {
	if p.config.Pool == "" {
		return "ElasticVM =!= undefined"
	}
	pool, _ := quote(p.config.Pool) // New has tried it
	return "ElasticVM =!= undefined && ElasticPool =?= " + pool
}

// slotAttributes are what is read of slots, masters and the collector.
func (p *Pool) slotAttributes() []string {
	attributes := []string{
		"MyType", "Name", "Machine", "ElasticVM", "ElasticQueue", "LastHeardFrom", "State", "Activity", "SlotType", "Draining",
		"DaemonStartTime", "EnteredCurrentActivity", "NumDynamicSlotsTime", "JobId", "JobStart", "GlobalJobId", "RemoteOwner", "AccountingGroup",
		"TotalDisk", "StatsLifetime", "StatsLastUpdateTime", p.config.Queue,
	}
	if p.config.Runtime != "" {
		attributes = append(attributes, p.config.Runtime)
	}
	for _, ask := range p.requests {
		attributes = append(attributes, ask.slot, "TotalSlot"+ask.slot, "Available"+ask.slot)
	}
	return attributes
}
