package elasticpool

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// PolicyError is one thing that is wrong with a policy.
type PolicyError struct {
	Path    []any  // keys and indexes from the root of the policy: queues, 1, weight
	Message string // what is wrong, and what to do
}

func (e *PolicyError) Error() string {
	var path strings.Builder
	for _, step := range e.Path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&path, "[%d]", step)
		default:
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			fmt.Fprint(&path, step)
		}
	}
	return path.String() + ": " + e.Message
}

// poolName is what a pool may be called: it becomes part of server names and of host names.
var poolName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

// check collects what is wrong.
type check struct{ errs []error }

func (c *check) that(ok bool, message string, path ...any) {
	if !ok {
		c.errs = append(c.errs, &PolicyError{Path: path, Message: message})
	}
}

// Validate returns every fault of the policy, each a *PolicyError.
func (p Policy) Validate() error {
	var c check
	c.that(poolName.MatchString(p.Pool), fmt.Sprintf("%q is no name of a pool: use a lower-case letter, then letters, digits and dashes, at most 31", p.Pool), "pool")
	c.that(len(p.Queues) > 0, "there is no queue", "queues")
	c.that(len(p.Classes) > 0, "there is no class of VMs", "classes")
	c.that(len(p.Clouds) > 0, "there is no cloud", "clouds")
	p.validateClouds(&c)
	p.validateClasses(&c)
	p.validateQueues(&c)
	p.Control.validate(&c)
	return errors.Join(c.errs...)
}

func (p Policy) validateClouds(c *check) {
	seen := map[string]bool{}
	for i, cloud := range p.Clouds {
		c.that(cloud.Name != "", "a cloud needs a name", "clouds", i, "name")
		c.that(!seen[cloud.Name], fmt.Sprintf("two clouds are called %s", cloud.Name), "clouds", i, "name")
		seen[cloud.Name] = true
		c.amounts(cloud.Max, "clouds", i, "max")
		c.taken(p, cloud.Max, cloud.Name, "clouds", i, "max")
	}
}

func (p Policy) validateClasses(c *check) {
	seen := map[string]bool{}
	for i, class := range p.Classes {
		c.that(class.Name != "", "a class needs a name", "classes", i, "name")
		c.that(!seen[class.Name], fmt.Sprintf("two classes are called %s", class.Name), "classes", i, "name")
		seen[class.Name] = true
		c.that(slices.ContainsFunc(p.Clouds, func(cloud Cloud) bool { return cloud.Name == class.Cloud }),
			fmt.Sprintf("there is no cloud %q", class.Cloud), "classes", i, "cloud")
		c.that(class.Slot[CPUs] > 0, "say what its worker offers: cpus at least", "classes", i, "slot")
		c.amounts(class.Slot, "classes", i, "slot")
		c.amounts(class.Takes, "classes", i, "takes")
		c.that(class.Price >= 0 && class.Price <= math.MaxInt32, "a price is a number that is not negative", "classes", i, "price")
		c.that(class.Max >= 0, "a limit is not negative", "classes", i, "max")
		b := class.Buffer
		c.that(b.Min >= 0 && b.Stopped >= 0 && b.Max >= b.Min, "a buffer has 0 <= min <= max", "classes", i, "buffer")
		least := p.Control.Timeouts.Boot + p.Control.Timeouts.Join
		c.that(class.Lifetime == 0 || class.Lifetime >= least, fmt.Sprintf("a VM that lives for less than %s is of no use", least), "classes", i, "lifetime")
		for resource := range class.Devices {
			c.that(class.Slot[resource] > 0, fmt.Sprintf("the slot has no %s that could have properties", resource), "classes", i, "devices", resource)
			_, err := deviceAd(class.Devices[resource])
			c.that(err == nil, fmt.Sprint(err), "classes", i, "devices", resource)
		}
	}
}

func (p Policy) validateQueues(c *check) {
	seen := map[string]bool{}
	for i, q := range p.Queues {
		c.that(q.Name != "", "a queue needs a name", "queues", i, "name")
		c.that(!seen[q.Name], fmt.Sprintf("two queues are called %s", q.Name), "queues", i, "name")
		seen[q.Name] = true
		c.that(q.Weight >= 0 && q.Weight <= math.MaxInt32, "a weight is more than 0", "queues", i, "weight")
		c.that(q.Lower >= 0, "a threshold is not negative", "queues", i, "lower")
		c.that(q.Upper >= 0, "a threshold is not negative; leave it out for none", "queues", i, "upper")
		c.that(q.Upper == 0 || q.Lower <= q.Upper, fmt.Sprintf("the lower threshold %d is above the upper %d", q.Lower, q.Upper), "queues", i, "lower")
		c.taken(p, q.LowerOf, "", "queues", i, "lower_of")
		c.taken(p, q.UpperOf, "", "queues", i, "upper_of")
		c.amounts(q.LowerOf, "queues", i, "lower_of")
		c.amounts(q.UpperOf, "queues", i, "upper_of")
		c.that(q.Reservation >= 0, "a time is not negative", "queues", i, "reservation")
		for j, name := range q.Classes {
			c.that(slices.ContainsFunc(p.Classes, func(class Class) bool { return class.Name == name }),
				fmt.Sprintf("there is no class %q", name), "queues", i, "classes", j)
		}
	}
}

// taken finds bounds on resources that no class takes: they would bound nothing.
func (c *check) taken(p Policy, bounds Resources, cloud string, path ...any) {
	known := map[string]bool{VMs: true}
	for _, class := range p.Classes {
		if cloud == "" || class.Cloud == cloud {
			for resource := range class.Takes {
				known[resource] = true
			}
		}
	}
	for _, resource := range sortedKeys(bounds) {
		c.that(known[resource], fmt.Sprintf("no class takes %s: there are %s", resource, strings.Join(sortedKeys(known), ", ")), append(slices.Clone(path), resource)...)
	}
}

func (c *check) amounts(r Resources, path ...any) {
	for name, amount := range r {
		c.that(amount >= 0, "an amount is not negative", append(slices.Clone(path), name)...)
	}
}

func (k Control) validate(c *check) {
	for name, d := range map[string]Duration{
		"cycle": k.Cycle, "idle_time": k.IdleTime, "cooldown": k.Cooldown, "shrink_window": k.ShrinkWindow,
		"grow_blind": k.GrowBlind, "orphan_grace": k.OrphanGrace, "usage_half_life": k.AccountAge,
	} {
		c.that(d >= 0, "a time is not negative", "control", name)
	}
	for name, d := range map[string]Duration{
		"request": k.Timeouts.Request, "build": k.Timeouts.Build, "boot": k.Timeouts.Boot, "join": k.Timeouts.Join,
		"drain": k.Timeouts.Drain, "delete": k.Timeouts.Delete, "lost": k.Timeouts.Lost,
	} {
		c.that(d >= 0, "a time is not negative", "control", "timeouts", name)
	}
	for name, share := range map[string]float64{
		"shrink_share": k.ShrinkShare, "reclaim_share": k.ReclaimShare, "vanish_share": k.VanishShare, "keep_part": k.KeepPart,
	} {
		c.that(share >= 0 && share <= 1, "a share is between 0 and 1", "control", name)
	}
	c.that(k.AgeBound == 0 || k.AgeBound >= 1 && k.AgeBound <= 100, "the bound is between 1 (weights alone) and 100", "control", "age_bound")
	for name, n := range map[string]int{
		"ramp": k.Ramp, "max_in_flight": k.MaxInFlight, "max_creates": k.MaxCreates, "shrink_min": k.ShrinkMin,
		"stale_after": k.StaleAfter, "quarantine": k.Quarantine,
	} {
		c.that(n >= 0, "a number is not negative", "control", name)
	}
	t := k.Timeouts
	c.that(t.Least >= 0 && t.Least <= 1, "a learned time-out has a least part between 0 and 1 of the fixed one", "control", "timeouts", "least")
	c.that(t.Most == 0 || t.Most >= 1 && t.Most <= 1000, "a learned time-out is at most 1 to 1000 times the fixed one", "control", "timeouts", "most")
	k = Policy{Control: k}.withDefaults().Control // one of the two may be left to its default
	c.that(k.Backoff.First >= 0 && k.Backoff.Most >= k.Backoff.First, "a back-off has 0 <= first <= most", "control", "backoff")
}
