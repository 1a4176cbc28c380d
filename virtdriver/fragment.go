package virtdriver

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"strings"

	"github.com/beevik/etree"
)

// style is how new devices are written so that they look like their siblings.
type style struct {
	newline     string // "\n" or "\r\n"; empty when the devices stand in one line
	indent      string // white space before a device
	step        string // white space that each level adds
	singleQuote bool
}

// write gives the text of the devices, each element on its own line, starting
// with the line break.
func (s style) write(devices []device) (string, error) {
	var raw bytes.Buffer
	encoder := xml.NewEncoder(&raw)
	encoder.Indent("", " ")
	for _, d := range devices {
		if err := encoder.Encode(d.element); err != nil {
			return "", d.failure(wrap(ErrBadField, "%w", err))
		}
	}
	return s.lay(raw.String()), nil
}

// lay writes lines that are indented by one blank a level.
func (s style) lay(raw string) string {
	var b strings.Builder
	b.Grow(2 * len(raw))
	for line := range strings.Lines(raw) {
		tag := strings.TrimLeft(line, " ")
		b.WriteString(s.newline)
		if s.newline != "" {
			b.WriteString(s.indent)
			for range len(line) - len(tag) {
				b.WriteString(s.step)
			}
		}
		b.WriteString(s.spell(strings.TrimRight(tag, "\n")))
	}
	return b.String()
}

// spell writes an element without content as one tag, and quotes as the domain
// does. The encoder has escaped all quotes and angle brackets of values.
func (s style) spell(tag string) string {
	if start, _, isEmpty := strings.Cut(tag, "></"); isEmpty {
		tag = start + emptyEnd
	}
	if s.singleQuote {
		tag = strings.ReplaceAll(tag, `"`, `'`)
	}
	return tag
}

// tree is the device as an element.
func (d device) tree() (*etree.Element, error) {
	text, err := style{}.write([]device{d})
	if err != nil {
		return nil, err
	}
	return readElement([]byte(text))
}

// style follows the last device of that name, or else the last device, or else
// the element <devices>, whose level then tells how deep a level is.
func (d *domain) style(tag string) style {
	outer := styleAt(d.text, d.devices.start)
	s := style{newline: outer.newline, indent: outer.indent + cmp.Or(outer.indent, "  ")}
	if last, ok := d.last(tag); ok {
		s = styleAt(d.text, last.start)
	} else if len(d.children) > 0 {
		s = styleAt(d.text, d.children[len(d.children)-1].start)
	}
	s.step = "  "
	if step, deeper := strings.CutPrefix(s.indent, outer.indent); deeper && step != "" {
		s.step = step
	}
	s.singleQuote = d.singleQuote
	return s
}

// maxIndent is how much white space before an element its new siblings copy.
const maxIndent = 256

// styleAt tells how the lines around the element at offset are written. An
// element that shares its line with what is before it gives a style without
// lines.
func styleAt(text []byte, offset int) style {
	lineStart := bytes.LastIndexByte(text[:offset], '\n') + 1
	indent := text[lineStart:offset]
	if lineStart == 0 || len(bytes.Trim(indent, " \t")) > 0 {
		return style{}
	}
	newline := "\n"
	if lineStart > 1 && text[lineStart-2] == '\r' {
		newline = "\r\n"
	}
	return style{newline: newline, indent: string(indent[:min(len(indent), maxIndent)])}
}
