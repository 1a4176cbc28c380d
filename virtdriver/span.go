package virtdriver

import (
	"bytes"
	"encoding/xml"
)

// span is where an element stands in the text of the domain. Its children are
// those in no namespace; libvirt passes over all others.
type span struct {
	name       string
	start, end int
	inner      int // where its start tag ends
	children   []*span
	space      string // the namespace of names without prefix
}

// span reads where the parts of a device are. The device was read before, so its
// text is well formed.
func (d *domain) span(at place) *span {
	decoder := xml.NewDecoder(bytes.NewReader(d.text[at.start:at.end]))
	offset := func() int { return at.start + int(decoder.InputOffset()) }
	whole := &span{}
	open := []*span{whole}
	for {
		start, innermost := offset(), open[len(open)-1]
		token, err := decoder.RawToken()
		switch token := token.(type) {
		case xml.StartElement:
			child := innermost.child(token)
			child.start, child.inner = start, offset()
			open = append(open, child)
		case xml.EndElement:
			innermost.end = offset()
			open = open[:len(open)-1]
		}
		if err != nil { // the end of the text
			return whole.children[0]
		}
	}
}

// child begins an element and adds it to the children, unless it is of a
// namespace.
func (s *span) child(token xml.StartElement) *span {
	child := &span{name: token.Name.Local, space: s.space}
	for _, attr := range token.Attr {
		if attr.Name == (xml.Name{Local: "xmlns"}) {
			child.space = attr.Value
		}
	}
	if child.space+token.Name.Space == "" {
		s.children = append(s.children, child)
	}
	return child
}

// named are the children of that name.
func (s *span) named(name string) []*span {
	var found []*span
	for _, child := range s.children {
		if child.name == name {
			found = append(found, child)
		}
	}
	return found
}

// attributeValue tells where the value of an attribute stands in a start tag,
// between its quotes.
func attributeValue(tag []byte, name string) (from, to int, ok bool) {
	at := bytes.IndexAny(tag, blanks)
	for at >= 0 && at < len(tag) {
		at += len(tag[at:]) - len(bytes.TrimLeft(tag[at:], blanks))
		equals := bytes.IndexByte(tag[at:], '=')
		if equals < 0 { // the end of the tag
			break
		}
		found := string(bytes.TrimRight(tag[at:at+equals], blanks))
		at += equals
		from = at + bytes.IndexAny(tag[at:], `'"`) + 1
		to = from + bytes.IndexByte(tag[from:], tag[from-1])
		if found == name {
			return from, to, true
		}
		at = to + 1
	}
	return 0, 0, false
}
