package virtdriver

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// The limits of libxml2, and with it of libvirt: how deep elements nest, and how
// many bytes one text, and here the whole document, may have.
const (
	maxDepth = 256
	maxSize  = 10_000_000
)

var byteOrderMark = []byte("\ufeff")

// scanner walks through the tokens of a domain XML once and notes the places
// that matter. encoding/xml cuts the text into tokens; it neither expands
// entities that a document declares nor reads anything from outside. What it
// does not check of XML 1.0 and its namespaces is checked here.
type scanner struct {
	domain

	decoder *xml.Decoder
	token   place // where the token at hand starts
	open    []element
	scope   scope
	roots   int
	count   map[string]int
}

// element is an element that is not closed yet.
type element struct {
	raw      xml.Name // with the prefix in the place of the namespace
	devices  bool     // it is /domain/devices
	bindings int      // how many prefixes were bound outside of it
}

func readDomain(text []byte) (*domain, error) {
	if err := checkCharacters(text); err != nil {
		return nil, err
	}
	s := &scanner{domain: domain{text: text}, decoder: xml.NewDecoder(bytes.NewReader(text)), count: map[string]int{}}
	s.decoder.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("encoding %q, want UTF-8", charset)
	}
	for {
		s.token.start = int(s.decoder.InputOffset())
		s.token.line, s.token.column = s.decoder.InputPos()
		token, err := s.decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return s.finish()
		}
		if err != nil {
			return nil, s.malformed(err)
		}
		if err := s.take(token); err != nil {
			return nil, err
		}
	}
}

// malformed names the place where the decoder stopped.
func (s *scanner) malformed(err error) error {
	var at place
	at.line, at.column = s.decoder.InputPos()
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		err = errors.New(syntax.Msg)
	}
	return at.malformed("%w", err)
}

func (p place) malformed(format string, args ...any) error {
	return p.failure(wrap(ErrMalformedXML, format, args...))
}

func (s *scanner) finish() (*domain, error) {
	switch {
	case len(s.open) > 0:
		return nil, s.malformed(fmt.Errorf("unexpected EOF, <%s> is not closed", rawName(s.open[len(s.open)-1].raw)))
	case s.roots == 0:
		return nil, s.malformed(errors.New("there is no root element"))
	case s.devices.name == "":
		return nil, &ComposeError{Path: "/domain", Err: wrap(ErrDevices, "there is none")}
	}
	return &s.domain, nil
}

func (s *scanner) take(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		return s.start(token)
	case xml.EndElement:
		return s.end(token)
	case xml.CharData:
		return s.checkText()
	case xml.ProcInst:
		return s.checkInstruction(token.Target)
	case xml.Directive:
		return s.token.failure(ErrDoctype)
	}
	return nil
}

// raw is the text of the token at hand.
func (s *scanner) raw() []byte { return s.text[s.token.start:s.decoder.InputOffset()] }

func (s *scanner) start(token xml.StartElement) error {
	at := s.token
	at.name = rawName(token.Name)
	opened := element{raw: token.Name, bindings: len(s.scope.bound)}
	name, err := s.resolve(token)
	if err != nil {
		return at.malformed("%w", err)
	}
	if name.Space != "" {
		at.name = "{" + name.Space + "}" + name.Local
	}
	for _, attr := range token.Attr {
		if attr.Name == (xml.Name{Local: "type"}) {
			at.kind = attr.Value
		}
	}
	opened.devices = len(s.open) == 1 && at.name == "devices"
	s.open = append(s.open, opened)
	switch depth := len(s.open); {
	case depth > maxDepth:
		return at.malformed("elements nest deeper than %d", maxDepth)
	case depth == 1:
		return s.startRoot(at)
	case opened.devices:
		return s.startDevices(at)
	case depth == 3 && s.open[1].devices:
		s.count[at.name]++
		at.parent, at.nth = "/domain/devices", s.count[at.name]
		s.children = append(s.children, at)
	}
	return nil
}

// rawName is a name as it is written.
func rawName(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return name.Space + ":" + name.Local
}

func (s *scanner) startRoot(at place) error {
	s.roots++
	if s.roots > 1 {
		return at.malformed("a second root element")
	}
	if at.name != "domain" {
		return at.failure(ErrNotDomain)
	}
	tag := s.raw()
	quote := bytes.IndexAny(tag, `'"`)
	s.virtType, s.singleQuote = at.kind, quote >= 0 && tag[quote] == '\''
	return nil
}

func (s *scanner) startDevices(at place) error {
	at.parent = "/domain"
	if s.devices.name != "" {
		return at.failure(wrap(ErrDevices, "this is the second, the first is in line %d", s.devices.line))
	}
	s.devices, s.inner = at, int(s.decoder.InputOffset())
	return nil
}

// end closes the innermost element.
func (s *scanner) end(token xml.EndElement) error {
	depth := len(s.open)
	if depth == 0 {
		return s.token.malformed("unexpected end element </%s>", rawName(token.Name))
	}
	closed := s.open[depth-1]
	if closed.raw != token.Name {
		return s.malformed(fmt.Errorf("element <%s> closed by </%s>", rawName(closed.raw), rawName(token.Name)))
	}
	after := int(s.decoder.InputOffset())
	switch {
	case closed.devices:
		s.closing, s.devices.end = s.token.start, after
	case depth == 3 && s.open[1].devices:
		s.children[len(s.children)-1].end = after
	}
	s.open = s.open[:depth-1]
	s.scope.leave(closed.bindings)
	return nil
}
