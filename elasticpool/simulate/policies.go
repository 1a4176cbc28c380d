package simulate

import (
	"fmt"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Names of policies.
const (
	Static  = "static"
	VCondor = "vcondor"
	Linear  = "linear"
	Oracle  = "oracle"
	Fair    = "fair"
)

// Policy decides what a pool does. *elasticpool.Controller is one. The lists of workers and servers in an input are
// written to again after the next decision.
type Policy interface {
	Decide(in elasticpool.Input) elasticpool.Decision
}

// Facts are what policies may know of the world besides what they are told each cycle.
type Facts struct {
	Pool     elasticpool.Policy               // queues, classes and clouds
	Capacity map[string]elasticpool.Resources // of the clouds
	Boot     time.Duration                    // mean, of a VM
	Seed     uint64                           // for policies that draw lots
	Start    time.Time                        // of the trace
	Trace    []Job                            // only the oracle looks at it
}

// PolicyNames returns the names that NewPolicy knows, the worst first.
func PolicyNames() []string { return []string{Static, VCondor, Linear, Fair, Oracle} }

// NewPolicy returns a new policy with that name.
func NewPolicy(name string, facts Facts) (Policy, error) {
	switch name {
	case Static:
		return newStatic(facts), nil
	case VCondor:
		return newVCondor(facts), nil
	case Linear:
		return newLinear(facts), nil
	case Oracle:
		return newOracle(facts), nil
	case Fair:
		return elasticpool.NewController(facts.Pool, elasticpool.State{Generation: 1})
	default:
		return nil, fmt.Errorf("%w: policy %q is unknown, the policies are %s", ErrConfig, name,
			strings.Join(PolicyNames(), ", "))
	}
}

// selfJoining is what policies are whose VMs serve the queue that they were made for as soon as they have booted.
type selfJoining interface{ joinsItself() bool }

// joinsItself tells whether VMs that the policy makes join by themselves.
func joinsItself(p Policy) bool {
	s, ok := p.(selfJoining)
	return ok && s.joinsItself()
}
