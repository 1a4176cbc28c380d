package simulate

import (
	"fmt"
	"io"
	"strings"
)

// Miss is a target that a run of the pool's own controller does not hold against VCondor's rules on the same trace.
type Miss struct {
	Load  float64 `json:"load"`
	Seed  uint64  `json:"seed"`
	What  string  `json:"what"` // the measure, as tables name it
	Got   float64 `json:"got"`
	Bound float64 `json:"bound"` // waits have to be below it, busy ratio and Jain not, the rest not above it
}

// Misses returns what the runs of fair miss, by load and seed, as far as the comparison has those of vcondor too: mean and p95
// of the wait lower than VCondor's, VM-hours at most 75 % of its (90 % at loads above 0.5), a busy ratio of at least 0.9, at
// most one boot for five jobs, no job killed, and Jain's index at least 0.95.
func Misses(c Comparison) []Miss {
	var all []Miss
	for _, load := range c.Loads {
		theirs, ours := c.Of(VCondor, load), c.Of(Fair, load)
		for i := range min(len(theirs), len(ours)) {
			for _, m := range missed(load, theirs[i], ours[i]) {
				m.Load, m.Seed = load, c.Seeds[i]
				all = append(all, m)
			}
		}
	}
	return all
}

func missed(load float64, theirs, ours Result) []Miss {
	hours := 0.75 * theirs.VMHours
	if load > 0.5 {
		hours = 0.90 * theirs.VMHours
	}
	var all []Miss
	hold := func(held bool, what string, got, bound float64) {
		if !held {
			all = append(all, Miss{What: what, Got: got, Bound: bound})
		}
	}
	hold(ours.MeanWait < theirs.MeanWait, "mean wait, min", ours.MeanWait, theirs.MeanWait)
	hold(ours.P95Wait < theirs.P95Wait, "p95 wait, min", ours.P95Wait, theirs.P95Wait)
	hold(ours.VMHours <= hours, "VM-hours", ours.VMHours, hours)
	hold(ours.BusyRatio >= 0.9, "busy ratio", ours.BusyRatio, 0.9)
	hold(ours.BootsPerJob <= 0.2, "boots per job", ours.BootsPerJob, 0.2)
	hold(ours.JobsKilled == 0, "jobs killed", float64(ours.JobsKilled), 0)
	hold(ours.Jain >= 0.95, "Jain", ours.Jain, 0.95)
	return all
}

// WriteMisses writes how many seeds hold every target at each load, and what the others miss. Without runs of both policies it
// writes nothing.
func WriteMisses(w io.Writer, c Comparison) error {
	misses := Misses(c)
	var text strings.Builder
	for _, load := range c.Loads {
		if c.Of(VCondor, load) == nil || c.Of(Fair, load) == nil {
			continue
		}
		var lines strings.Builder
		missing := map[uint64]bool{}
		for _, m := range misses {
			if m.Load == load {
				missing[m.Seed] = true
				fmt.Fprintf(&lines, "- seed %d: %s %.4g, the bound is %.4g\n", m.Seed, m.What, m.Got, m.Bound)
			}
		}
		fmt.Fprintf(&text, "\nload %v: %d of %d seeds hold every target against %s\n%s", load, len(c.Seeds)-len(missing), len(c.Seeds), VCondor, lines.String())
	}
	_, err := io.WriteString(w, text.String())
	return err
}
