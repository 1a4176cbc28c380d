package elasticpool

import (
	"slices"
	"time"
)

// buffer fills the level-1 buffers, when no queue lacks anything that the cloud could give it.
func (d *deciding) buffer() {
	for i := range d.policy.Classes {
		class := &d.policy.Classes[i]
		if class.Buffer.Max == 0 || d.wanted(class) != "" {
			continue
		}
		for missing := d.bufferTarget(class) - d.buffered(class); missing > 0; missing-- {
			if why := d.fill(class); why != "" {
				break
			}
		}
	}
}

// fill puts one more VM on its way into the buffer.
func (d *deciding) fill(class *Class) string {
	reason := "for the buffer"
	if vm := pop(d.supply.stopped, class.Name, nil); vm != nil {
		d.move(vm, Starting, reason)
		d.act(ActStart, vm, reason)
		return ""
	}
	return d.create("", class, reason)
}

// buffered returns how many VMs of a class are in the buffer or on their way into it.
func (d *deciding) buffered(class *Class) int {
	n := 0
	for _, vm := range d.state.VMs {
		if vm.Class != class.Name || vm.Queue != "" && (vm.State != Draining || !vm.Keep) {
			continue
		}
		if vm.State == Warm || flies(vm) || vm.State == Draining && vm.Keep {
			n++
		}
	}
	return n
}

// bufferTarget returns how many VMs of a class should wait: what nine of ten times were asked for within the time that
// a boot takes, less what is idle already, within the buffer's bounds.
func (d *deciding) bufferTarget(class *Class) int {
	b := class.Buffer
	if b.Max == 0 {
		return 0
	}
	return max(b.Min, min(b.Max, d.bursts(class)-len(d.supply.idle[class.Name])))
}

// bursts returns the 0.9 quantile of how many VMs of a class were asked for in windows of the time that a boot takes,
// over the last hour.
func (d *deciding) bursts(class *Class) int {
	s := d.state.Classes[class.Name]
	window := max(bootTime(s.Boots), time.Minute)
	sums := make([]int, int(time.Hour/window)+1)
	for _, g := range s.Growth {
		sums[min(int(d.now.Sub(g.At)/window), len(sums)-1)] += g.N
	}
	slices.Sort(sums)
	return sums[len(sums)*9/10]
}

// bootTime returns the time within which 19 of 20 boots ended.
func bootTime(boots []time.Duration) time.Duration {
	if len(boots) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(boots))
	return sorted[len(sorted)*19/20]
}
