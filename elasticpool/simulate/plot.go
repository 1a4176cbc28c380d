package simulate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// plot is a drawing of curves over time, ready for its template.
type plot struct {
	Title         string
	Width, Height int
	Left, Top     int // corner of the area of the curves
	Right, Bottom int
	Rows          []tick // of the y axis
	Columns       []tick // of the x axis
	Curves        []curve
}

// tick is a mark of an axis.
type tick struct {
	At   string
	Text string
}

// curve is a line, or an area down to the curve before it.
type curve struct {
	Name   string
	Color  string
	Path   string
	Filled bool
	Dashed bool
	At     int // x of its name in the legend
}

const (
	plotWidth   = 880
	plotHeight  = 220
	plotLeft    = 56
	plotRight   = 12
	plotTop     = 44
	plotBottom  = 28
	plotColumns = 600 // points of a curve at most
	legendStep  = 100
)

// palette has colours that people with any kind of sight tell apart.
func palette(i int) string {
	colors := [...]string{"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8a8a8a", "#d0c000"}
	return colors[i%len(colors)]
}

// newPlot lays an empty plot out; hours and top are the ends of its axes.
func newPlot(title string, hours, top float64) *plot {
	p := &plot{
		Title: title, Width: plotWidth, Height: plotHeight, Left: plotLeft, Top: plotTop,
		Right: plotWidth - plotRight, Bottom: plotHeight - plotBottom,
	}
	for _, v := range ticks(top) {
		p.Rows = append(p.Rows, tick{At: coordinate(p.y(v, top)), Text: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	for _, v := range ticks(hours / 24) {
		p.Columns = append(p.Columns, tick{At: coordinate(p.x(v*24, hours)), Text: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return p
}

// ticks returns about five round numbers from 0 up to top.
func ticks(top float64) []float64 {
	if !(top > 0) {
		return []float64{0}
	}
	step := math.Pow(10, math.Floor(math.Log10(top/5)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if top/(step*factor) <= 6 {
			step *= factor
			break
		}
	}
	var marks []float64
	for i := 0.0; i*step <= top; i++ {
		marks = append(marks, tidy(i*step))
	}
	return marks
}

func (p *plot) x(hours, all float64) float64 {
	return float64(p.Left) + float64(p.Right-p.Left)*hours/math.Max(all, 1e-9)
}

func (p *plot) y(value, top float64) float64 {
	return float64(p.Bottom) - float64(p.Bottom-p.Top)*value/math.Max(top, 1e-9)
}

func coordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// add draws a curve; base, of an area, is its lower edge.
func (p *plot) add(c curve, hours, values, base []float64, top float64) {
	end := 0.0
	if len(hours) > 0 {
		end = hours[len(hours)-1]
	}
	var path strings.Builder
	for i, v := range values {
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		fmt.Fprintf(&path, "%s%s %s", letter, coordinate(p.x(hours[i], end)), coordinate(p.y(v, top)))
	}
	if base != nil {
		for i, v := range slices.Backward(base) {
			fmt.Fprintf(&path, "L%s %s", coordinate(p.x(hours[i], end)), coordinate(p.y(v, top)))
		}
		path.WriteString("Z")
		c.Filled = true
	}
	c.Path = path.String()
	c.At = p.Left + legendStep*len(p.Curves)
	p.Curves = append(p.Curves, c)
}

// thin leaves at most plotColumns points, the largest of each stretch.
func thin(values []float64) []float64 {
	if len(values) <= plotColumns {
		return values
	}
	kept := make([]float64, plotColumns)
	for i := range kept {
		from, to := i*len(values)/plotColumns, (i+1)*len(values)/plotColumns
		kept[i] = values[from]
		for _, v := range values[from:to] {
			kept[i] = math.Max(kept[i], v)
		}
	}
	return kept
}
