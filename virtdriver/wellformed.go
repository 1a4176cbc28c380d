package virtdriver

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// blanks are the characters that XML takes for white space.
const blanks = " \t\r\n"

// checkCharacters wants UTF-8 text of the characters that XML has.
func checkCharacters(text []byte) error {
	if err := checkSize(text); err != nil {
		return err
	}
	for at := 0; at < len(text); {
		if c := text[at]; c >= ' ' && c < utf8.RuneSelf {
			at++
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			return placeAt(text, at).malformed("invalid UTF-8")
		case !isCharacter(r):
			return placeAt(text, at).malformed("illegal character %U", r)
		}
		at += size
	}
	return nil
}

// isCharacter is Char of XML 1.0.
func isCharacter(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= utf8.MaxRune
}

// placeAt is line and column of an offset, as encoding/xml counts them.
func placeAt(text []byte, offset int) place {
	before := text[:offset]
	return place{line: 1 + bytes.Count(before, []byte("\n")), column: offset - bytes.LastIndexByte(before, '\n')}
}

// checkTag wants blanks between the attributes of a start tag, and references to
// characters that XML has. Its quotes are known to match.
func checkTag(tag []byte) error {
	for rest := tag; ; {
		open := bytes.IndexAny(rest, `'"`)
		if open < 0 {
			return checkReferences(tag)
		}
		value := rest[open+1:]
		rest = value[bytes.IndexByte(value, rest[open])+1:]
		if !strings.ContainsRune(blanks+"/>", rune(rest[0])) {
			return errors.New("no blank between attributes")
		}
	}
}

// checkReferences wants numeric references to name characters that XML has. That
// they are digits with a semicolon is known.
func checkReferences(text []byte) error {
	if !bytes.Contains(text, []byte("&#")) {
		return nil
	}
	for _, reference := range numericReference.FindAllSubmatch(text, -1) {
		n, err := strconv.ParseInt(strings.Replace(string(reference[1]), "x", "0x", 1), 0, 32)
		if err != nil || !isCharacter(rune(n)) {
			return fmt.Errorf("%s is no character", reference[0])
		}
	}
	return nil
}

// checkText looks at text and CDATA sections.
func (s *scanner) checkText() error {
	raw := s.raw()
	if s.token.start == 0 {
		raw = bytes.TrimPrefix(raw, byteOrderMark)
	}
	if len(s.open) == 0 && len(bytes.Trim(raw, blanks)) > 0 {
		return s.token.malformed("text outside of the root element")
	}
	if bytes.HasPrefix(raw, []byte("<![CDATA[")) {
		return nil
	}
	if err := checkReferences(raw); err != nil {
		return s.token.malformed("%w", err)
	}
	return nil
}

var (
	numericReference = regexp.MustCompile(`&#(x?[0-9a-fA-F]+);`)
	// declaration is XMLDecl of XML 1.0; other versions and encodings are refused
	// by encoding/xml, which does not look at the rest.
	declaration = regexp.MustCompile(`^<\?xml[ \t\r\n]+version` + is + `(?:"1\.0"|'1\.0')` +
		`(?:[ \t\r\n]+encoding` + is + `(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?` +
		`(?:[ \t\r\n]+standalone` + is + `(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>$`)
)

const is = `[ \t\r\n]*=[ \t\r\n]*`

// checkInstruction looks at a processing instruction, of which the XML
// declaration is a special one that stands at the very start.
func (s *scanner) checkInstruction(target string) error {
	raw := s.raw()
	after := raw[len("<?")+len(target)]
	before := bytes.TrimPrefix(s.text[:s.token.start], byteOrderMark)
	switch {
	case target == "xml" && len(before) > 0:
		return s.token.malformed("XML declaration after the start of the document")
	case target == "xml" && !declaration.Match(raw):
		return s.token.malformed("bad XML declaration")
	case target != "xml" && strings.EqualFold(target, "xml"):
		return s.token.malformed("<?%s is reserved", target)
	case !isNCName(target):
		return s.token.malformed("%q is no name", target)
	case !strings.ContainsRune(blanks+"?", rune(after)) || after == '?' && len(raw) != len("<??>")+len(target):
		return s.token.malformed("no blank after <?%s", target)
	}
	return nil
}

// checkSize looks at a domain that is read, and at one that was made.
func checkSize(text []byte) error {
	if len(text) > maxSize {
		return &ComposeError{Err: wrap(ErrMalformedXML, "%d bytes, libvirt takes %d", len(text), maxSize)}
	}
	return nil
}
