package virtdriver

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// domain is a domain XML as text with the places that matter in it. Edits are
// made in the text, so all that they do not concern stays byte for byte.
type domain struct {
	text     []byte
	virtType string
	// singleQuote says how the root's attributes are quoted.
	singleQuote bool
	// devices is the element <devices>; its inside lies from inner to closing.
	devices        place
	inner, closing int
	// children are the elements in it.
	children []place
}

// place is an element in the text.
type place struct {
	name       string
	kind       string // the attribute type
	path       string
	start, end int
	line       int
	column     int
}

func (p place) failure(err error) *ComposeError {
	return &ComposeError{Line: p.line, Column: p.column, Path: p.path, Err: err}
}

// insert gives the text with the devices in it: after the last hostdev, or else
// before the white space that ends <devices>.
func (d *domain) insert(devices []device) []byte {
	if len(devices) == 0 {
		return bytes.Clone(d.text)
	}
	style := d.style()
	fragment := style.write(devices)
	if last, ok := d.lastHostdev(); ok {
		return d.splice(last.end, last.end, fragment)
	}
	at := d.inner + len(bytes.TrimRight(d.text[d.inner:d.closing], " \t\r\n"))
	if style.newline != "" && !bytes.Contains(d.text[at:d.closing], []byte("\n")) {
		fragment += style.newline + styleAt(d.text, d.devices.start).indent
	}
	if tag := d.text[:d.inner]; bytes.HasSuffix(tag, []byte("/>")) {
		return d.splice(d.inner-len("/>"), d.inner, ">"+fragment+"</devices>")
	}
	return d.splice(at, at, fragment)
}

func (d *domain) splice(from, to int, fragment string) []byte {
	return slices.Concat(d.text[:from], []byte(fragment), d.text[to:])
}

// style follows the last hostdev, or else the last device, or else the element
// <devices>, whose level then tells how deep a level is.
func (d *domain) style() style {
	outer := styleAt(d.text, d.devices.start)
	s := style{newline: outer.newline, indent: outer.indent + cmp.Or(outer.indent, "  ")}
	if last, ok := d.lastHostdev(); ok {
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

func (d *domain) lastHostdev() (place, bool) {
	for _, child := range slices.Backward(d.children) {
		if child.name == "hostdev" {
			return child, true
		}
	}
	return place{}, false
}
