package novacyborg_test

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// Measures of the picture, in pixels.
const (
	pictureWidth = 880
	rowHeight    = 36
	ownLine      = 190 // where the lines of the three parties are
	placesLine   = 545
	cyborgLine   = 810
	firstRow     = 186
)

const pictureStyle = `<style>
  .paper { fill: #ffffff; stroke: #d0d7de }
  text { fill: #1f2328; font: 13px -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif }
  .code { white-space: pre; font: 12px ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace }
  .name { font-weight: 600 }
  .faint { fill: #59636e }
  .line { stroke: #d0d7de; stroke-width: 1.5 }
  .box { fill: #f6f8fa; stroke: #d0d7de }
  .own { fill: #ddf4ff; stroke: #54aeff }
  .ask { stroke: #0969da; stroke-width: 1.5; fill: none }
  .tell { stroke: #8250df; stroke-width: 1.5; fill: none; stroke-dasharray: 5 4 }
  .askhead { fill: #0969da } .tellhead { fill: #8250df }
  .status { fill: #1a7f37; font-weight: 600 }
  .event { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; stroke: #3d444d }
    text { fill: #e6edf3 }
    .faint { fill: #9198a1 }
    .line { stroke: #3d444d }
    .box { fill: #151b23; stroke: #3d444d }
    .own { fill: #0c2d4a; stroke: #388bfd }
    .ask { stroke: #4493f8 } .askhead { fill: #4493f8 }
    .tell { stroke: #ab7df8 } .tellhead { fill: #ab7df8 }
    .status { fill: #3fb950 }
    .event { fill: #ab7df8 }
  }
</style>
`

// drawing collects the elements of an SVG.
type drawing struct{ strings.Builder }

func (d *drawing) text(class string, x, y int, anchor, text string) {
	fmt.Fprintf(d, "<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", class, x, y, anchor, html.EscapeString(text))
}

func (d *drawing) box(class string, x, y, width, height int) {
	fmt.Fprintf(d, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", class, x, y, width, height)
}

// arrow goes from one line to another, with its head at the end.
func (d *drawing) arrow(class string, from, to, y int) {
	tip, back := to-2, to-10
	if from > to {
		tip, back = to+2, to+10
	}
	fmt.Fprintf(d, "<path class=\"%s\" d=\"M%d %dH%d\"/><path class=\"%shead\" d=\"M%d %dL%d %dV%dZ\"/>\n", class, from, y, back, class, tip, y, back, y-5, y+5)
}

// drawFlow draws the story as a sequence of arrows between the program, Placement and Cyborg.
func drawFlow(told flowStory) string {
	var d drawing
	end := firstRow + len(told.moments)*rowHeight
	height := end + 70 + 18*len(told.addresses)
	fmt.Fprintf(&d, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%[1]d\" height=\"%[2]d\" viewBox=\"0 0 %[1]d %[2]d\" role=\"img\" aria-labelledby=\"title\">\n",
		pictureWidth, height)
	d.WriteString("<title id=\"title\">What novacyborg asks of Placement and Cyborg for one instance with two accelerators</title>\n" + pictureStyle)
	fmt.Fprintf(&d, "<rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", pictureWidth-1, height-1)
	d.input(told)
	d.parties(end)
	var last lifecycle.StepID
	for i, m := range told.moments {
		y := firstRow + i*rowHeight
		if m.step != last {
			d.text("name", 24, y+4, "start", fmt.Sprintf("%d  %s", m.step, m.step))
			last = m.step
		}
		d.moment(m, y, told)
	}
	d.output(told, end)
	d.WriteString("</svg>\n")
	return d.String()
}

// input shows what is asked for.
func (d *drawing) input(told flowStory) {
	d.box("box", 16, 16, pictureWidth-32, 44+18*len(told.profile.Groups))
	d.text("name", 28, 38, "start", "in")
	d.text("code", 76, 38, "start", "flavor   accel:device_profile = "+told.profile.Name)
	for i, group := range told.profile.Groups {
		var properties []string
		for _, property := range group {
			properties = append(properties, fmt.Sprintf("%s=%v", property.Key, property.Value))
		}
		d.text("code", 76, 58+18*i, "start", fmt.Sprintf("group %d  %s", i, strings.Join(properties, "  ")))
	}
}

// parties draws the heads and lines of those who speak.
func (d *drawing) parties(end int) {
	for _, party := range []struct {
		name, class string
		x           int
	}{{"novacyborg", "own", ownLine}, {"Placement", "box", placesLine}, {"Cyborg", "box", cyborgLine}} {
		fmt.Fprintf(d, "<path class=\"line\" d=\"M%d %dV%d\"/>\n", party.x, firstRow-42, end-8)
		d.box(party.class, party.x-54, firstRow-70, 108, 28)
		d.text("name", party.x, firstRow-51, "middle", party.name)
	}
}

// moment draws one arrow with its answer, or what the program does alone.
func (d *drawing) moment(m moment, y int, told flowStory) {
	to := cyborgLine
	if m.party == "Placement" {
		to = placesLine
	}
	text := m.text
	if m.counted > 1 {
		text += fmt.Sprintf("  ×%d", m.counted)
	}
	switch {
	case m.party == "":
		d.box("own", ownLine-6, y-11, 12, 22)
		d.text("code faint", ownLine+16, y+4, "start", alone(m.step, told))
	case m.status == 0:
		d.text("code event", ownLine+16, y-6, "start", "event "+text)
		d.arrow("tell", to, ownLine, y)
	default:
		d.text("code", ownLine+16, y-6, "start", text)
		d.arrow("ask", ownLine, to, y)
		d.text("code status", to+10, y+4, "start", strconv.Itoa(m.status))
	}
}

// alone says what the program does in a step in which it asks nobody.
func alone(step lifecycle.StepID, told flowStory) string {
	switch step {
	case lifecycle.StepGroups:
		return strings.Join(told.requesters, ", ")
	case lifecycle.StepCompose:
		return fmt.Sprintf("%d devices into the domain", len(told.addresses))
	}
	return step.String()
}

// output shows what comes out.
func (d *drawing) output(told flowStory, end int) {
	d.box("box", 16, end+8, pictureWidth-32, 44+18*len(told.addresses))
	d.text("name", 28, end+30, "start", "out")
	d.text("code", 76, end+30, "start", "host     "+told.host)
	for i, address := range told.addresses {
		d.text("code", 76, end+50+18*i, "start", "device   "+address)
	}
}
