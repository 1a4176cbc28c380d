package requestspec

import (
	"fmt"
	"strings"
)

// maxCPU bounds the numbers in a CPU mask, so that a range cannot exhaust memory. No guest has as many.
const maxCPU = 1 << 16

// dedicatedCPUs returns how many CPUs of a mixed guest are dedicated: those of hw:cpu_dedicated_mask, else those of the
// realtime mask, else none (nova/virt/hardware.py:get_dedicated_cpu_constraint, get_realtime_cpu_constraint).
func (b *builder) dedicatedCPUs() (int, error) {
	specs := b.in.Flavor.ExtraSpecs
	realtime, err := b.realtimeCPUs()
	if err != nil {
		return 0, err
	}
	mask := specs["hw:cpu_dedicated_mask"]
	if mask == "" {
		return realtime, nil
	}
	cpus, err := parseMask(mask, b.in.Flavor.VCPUs)
	if err == nil && (len(cpus) == 0 || inside(cpus, b.in.Flavor.VCPUs) == b.in.Flavor.VCPUs) {
		err = fmt.Errorf("mask must leave some of the %d vcpus out, and not all", b.in.Flavor.VCPUs)
	}
	if err == nil && inside(cpus, b.in.Flavor.VCPUs) != len(cpus) {
		err = fmt.Errorf("mask names cpus beyond the flavor's %d vcpus", b.in.Flavor.VCPUs)
	}
	if err != nil {
		return 0, b.refuse(Finding{Where: "flavor", Key: "hw:cpu_dedicated_mask", Value: mask, Reason: ErrCPUPolicy, Message: err.Error()})
	}
	return len(cpus), nil
}

// realtimeCPUs returns how many CPUs are realtime ones.
func (b *builder) realtimeCPUs() (int, error) {
	specs, vcpus := b.in.Flavor.ExtraSpecs, b.in.Flavor.VCPUs
	if !truth(specs["hw:cpu_realtime"]) {
		return 0, nil
	}
	mask := b.in.Image["hw_cpu_realtime_mask"]
	if mask == "" {
		mask = specs["hw:cpu_realtime_mask"]
	}
	count, within := vcpus, vcpus
	var err error
	if mask != "" {
		var cpus map[int]bool
		cpus, err = parseMask(mask, vcpus)
		count, within = len(cpus), inside(cpus, vcpus)
	}
	switch {
	case err != nil:
	case count == 0:
		err = fmt.Errorf("mask names no cpu")
	case within == vcpus && count == vcpus && specs["hw:emulator_threads_policy"] == "":
		err = fmt.Errorf("one vcpu must not be realtime, or hw:emulator_threads_policy be given")
	case within != count:
		err = fmt.Errorf("mask names cpus beyond the flavor's %d vcpus", vcpus)
	}
	if err != nil {
		return 0, b.refuse(Finding{Where: "flavor", Key: "hw:cpu_realtime_mask", Value: mask, Reason: ErrCPUPolicy, Message: err.Error()})
	}
	return count, nil
}

// inside counts the cpus below vcpus.
func inside(cpus map[int]bool, vcpus int) int {
	n := 0
	for cpu := range cpus {
		if cpu < vcpus {
			n++
		}
	}
	return n
}

// parseMask reads a list of numbers, ranges and, after "^", exclusions; a mask that starts with an exclusion starts
// from all vcpus (nova/virt/hardware.py:parse_cpu_spec).
func parseMask(mask string, vcpus int) (map[int]bool, error) {
	if strings.HasPrefix(strings.TrimSpace(mask), "^") {
		mask = fmt.Sprintf("0-%d,%s", vcpus-1, mask)
	}
	cpus, excluded := map[int]bool{}, map[int]bool{}
	for rule := range strings.SplitSeq(mask, ",") {
		rule = strings.TrimSpace(rule)
		if rule == "" {
			continue
		}
		body, exclude := strings.CutPrefix(rule, "^")
		first, last, err := parseRange(body)
		if err != nil {
			return nil, fmt.Errorf("mask has a bad element %q", rule)
		}
		set := cpus
		if exclude {
			set = excluded
		}
		for cpu := first; cpu <= last; cpu++ {
			set[cpu] = true
		}
	}
	for cpu := range excluded {
		delete(cpus, cpu)
	}
	return cpus, nil
}

func parseRange(text string) (first, last int, err error) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	if first, err = parseCPU(from); err != nil {
		return 0, 0, err
	}
	if last, err = parseCPU(to); err != nil {
		return 0, 0, err
	}
	if first > last {
		return 0, 0, errNotNumber
	}
	return first, last, nil
}

func parseCPU(text string) (int, error) {
	n, err := parseInt(text)
	if err != nil {
		return 0, err
	}
	if n.wide != nil || n.n < 0 || n.n >= maxCPU {
		return 0, errNotNumber
	}
	return int(n.n), nil
}

// truth reads a boolean as oslo.utils does (strutils.bool_from_string, not strict).
func truth(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "t", "true", "on", "y", "yes":
		return true
	}
	return false
}
