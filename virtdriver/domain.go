package virtdriver

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/beevik/etree"
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
	// tree is the whole domain, read when something needs more than the places.
	tree *etree.Element
}

// place is an element in the text.
type place struct {
	name       string
	kind       string // the attribute type
	parent     string // the path of what it is in, as far as it is told
	nth        int    // which of its name it is in the parent, from 1; 0 is the only one
	start, end int
	line       int
	column     int
}

func (p place) failure(err error) *ComposeError {
	return &ComposeError{Line: p.line, Column: p.column, Path: p.path(), Err: err}
}

// about is an error about an ARQ's device at this place.
func (p place) about(d device, err error) *ComposeError {
	e := p.failure(err)
	e.ARQs = []string{d.arq.UUID}
	return e
}

// path is empty for what is no element.
func (p place) path() string {
	switch {
	case p.name == "":
		return ""
	case p.nth == 0:
		return p.parent + "/" + p.name
	}
	return fmt.Sprintf("%s/%s[%d]", p.parent, p.name, p.nth)
}

// root reads the whole domain, once.
func (d *domain) root() (*etree.Element, error) {
	if d.tree == nil {
		var err error
		if d.tree, err = readElement(d.text); err != nil {
			return nil, place{line: 1, column: 1, name: "domain"}.failure(err)
		}
	}
	return d.tree, nil
}

// element reads the text of a child of <devices>.
func (d *domain) element(child int) (*etree.Element, error) {
	at := d.children[child]
	element, err := readElement(d.text[at.start:at.end])
	if err != nil {
		return nil, at.failure(err)
	}
	return element, nil
}

// readElement reads the text of one element.
func readElement(text []byte) (*etree.Element, error) {
	doc := etree.NewDocument()
	doc.ReadSettings.PreserveCData = true
	if err := doc.ReadFromBytes(text); err != nil {
		return nil, wrap(ErrMalformedXML, "%w", err)
	}
	return doc.Root(), nil
}

// last is the last child of <devices> with that name.
func (d *domain) last(name string) (place, bool) {
	for _, child := range slices.Backward(d.children) {
		if child.name == name {
			return child, true
		}
	}
	return place{}, false
}

// contentEnd is where the content of <devices> ends but for white space.
func (d *domain) contentEnd() int {
	return d.inner + len(bytes.TrimRight(d.text[d.inner:d.closing], blanks))
}
