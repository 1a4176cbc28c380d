package elasticpool

import "time"

// withDefaults returns the policy with the zero fields of its control set to their defaults, and what each VM takes
// counted.
func (p Policy) withDefaults() Policy {
	c := &p.Control
	orDuration(&c.Cycle, 15*time.Second)
	orDuration(&c.IdleTime, 10*time.Minute)
	orDuration(&c.Cooldown, 2*time.Minute)
	orDuration(&c.ShrinkWindow, 10*time.Minute)
	orDuration(&c.GrowBlind, 10*time.Minute)
	orDuration(&c.OrphanGrace, 30*time.Minute)
	orDuration(&c.AccountAge, 24*time.Hour)
	orNumber(&c.Ramp, 8)
	orNumber(&c.MaxInFlight, 64)
	orNumber(&c.MaxCreates, 32)
	orNumber(&c.ShrinkShare, 0.25)
	orNumber(&c.ShrinkMin, 10)
	orNumber(&c.ReclaimShare, 0.10)
	orNumber(&c.AgeBound, 1.5)
	orNumber(&c.KeepPart, 0.2)
	orNumber(&c.StaleAfter, 3)
	orNumber(&c.VanishShare, 0.45)
	orNumber(&c.Quarantine, 3)
	t := &c.Timeouts
	orDuration(&t.Request, time.Minute)
	orDuration(&t.Build, 15*time.Minute)
	orDuration(&t.Boot, 10*time.Minute)
	orDuration(&t.Join, 2*time.Minute)
	orDuration(&t.Drain, 7*24*time.Hour)
	orDuration(&t.Delete, 10*time.Minute)
	orNumber(&t.Least, 0.7) // so that a build has more than ten minutes however fast the others were
	orNumber(&t.Most, 2)
	orDuration(&c.Backoff.First, time.Minute)
	orDuration(&c.Backoff.Most, 30*time.Minute)

	queues := make([]Queue, len(p.Queues))
	for i, q := range p.Queues {
		orNumber(&q.Weight, 1)
		orDuration(&q.Reservation, 10*time.Minute)
		queues[i] = q
	}
	classes := make([]Class, len(p.Classes))
	for i, class := range p.Classes {
		class.Takes = class.Takes.Plus(Resources{VMs: 1 - class.Takes[VMs]})
		if class.Max > 0 {
			class.Takes[class.itself()] = 1 // its own limit is a resource of its cloud
		}
		if class.Price == 0 {
			class.Price = float64(max(class.Slot[CPUs], 1))
		}
		classes[i] = class
	}
	p.Queues, p.Classes = queues, classes
	return p
}

func orDuration(d *Duration, standard time.Duration) {
	if *d == 0 {
		*d = Duration(standard)
	}
}

func orNumber[N int | float64](n *N, standard N) {
	if *n == 0 {
		*n = standard
	}
}
