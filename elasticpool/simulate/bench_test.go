package simulate

import (
	"testing"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// BenchmarkFourteenDays measures 14 days of 200 VMs at load 0.8, and how much of that the world takes besides the
// policy: it must stay cheap beside the controller that is tried out in it.
func BenchmarkFourteenDays(b *testing.B) {
	for _, name := range PolicyNames() {
		b.Run(name, func(b *testing.B) {
			s := stageOf(b, Config{Name: name})
			for b.Loop() {
				policy, err := NewPolicy(name, s.Facts())
				if err != nil {
					b.Fatal(err)
				}
				clock := &timed{policy: policy}
				at := time.Now()
				if _, err := s.Run(b.Context(), clock); err != nil {
					b.Fatal(err)
				}
				all := time.Since(at)
				b.ReportMetric(float64(all-clock.spent)/float64(all), "world/all")
			}
		})
	}
}

// timed measures the time that a policy takes.
type timed struct {
	policy Policy
	spent  time.Duration
}

func (p *timed) Decide(in elasticpool.Input) elasticpool.Decision {
	at := time.Now()
	defer func() { p.spent += time.Since(at) }()
	return p.policy.Decide(in)
}

func (p *timed) joinsItself() bool { return joinsItself(p.policy) }
