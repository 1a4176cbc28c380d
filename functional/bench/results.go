package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
)

// row is one line of a table of the page. What is not measured stays empty.
type row struct {
	What, Peer   string // known before anything is measured
	Ours, Theirs string
	Relation     string // how Ratio is to be read: "times as fast", "times as long", "of its rate"
	Goal         goal
	Ratio        float64 // 0: not measured
	Missing      string  // why not
}

// goal is a bound of a ratio; 0 is none.
type goal struct{ atLeast, atMost float64 }

func (g goal) String() string {
	switch {
	case g.atLeast > 0:
		return fmt.Sprintf("≥ %g", g.atLeast)
	case g.atMost > 0:
		return fmt.Sprintf("≤ %g", g.atMost)
	}
	return ""
}

// reached is whether a ratio is as it should be.
func (g goal) reached(ratio float64) bool {
	return ratio >= g.atLeast && (g.atMost == 0 || ratio <= g.atMost)
}

// missed is whether the row was measured and is not as it should be.
func (r *row) missed() bool { return r.Ratio > 0 && !r.Goal.reached(r.Ratio) }

// RatioText is the cell of the ratio.
func (r *row) RatioText() string {
	if r.Ratio == 0 {
		if r.Missing == "" {
			return ""
		}
		return "not measured: " + r.Missing
	}
	text := significant(r.Ratio) + " " + r.Relation
	if r.missed() {
		text += ", **missed**"
	}
	return text
}

// results are the tables of the page.
type results struct {
	Cores    int
	Bare     []*row // fakecyborg against a bare handler
	Cyborg   []*row // fakecyborg against the real Cyborg
	Placing  []*row // placementtest against the real Placement
	Nova     []*row // requestspec against Nova's functions
	Memory   []*row
	Packages []*row // benchmarks of the packages

	amount effort
	real   *realPeers // nil without them
}

// newResults has every row, and no figure.
func newResults(amount effort) *results {
	return &results{
		Cores: runtime.NumCPU(), amount: amount,
		Bare: bareRows(), Cyborg: cyborgRows(), Placing: placementRows(), Nova: novaRows(),
		Memory: append(memoryRows(), packageRows(memoryBenchmarks())...), Packages: packageRows(benchmarks()),
	}
}

// missed is an error for each goal that was measured and not reached.
func (r *results) missed() error {
	var errs []error
	for _, table := range [][]*row{r.Bare, r.Cyborg, r.Placing, r.Nova, r.Memory, r.Packages} {
		for _, row := range table {
			if row.missed() {
				errs = append(errs, fmt.Errorf("%s: %s %s, the goal is %s", row.What, significant(row.Ratio), row.Relation, row.Goal))
			}
		}
	}
	return errors.Join(errs...)
}

// withoutReal says of rows why they have no figures.
func withoutReal(rows []*row) {
	for _, row := range rows {
		row.Missing = realStackFolder + " names no running cloud"
	}
}

// significant writes two digits that count.
func significant(value float64) string {
	if value == 0 {
		return "0"
	}
	digits := func() int { return int(math.Floor(math.Log10(math.Abs(value)))) + 1 } // before the point
	scale := math.Pow(10, float64(2-digits()))
	value = math.Round(value*scale) / scale // 9.96 has one digit more then
	return thousands(fmt.Sprintf("%.*f", max(2-digits(), 0), value))
}

// thousands puts a comma after each third digit before the point.
func thousands(number string) string {
	point := len(number)
	for i, c := range number {
		if c == '.' {
			point = i
			break
		}
	}
	for i := point - 3; i > 0; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}
