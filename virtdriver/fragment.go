package virtdriver

import (
	"bytes"
	"strings"

	"github.com/beevik/etree"
)

// readElement reads the text of one element.
func readElement(text []byte) (*etree.Element, error) {
	doc := etree.NewDocument()
	doc.ReadSettings.PreserveCData = true
	if err := doc.ReadFromBytes(text); err != nil {
		return nil, wrap(ErrMalformedXML, "%w", err)
	}
	return doc.Root(), nil
}

// style is how new devices are written so that they look like their siblings.
type style struct {
	newline     string // "\n" or "\r\n"; empty when the devices stand in one line
	indent      string // white space before a device
	step        string // white space that each level adds
	singleQuote bool
}

// write gives the text of the devices, each element on its own line, starting
// with the line break. The elements move into a tree of their own for that.
func (s style) write(devices []device) string {
	list := etree.NewElement("devices")
	for _, d := range devices {
		list.AddChild(d.element)
	}
	doc := etree.NewDocumentWithRoot(list)
	doc.WriteSettings = etree.WriteSettings{AttrSingleQuote: s.singleQuote, CanonicalText: true}
	doc.Indent(1)
	text, _ := doc.WriteToString() // writing into memory cannot fail
	var b strings.Builder
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " ")
		level := len(line) - len(bare) - 1
		if level < 0 { // the list itself
			continue
		}
		b.WriteString(s.newline)
		if s.newline != "" {
			b.WriteString(s.indent + strings.Repeat(s.step, level))
		}
		b.WriteString(strings.TrimRight(bare, "\n"))
	}
	return b.String()
}

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
	return style{newline: newline, indent: string(indent)}
}
