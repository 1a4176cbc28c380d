package elasticpool

import (
	"math"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// Ledger returns the ledger of leases, to serve it by a [quota.Server]. Each cycle it is told what the queues have and
// may have; what it grants is in the pool's journal before it is told to anybody.
func (p *Pool) Ledger() *quota.Ledger { return p.ledger }

// restoreLedger makes the ledger from what the journal says.
func (p *Pool) restoreLedger() error {
	ledger, err := quota.NewLedger(p.ledgerQueues(nil), func(event quota.Event) error { return p.store.append(entryLease, event) })
	if err != nil {
		return err
	}
	p.ledger = ledger
	var leases quota.Snapshot
	var after []quota.Event
	p.store.read(func(r *poolRecord) { leases, after = r.Leases, r.Leasing })
	if err := ledger.Restore(leases); err != nil {
		return err
	}
	for _, event := range after {
		if err := ledger.Replay(event); err != nil {
			return err
		}
	}
	return nil
}

// ledgerQueues returns the queues with the bounds that hold now.
func (p *Pool) ledgerQueues(views []QueueView) []quota.LedgerQueue {
	now := map[string]QueueView{}
	for _, view := range views {
		now[view.Name] = view
	}
	var list []quota.LedgerQueue
	for _, queue := range p.config.Policy.Queues {
		lower, upper := queue.Lower, queue.Upper
		if view, told := now[queue.Name]; told {
			lower, upper = view.Lower, view.Upper
		} else if upper == 0 {
			upper = quota.NoMax
		}
		if upper >= 0 {
			lower = min(lower, upper)
		}
		list = append(list, quota.LedgerQueue{Name: queue.Name, Min: int(lower), Max: int(upper), Reserve: queue.Reservation.D()})
	}
	return list
}

// leased returns what the ledger has promised.
func (p *Pool) leased() []Leased {
	var list []Leased
	for _, lease := range p.ledger.Leases() {
		list = append(list, Leased{Queue: lease.Queue, Class: lease.Class, Units: lease.Units})
	}
	return list
}

// lease tells the ledger what there is.
func (p *Pool) lease(in Input, decision Decision) {
	capacity := p.capacity(in)
	err := p.ledger.SetQueues(p.ledgerQueues(decision.Queues))
	if err == nil {
		err = p.ledger.Observe(in.Now, capacity, p.usage(in, decision.Queues, capacity))
	}
	if err != nil {
		p.options.logger.Error("the quota service keeps what it knew", "error", err)
	}
}

// usage returns what each queue has and may have. Those who make VMs on their own may have what is left beyond the shares
// of all queues, and in any case what the floor of their queue gives them.
func (p *Pool) usage(in Input, views []QueueView, capacity int) map[string]quota.Usage {
	own := map[string]int{}
	spare := capacity
	for _, lease := range in.Leases {
		own[lease.Queue] += lease.Units
		spare -= lease.Units
	}
	for _, view := range views {
		spare -= max(view.Target, view.Serving+view.Coming)
	}
	unmet := p.ledger.Unmet(in.Now)
	usage := map[string]quota.Usage{}
	for _, view := range views {
		running, more := view.Serving+view.Coming, min(unmet[view.Name], max(spare, 0))
		spare -= more
		fair := view.Target + own[view.Name] + more
		fair = max(fair, min(int(view.Lower), running+own[view.Name]+unmet[view.Name]))
		usage[view.Name] = quota.Usage{Running: running, Fair: fair}
	}
	return usage
}

// capacity is how many VMs the pool may have in all.
func (p *Pool) capacity(in Input) int {
	total := 0.0
	for _, cloud := range p.config.Policy.Clouds {
		may := p.classCapacity(cloud.Name)
		for _, limit := range []Resources{cloud.Max, in.Clouds[cloud.Name].Value.Limits.Total} {
			if vms, limited := limit[VMs]; limited {
				may = min(may, float64(vms))
			}
		}
		total += max(may, 0)
	}
	return int(min(total, math.MaxInt32))
}

// classCapacity is how many VMs the classes of a cloud allow.
func (p *Pool) classCapacity(cloud string) float64 {
	total := 0.0
	for _, class := range p.config.Policy.Classes {
		switch {
		case class.Cloud != cloud:
		case class.Max == 0:
			return math.Inf(1)
		default:
			total += float64(class.Max)
		}
	}
	return total
}
