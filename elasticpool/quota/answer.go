package quota

import "math"

// Answer is how a queue stands. All numbers are VMs.
type Answer struct {
	// Queue is the queue as it is configured, or as it was asked for when it is unknown.
	Queue string `json:"queue"`
	// Min and Max are floor and ceiling; without a ceiling Max is the capacity.
	Min int `json:"min"`
	Max int `json:"max"`
	// Available is what may be launched now: what a new lease would get, or, in the answer to Ask, what the lease got.
	Available int `json:"available"`
	// Used are the VMs that run, Leased the ones promised besides, Fair the target that Share gave.
	Used   int `json:"used"`
	Leased int `json:"leased"`
	Fair   int `json:"fair"`
}

// leased adds up the promised VMs of one queue and of all.
func (l *Ledger) leased(queue string) (own, all int) {
	for _, le := range l.leases {
		all += le.Units
		if le.Queue == queue {
			own += le.Units
		}
	}
	return own, all
}

// room is how many VMs the queue may still be promised, 0 when it is over a limit.
func (l *Ledger) room(q LedgerQueue) int {
	own, all := l.leased(q.Name)
	used, everybody := l.running[q.Name], 0
	for _, n := range l.running {
		everybody += n
	}
	ceiling := q.Max
	if ceiling == NoMax {
		ceiling = math.MaxInt
	}
	return max(0, min(ceiling-used-own, l.fair[q.Name]-used-own, l.capacity-everybody-all))
}

// answer tells how the queue stands.
func (l *Ledger) answer(q LedgerQueue) Answer {
	own, _ := l.leased(q.Name)
	a := Answer{
		Queue: q.Name, Min: q.Min, Max: q.Max, Available: l.room(q),
		Used: l.running[q.Name], Leased: own, Fair: l.fair[q.Name],
	}
	if q.Max == NoMax {
		a.Max = max(0, l.capacity)
	}
	return a
}
