package condor

import (
	"context"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Pool is an HTCondor pool, reached by HTCondor's own command line. It is an elasticpool.BatchSystem.
type Pool struct {
	config   Config
	requests []request
	schedds  map[string]*schedd
	slots    glance
}

var _ elasticpool.BatchSystem = (*Pool)(nil)

// New returns the pool that config describes. It runs nothing yet.
func New(config Config) (*Pool, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	p := &Pool{config: config, requests: requestsOf(config), schedds: map[string]*schedd{}}
	for _, name := range config.Schedds {
		p.schedds[name] = &schedd{pool: p, name: name}
	}
	return p, nil
}

// Sources returns the pool's schedds by name: each is a source of jobs that can fail on its own.
func (p *Pool) Sources() map[string]elasticpool.JobSource {
	sources := make(map[string]elasticpool.JobSource, len(p.schedds))
	for name, s := range p.schedds {
		sources[name] = s
	}
	return sources
}

// Jobs returns the jobs of all schedds. One that does not answer is an error; use Sources to go on with the others.
func (p *Pool) Jobs(ctx context.Context) ([]elasticpool.JobGroup, error) {
	var all []elasticpool.JobGroup
	for _, name := range p.config.Schedds {
		groups, err := p.schedds[name].Jobs(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, groups...)
	}
	return all, nil
}

// at puts the address of the pool before the arguments.
func (p *Pool) at(args ...string) []string {
	if p.config.Collector == "" {
		return args
	}
	return append([]string{"-pool", p.config.Collector}, args...)
}
