package console

import (
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// kept is how many points of the past are kept; when they are full, every other one is dropped and points come half as
// often: the past grows coarser, not shorter.
const kept = 1440

// Point is how the pool was at one time.
type Point struct {
	At     time.Time                   `json:"at"`
	States map[elasticpool.VMState]int `json:"states"`
	Queues map[string]QueuePoint       `json:"queues"`
	Frozen bool                        `json:"frozen,omitempty"`
}

// QueuePoint is how a queue was at one time.
type QueuePoint struct {
	Waiting int `json:"waiting_jobs"`
	Running int `json:"running_jobs"`
	Serving int `json:"serving"`
	Target  int `json:"target"`
}

// history is the past of a pool.
type history struct {
	mu     sync.Mutex
	points []Point
	every  int // cycles between two points
	skip   int
}

func (h *history) observe(d elasticpool.Decision) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.skip > 0 {
		h.skip--
		return
	}
	h.every = max(h.every, 1)
	h.skip = h.every - 1
	p := Point{At: d.At, States: map[elasticpool.VMState]int{}, Queues: map[string]QueuePoint{}, Frozen: len(d.Frozen) > 0}
	for _, class := range d.Classes {
		for state, n := range class.States {
			p.States[state] += n
		}
	}
	for _, q := range d.Queues {
		p.Queues[q.Name] = QueuePoint{Waiting: q.Waiting, Running: q.Running, Serving: q.Serving, Target: q.Target}
	}
	if h.points = append(h.points, p); len(h.points) < kept {
		return
	}
	half := make([]Point, 0, kept)
	for i := 0; i < len(h.points); i += 2 {
		half = append(half, h.points[i])
	}
	h.points, h.every = half, h.every*2
}

func (h *history) all() []Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Point{}, h.points...)
}
