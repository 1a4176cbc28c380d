package simulate

import (
	"math"
	"slices"
	"time"
)

// daytime turns a part of all submissions into the time at which it is reached: the sum of a rate that has a daily and
// a weekly cycle, by quarters of an hour.
type daytime struct {
	window time.Duration
	sums   []float64 // up to the end of each step; the last is the whole
}

const rateStep = 15 * time.Minute

// clock returns the daytime of a queue.
func (s Shape) clock(q QueueShape, window time.Duration) daytime {
	steps := int((window + rateStep - 1) / rateStep)
	d := daytime{window: window, sums: make([]float64, steps)}
	sum := 0.0
	for i := range d.sums {
		at := time.Duration(i) * rateStep
		sum += s.rate(q, at) * min(rateStep, window-at).Seconds()
		d.sums[i] = sum
	}
	return d
}

// rate returns how fast the users of a queue submit at a time after Monday, midnight.
func (s Shape) rate(q QueueShape, at time.Duration) float64 {
	const saturday = 5
	rate := 1 + s.DayNight*math.Cos(2*math.Pi*(at.Hours()-q.Peak)/24)
	if int(at.Hours()/24)%7 >= saturday {
		rate *= s.Weekend
	}
	return max(rate, 1e-6)
}

// at returns when a part (0 to 1) of all has been submitted.
func (d daytime) at(part float64) time.Duration {
	want := part * d.sums[len(d.sums)-1]
	i, _ := slices.BinarySearch(d.sums, want)
	i = min(i, len(d.sums)-1)
	before := 0.0
	if i > 0 {
		before = d.sums[i-1]
	}
	start := time.Duration(i) * rateStep
	length := min(rateStep, d.window-start)
	inside := time.Duration(float64(length) * (want - before) / (d.sums[i] - before))
	return min(start+inside, d.window-time.Second).Truncate(time.Second)
}
