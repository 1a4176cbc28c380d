package simulate

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"strconv"
)

//go:embed report.html
var pageText string

var pages = template.Must(template.New("pages").Parse(pageText))

// page is what the template of a report shows.
type page struct {
	Days  float64
	VMs   int
	Seeds []uint64
	Loads []loadTable
	Runs  []Result
}

// loadTable compares policies at one load.
type loadTable struct {
	Load     float64
	Measures []string
	Rows     []policyRow
	Bars     []bars
	Plots    []policyPlot
}

type policyRow struct {
	Policy string
	Cells  []cell
}

// cell is a measure over all seeds.
type cell struct{ Mean, Least, Most string }

// bars compares one measure between policies.
type bars struct {
	Title string
	Bars  []bar
}

type bar struct {
	Name, Text, Color string
	Y, Length         int
}

// policyPlot is what the pool looked like under a policy.
type policyPlot struct {
	Policy string
	Seed   uint64
	Stack  stack
}

// measure is a column of the tables.
type measure struct {
	name   string
	digits int
	bars   bool
	of     func(Result) float64
}

func measures() []measure {
	return []measure{
		{"mean wait, min", 0, true, func(r Result) float64 { return r.MeanWait }},
		{"p95 wait, min", 0, true, func(r Result) float64 { return r.P95Wait }},
		{"bounded slowdown", 1, false, func(r Result) float64 { return r.Slowdown }},
		{"unserved jobs", 0, false, func(r Result) float64 { return float64(r.Unserved) }},
		{"VM-hours", 0, true, func(r Result) float64 { return r.VMHours }},
		{"busy ratio", 3, true, func(r Result) float64 { return r.BusyRatio }},
		{"over-provisioned VM-hours", 0, false, func(r Result) float64 { return r.OverHours }},
		{"boots per job", 3, false, func(r Result) float64 { return r.BootsPerJob }},
		{"binds", 0, false, func(r Result) float64 { return float64(r.Binds) }},
		{"jobs killed", 0, false, func(r Result) float64 { return float64(r.JobsKilled) }},
		{"Jain", 3, false, func(r Result) float64 { return r.Jain }},
	}
}

// WriteReport writes the comparison as one HTML page that needs nothing else. Plots over time are in it when the runs
// have a series (Config.Sample): those of the first seed.
func WriteReport(w io.Writer, c Comparison) error {
	p := page{Seeds: c.Seeds, Runs: c.Results}
	if len(c.Results) > 0 {
		p.Days, p.VMs = c.Results[0].Days, c.Results[0].VMs
	}
	for _, load := range c.Loads {
		p.Loads = append(p.Loads, c.table(load))
	}
	return pages.ExecuteTemplate(w, "report", p)
}

func (c Comparison) table(load float64) loadTable {
	t := loadTable{Load: load}
	for _, m := range measures() {
		t.Measures = append(t.Measures, m.name)
		if m.bars {
			t.Bars = append(t.Bars, c.bars(load, m))
		}
	}
	for _, policy := range c.Policies {
		results := c.Of(policy, load)
		row := policyRow{Policy: policy}
		for _, m := range measures() {
			row.Cells = append(row.Cells, m.cell(results))
		}
		t.Rows = append(t.Rows, row)
		if first := results[0]; first.Series != nil {
			t.Plots = append(t.Plots, policyPlot{Policy: policy, Seed: first.Seed, Stack: drawing(first.Series.plots())})
		}
	}
	return t
}

// text writes a value of the measure.
func (m measure) text(v float64) string { return strconv.FormatFloat(v, 'f', m.digits, 64) }

func (m measure) cell(results []Result) cell {
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range results {
		least, most = min(least, m.of(r)), max(most, m.of(r))
	}
	return cell{Mean: m.text(Mean(results, m.of)), Least: m.text(least), Most: m.text(most)}
}

const (
	barHeight = 22
	barLength = 240
)

// bars draws the means of a measure.
func (c Comparison) bars(load float64, m measure) bars {
	means, top := make([]float64, len(c.Policies)), 1e-9
	for i, policy := range c.Policies {
		means[i] = Mean(c.Of(policy, load), m.of)
		top = max(top, means[i])
	}
	b := bars{Title: m.name}
	for i, policy := range c.Policies {
		b.Bars = append(b.Bars, bar{
			Name: policy, Text: m.text(means[i]), Color: palette(i), Y: i * barHeight, Length: int(barLength * means[i] / top),
		})
	}
	return b
}

// Height returns the height of the drawing.
func (b bars) Height() int { return len(b.Bars) * barHeight }
