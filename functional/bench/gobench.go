package main

import (
	"regexp"
	"strconv"
	"strings"
)

// measured is one benchmark's figures by their units.
type measured map[string]float64

// processors is what go test puts behind a name where there is more than one.
var processors = regexp.MustCompile(`-\d+$`)

// parseBenchmarks reads what go test -bench prints. Names come without "Benchmark" and without the number of processors;
// lines that are no result are left out.
func parseBenchmarks(output string) map[string]measured {
	found := make(map[string]measured)
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(fields[1]); err != nil {
			continue
		}
		figures := make(measured)
		for i := 2; i < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				figures = nil
				break
			}
			figures[fields[i+1]] = value
		}
		if figures != nil {
			found[strings.TrimPrefix(processors.ReplaceAllString(fields[0], ""), "Benchmark")] = figures
		}
	}
	return found
}
