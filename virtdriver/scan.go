package virtdriver

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// maxDepth bounds the nesting of elements, as etree does.
const maxDepth = 1024

var byteOrderMark = []byte("\ufeff")

// scanner walks through the tokens of a domain XML once and notes the places
// that matter. encoding/xml checks that the text is well formed; it neither
// expands entities that a document declares nor reads anything from outside.
type scanner struct {
	domain

	decoder *xml.Decoder
	token   place // where the token at hand starts
	open    []xml.Name
	roots   int
	count   map[string]int
}

func readDomain(text []byte) (*domain, error) {
	s := &scanner{domain: domain{text: text}, decoder: xml.NewDecoder(bytes.NewReader(text)), count: map[string]int{}}
	s.decoder.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("encoding %q, want UTF-8", charset)
	}
	for {
		s.token.start = int(s.decoder.InputOffset())
		s.token.line, s.token.column = s.decoder.InputPos()
		token, err := s.decoder.Token()
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
	return at.failure(wrap(ErrMalformedXML, "%w", err))
}

func (s *scanner) finish() (*domain, error) {
	if s.roots == 0 {
		return nil, s.malformed(errors.New("there is no root element"))
	}
	if s.devices.name == "" {
		return nil, &ComposeError{Path: "/domain", Err: wrap(ErrDevices, "there is none")}
	}
	return &s.domain, nil
}

func (s *scanner) take(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		return s.start(token)
	case xml.EndElement:
		s.end()
	case xml.CharData:
		text := token
		if s.token.start == 0 {
			text = bytes.TrimPrefix(text, byteOrderMark)
		}
		if len(s.open) == 0 && len(bytes.TrimSpace(text)) > 0 {
			return s.token.failure(wrap(ErrMalformedXML, "text outside of the root element"))
		}
	case xml.Directive:
		return s.token.failure(ErrDoctype)
	}
	return nil
}

func (s *scanner) start(element xml.StartElement) error {
	s.open = append(s.open, element.Name)
	at := s.token
	at.name, at.path = element.Name.Local, "/"+element.Name.Local
	for _, attr := range element.Attr {
		if attr.Name == (xml.Name{Local: "type"}) {
			at.kind = attr.Value
		}
	}
	switch {
	case len(s.open) > maxDepth:
		return at.failure(wrap(ErrMalformedXML, "elements nest deeper than %d", maxDepth))
	case len(s.open) == 1:
		return s.startRoot(element.Name, at)
	case len(s.open) == 2 && element.Name == (xml.Name{Local: "devices"}):
		return s.startDevices(at)
	case len(s.open) == 3 && s.inDevices():
		s.count[at.name]++
		at.path = fmt.Sprintf("/domain/devices/%s[%d]", at.name, s.count[at.name])
		s.children = append(s.children, at)
	}
	return nil
}

func (s *scanner) startRoot(name xml.Name, at place) error {
	s.roots++
	if s.roots > 1 {
		return at.failure(wrap(ErrMalformedXML, "a second root element"))
	}
	if name != (xml.Name{Local: "domain"}) {
		if name.Space != "" {
			at.path = fmt.Sprintf("/{%s}%s", name.Space, name.Local)
		}
		return at.failure(ErrNotDomain)
	}
	tag := s.text[at.start:s.decoder.InputOffset()]
	quote := bytes.IndexAny(tag, `'"`)
	s.virtType, s.singleQuote = at.kind, quote >= 0 && tag[quote] == '\''
	return nil
}

func (s *scanner) startDevices(at place) error {
	at.path = "/domain/devices"
	if s.devices.name != "" {
		return at.failure(wrap(ErrDevices, "this is the second, the first is in line %d", s.devices.line))
	}
	s.devices, s.inner = at, int(s.decoder.InputOffset())
	return nil
}

// end closes the element at hand. The places of the children have names of
// their own, so only the element <devices> and its children are looked at.
func (s *scanner) end() {
	after := int(s.decoder.InputOffset())
	switch {
	case len(s.open) == 2 && s.inDevices():
		s.closing, s.devices.end = s.token.start, after
	case len(s.open) == 3 && s.inDevices():
		s.children[len(s.children)-1].end = after
	}
	s.open = s.open[:len(s.open)-1]
}

// inDevices says that the token at hand is in /domain/devices or ends it.
func (s *scanner) inDevices() bool {
	return len(s.open) >= 2 && s.open[1] == xml.Name{Local: "devices"}
}
