package virtdriver

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// The namespaces that prefixes are bound to from the start.
const (
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
)

// scope is the prefixes that are bound where the scanner is.
type scope struct {
	spaces map[string][]string // by prefix, the innermost last
	bound  []string            // the prefixes, the innermost last
}

// leave forgets all but the outermost n bindings.
func (s *scope) leave(n int) {
	for _, prefix := range s.bound[n:] {
		s.spaces[prefix] = s.spaces[prefix][:len(s.spaces[prefix])-1]
	}
	s.bound = s.bound[:n]
}

// lookup returns the namespace of a prefix; the empty prefix is always bound.
func (s scope) lookup(prefix string) (string, bool) {
	if spaces := s.spaces[prefix]; len(spaces) > 0 {
		return spaces[len(spaces)-1], true
	}
	if prefix == "xml" {
		return xmlNamespace, true
	}
	return "", prefix == ""
}

// resolve checks the names and attributes of a start tag, binds its prefixes and
// returns the element's name with its namespace.
func (s *scanner) resolve(token xml.StartElement) (xml.Name, error) {
	if err := checkTag(s.raw()); err != nil {
		return xml.Name{}, err
	}
	if err := checkName(token.Name); err != nil {
		return xml.Name{}, err
	}
	for _, attr := range token.Attr {
		if err := checkName(attr.Name); err != nil {
			return xml.Name{}, err
		}
		if err := s.scope.bind(attr); err != nil {
			return xml.Name{}, err
		}
	}
	if err := s.scope.checkAttributes(token.Attr); err != nil {
		return xml.Name{}, err
	}
	return s.scope.resolve(token.Name)
}

// resolve puts the namespace in the place of the prefix.
func (s scope) resolve(name xml.Name) (xml.Name, error) {
	space, ok := s.lookup(name.Space)
	if !ok || name.Space == "xmlns" {
		return xml.Name{}, fmt.Errorf("the prefix of %s is not declared", rawName(name))
	}
	return xml.Name{Space: space, Local: name.Local}, nil
}

// bind adds the prefix that an attribute declares, if it declares one.
func (s *scope) bind(attr xml.Attr) error {
	prefix, space := "", attr.Value
	switch {
	case attr.Name.Space == "xmlns":
		prefix = attr.Name.Local
	case attr.Name != xml.Name{Local: "xmlns"}:
		return nil
	}
	reserved := space == xmlNamespace || space == xmlnsNamespace
	switch {
	case prefix == "xml" && space == xmlNamespace:
	case prefix == "xml" || prefix == "xmlns" || reserved:
		return fmt.Errorf("%s binds what XML reserves", rawName(attr.Name))
	case prefix != "" && space == "":
		return fmt.Errorf("%s is empty", rawName(attr.Name))
	}
	if s.spaces == nil {
		s.spaces = make(map[string][]string)
	}
	s.spaces[prefix] = append(s.spaces[prefix], space)
	s.bound = append(s.bound, prefix)
	return nil
}

// checkAttributes wants prefixes to be declared and attributes to be there once,
// as written and with their namespaces.
func (s scope) checkAttributes(attrs []xml.Attr) error {
	if len(attrs) < 2 && (len(attrs) == 0 || attrs[0].Name.Space == "") {
		return nil
	}
	if len(attrs) == 2 && attrs[0].Name.Space+attrs[1].Name.Space == "" && attrs[0].Name != attrs[1].Name { // most
		return nil
	}
	seen := make(map[xml.Name]bool, len(attrs))
	for _, attr := range attrs {
		name := attr.Name
		if name.Space != "" && name.Space != "xmlns" {
			var err error
			if name, err = s.resolve(name); err != nil {
				return err
			}
		}
		if seen[name] {
			return fmt.Errorf("attribute %s is there twice", rawName(attr.Name))
		}
		seen[name] = true
	}
	return nil
}

// maxName is how many bytes libxml2 takes for a name.
const maxName = 50_000

// checkName wants prefix and local part to be names without colon, as XML 1.0 in
// its fifth edition and its namespaces define them.
func checkName(name xml.Name) error {
	if len(name.Local) > maxName || len(name.Space) > maxName {
		return errors.New("a name is too long")
	}
	if !isNCName(name.Local) || name.Space != "" && !isNCName(name.Space) {
		return fmt.Errorf("%q is no name", rawName(name))
	}
	return nil
}

func isNCName(text string) bool {
	for i, r := range text {
		if r >= 'a' && r <= 'z' { // most are
			continue
		}
		if !unicode.Is(nameStart, r) && (i == 0 || !unicode.Is(nameMore, r)) {
			return false
		}
	}
	return text != "" && !strings.Contains(text, ":")
}

// nameStart is NameStartChar of XML 1.0 without the colon.
var nameStart = &unicode.RangeTable{
	R16: []unicode.Range16{
		{'A', 'Z', 1},
		{'_', '_', 1},
		{'a', 'z', 1},
		{0xc0, 0xd6, 1},
		{0xd8, 0xf6, 1},
		{0xf8, 0x2ff, 1},
		{0x370, 0x37d, 1},
		{0x37f, 0x1fff, 1},
		{0x200c, 0x200d, 1},
		{0x2070, 0x218f, 1},
		{0x2c00, 0x2fef, 1},
		{0x3001, 0xd7ff, 1},
		{0xf900, 0xfdcf, 1},
		{0xfdf0, 0xfffd, 1},
	},
	R32:         []unicode.Range32{{0x10000, 0xeffff, 1}},
	LatinOffset: 5,
}

// nameMore is what NameChar has in addition.
var nameMore = &unicode.RangeTable{
	R16: []unicode.Range16{
		{'-', '.', 1}, {'0', '9', 1}, {0xb7, 0xb7, 1}, {0x300, 0x36f, 1}, {0x203f, 0x2040, 1},
	},
	LatinOffset: 3,
}
