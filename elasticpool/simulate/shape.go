package simulate

import (
	"fmt"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Shape is what a generated trace looks like: users submit bags of like jobs, at gaps that are sometimes long and often
// short, more by day than by night and on weekends, and each queue at its own time of day.
type Shape struct {
	Kind string `json:"kind,omitempty"` // bursts (the default), or backlog: each queue could fill the pool all the time
	// Queues and their parts of the work; the default is LHAASO 45 %, JUNO 35 % and CEPC 20 %, which are their weights.
	Queues []QueueShape `json:"queues,omitempty"`
	Cores  int          `json:"cores,omitempty"` // of a VM: 1, or 8 with Multicore
	// Batches: their number of jobs is lognormal.
	BatchMedian float64 `json:"batch_median,omitempty"` // 400
	BatchSigma  float64 `json:"batch_sigma,omitempty"`  // 1.0
	BatchMost   int     `json:"batch_most,omitempty"`   // 2000
	GapShape    float64 `json:"gap_shape,omitempty"`    // 0.6: of the Weibull distribution of the gaps; 1 is Poisson
	// Runtimes are lognormal: one for each batch, and a little around it for its jobs.
	RuntimeMedian Duration `json:"runtime_median,omitempty"` // 45 min
	RuntimeSigma  float64  `json:"runtime_sigma,omitempty"`  // 0.7
	RuntimeSpread float64  `json:"runtime_spread,omitempty"` // 0.1
	RuntimeMost   Duration `json:"runtime_most,omitempty"`   // 48 h
	DayNight      float64  `json:"day_night,omitempty"`      // 0.6: from 0 (flat) to 1 (nothing at the quietest hour)
	Weekend       float64  `json:"weekend,omitempty"`        // 0.5: of the rate of other days
	Multicore     float64  `json:"multicore,omitempty"`      // share of the batches whose jobs take 8 cores
	GPU           float64  `json:"gpu,omitempty"`            // share of the batches whose jobs take a GPU
	GPUVMs        int      `json:"gpu_vms,omitempty"`        // with GPU: VMs that have one, of all; a tenth of all
}

// Kinds of generated traces.
const (
	Bursts  = "bursts"
	Backlog = "backlog"
)

// QueueShape is a queue of a generated trace.
type QueueShape struct {
	Name   string  `json:"name"`
	Share  float64 `json:"share"`            // of the work; all shares are taken in proportion
	Weight float64 `json:"weight,omitempty"` // of the pool; 0: as Share
	Peak   float64 `json:"peak"`             // hour of the day
}

// theThree are the queues of the experiments that VCondor was made for.
func theThree() []QueueShape {
	return []QueueShape{
		{Name: "LHAASO", Share: 45, Peak: 10},
		{Name: "JUNO", Share: 35, Peak: 18},
		{Name: "CEPC", Share: 20, Peak: 2},
	}
}

// shapeOf gives the queues of a pool work by their weights, and peaks all round the clock.
func shapeOf(queues []elasticpool.Queue) []QueueShape {
	shapes := make([]QueueShape, len(queues))
	for i, q := range queues {
		weight := orDefault(q.Weight, 1)
		shapes[i] = QueueShape{Name: q.Name, Share: weight, Weight: weight, Peak: 24 * float64(i) / float64(len(queues))}
	}
	return shapes
}

func (s Shape) withDefaults() Shape {
	s.Kind = orDefault(s.Kind, Bursts)
	if s.Queues == nil {
		s.Queues = theThree()
	}
	cores := 1
	if s.Multicore > 0 {
		cores = multicore
	}
	s.Cores = orDefault(s.Cores, cores)
	s.BatchMedian = orDefault(s.BatchMedian, 400)
	s.BatchSigma = orDefault(s.BatchSigma, 1.0)
	s.BatchMost = orDefault(s.BatchMost, 2000)
	s.GapShape = orDefault(s.GapShape, 0.6)
	s.RuntimeMedian = orDefault(s.RuntimeMedian, Duration(45*minute))
	s.RuntimeSigma = orDefault(s.RuntimeSigma, 0.7)
	s.RuntimeSpread = orDefault(s.RuntimeSpread, 0.1)
	s.RuntimeMost = orDefault(s.RuntimeMost, Duration(48*hour))
	s.DayNight = orDefault(s.DayNight, 0.6)
	s.Weekend = orDefault(s.Weekend, 0.5)
	return s
}

func (s Shape) check() error {
	if s.Kind != Bursts && s.Kind != Backlog {
		return fmt.Errorf("%w: shape.kind is %q, it must be bursts or backlog", ErrConfig, s.Kind)
	}
	for _, f := range []struct {
		name               string
		value, least, most float64
	}{
		{"cores", float64(s.Cores), 1, 4096},
		{"batch_median", s.BatchMedian, 1, 1e6},
		{"batch_sigma", s.BatchSigma, 0, 5},
		{"batch_most", float64(s.BatchMost), 1, 1e7},
		{"gap_shape", s.GapShape, 0.2, 10},
		{"runtime_median in seconds", s.RuntimeMedian.D().Seconds(), 1, 1e8},
		{"runtime_sigma", s.RuntimeSigma, 0, 5},
		{"runtime_spread", s.RuntimeSpread, 0, 5},
		{"runtime_most in seconds", s.RuntimeMost.D().Seconds(), 1, 1e9},
		{"day_night", s.DayNight, 0, 1},
		{"weekend", s.Weekend, 0, 10},
		{"multicore", s.Multicore, 0, 1},
		{"gpu", s.GPU, 0, 1},
		{"gpu_vms", float64(s.GPUVMs), 0, 1e6},
	} {
		if !(f.value >= f.least && f.value <= f.most) {
			return fmt.Errorf("%w: shape.%s is %v, it must be from %v to %v", ErrConfig, f.name, f.value, f.least, f.most)
		}
	}
	return s.checkQueues()
}

func (s Shape) checkQueues() error {
	seen := map[string]bool{}
	for i, q := range s.Queues {
		switch {
		case q.Name == "" || seen[q.Name]:
			return fmt.Errorf("%w: shape.queues[%d].name is %q, it must be there and differ from the others", ErrConfig, i, q.Name)
		case !(q.Share > 0) || q.Weight < 0:
			return fmt.Errorf("%w: queue %s of shape.queues: the share must be above 0, the weight not below", ErrConfig, q.Name)
		}
		seen[q.Name] = true
	}
	return nil
}
