package simulate

import (
	"io"
	"slices"
)

// WriteSVG draws the series: VMs by state, waiting jobs, and what the queues have and should have.
func (s *Series) WriteSVG(w io.Writer) error {
	return pages.ExecuteTemplate(w, "drawing", drawing(s.plots()))
}

// stack is plots one below the other.
type stack struct {
	Width, Height int
	Plots         []placed
}

type placed struct {
	*plot
	Y int
}

func drawing(plots []*plot) stack {
	d := stack{Width: plotWidth, Height: plotHeight * len(plots)}
	for i, p := range plots {
		d.Plots = append(d.Plots, placed{plot: p, Y: i * plotHeight})
	}
	return d
}

func (s *Series) plots() []*plot {
	return []*plot{
		s.states(),
		s.lines("Jobs that wait", []reading{{"", false, func(q QueuePoint) int { return q.Waiting }}}),
		s.lines("VMs of the queues (dashed: target)", []reading{
			{"", false, func(q QueuePoint) int { return q.VMs }},
			{" target", true, func(q QueuePoint) int { return q.Target }},
		}),
	}
}

// column returns one number of all points, thinned out.
func (s *Series) column(read func(Point) float64) []float64 {
	values := make([]float64, len(s.Points))
	for i, p := range s.Points {
		values[i] = read(p)
	}
	return thin(values)
}

func (s *Series) hours() []float64 { return s.column(func(p Point) float64 { return p.Hours }) }

// states draws the VMs by state, one state upon the other.
func (s *Series) states() *plot {
	hours := s.hours()
	edges := make([][]float64, 1, len(s.States)+1)
	edges[0] = make([]float64, len(hours))
	for i := range s.States {
		edge := s.column(func(p Point) float64 { return float64(p.VMs[i]) })
		for n := range edge {
			edge[n] += edges[i][n]
		}
		edges = append(edges, edge)
	}
	top := highest(edges)
	p := newPlot("VMs", last(hours), top)
	for i, name := range s.States {
		p.add(curve{Name: name, Color: palette(i)}, hours, edges[i+1], edges[i], top)
	}
	return p
}

// reading is a number of a queue to be drawn.
type reading struct {
	suffix string
	dashed bool
	of     func(QueuePoint) int
}

// lines draws numbers of all queues.
func (s *Series) lines(title string, readings []reading) *plot {
	hours := s.hours()
	var values [][]float64
	for _, r := range readings {
		for i := range s.Queues {
			values = append(values, s.column(func(p Point) float64 { return float64(r.of(p.Queues[i])) }))
		}
	}
	top := highest(values)
	p := newPlot(title, last(hours), top)
	for n, r := range readings {
		for i, name := range s.Queues {
			c := curve{Name: name + r.suffix, Color: palette(i), Dashed: r.dashed}
			p.add(c, hours, values[n*len(s.Queues)+i], nil, top)
		}
	}
	return p
}

// highest returns the largest number, and at least 1.
func highest(columns [][]float64) float64 {
	top := 1.0
	for _, column := range columns {
		if len(column) > 0 {
			top = max(top, slices.Max(column))
		}
	}
	return top
}

func last(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return values[len(values)-1]
}
