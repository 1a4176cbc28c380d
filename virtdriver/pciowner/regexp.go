package pciowner

import (
	"regexp"
	"strings"
)

// compile makes a regular expression of Python into one of Go that matches the
// same beginnings of addresses. Only what both read alike is taken; the fields
// of an address are a few hexadecimal digits, so no more is needed.
func compile(python string) (*regexp.Regexp, *fault) {
	t := translator{rest: python}
	for t.rest != "" {
		if bad := t.step(); bad != nil {
			return nil, bad
		}
	}
	if _, err := regexp.Compile(t.out.String()); err != nil { // alone, so that its brackets are its own
		return nil, faultf(ErrAddress, "%v", err)
	}
	compiled, err := regexp.Compile("^(?:" + t.out.String() + ")")
	if err != nil {
		return nil, faultf(ErrRegexp, "%v", err)
	}
	return compiled, nil
}

// translator goes over an expression from left to right.
type translator struct {
	rest string
	out  strings.Builder
	// anchored says that the last part matches a place and no character: Python
	// does not let it be repeated.
	anchored bool
	// repeated says that the last part was a repetition: a + after it would make
	// it possessive.
	repeated bool
}

func (t *translator) take(n int) string {
	text := t.rest[:n]
	t.rest = t.rest[n:]
	return text
}

var repetition = regexp.MustCompile(`^(?:[*+?]|\{([0-9]*)(,?)([0-9]*)\})`)

func (t *translator) step() *fault {
	if m := repetition.FindStringSubmatch(t.rest); m != nil && m[0] != "{}" {
		return t.repeat(m)
	}
	anchored := false
	switch c := t.rest[0]; c {
	case '\\':
		escaped, anchor, bad := t.escape()
		if bad != nil {
			return bad
		}
		t.out.WriteString(escaped)
		anchored = anchor
	case '[':
		if bad := t.class(); bad != nil {
			return bad
		}
	case '(':
		if bad := t.open(); bad != nil {
			return bad
		}
	case '{', '}':
		t.out.WriteString(`\` + t.take(1))
	default:
		anchored = c == '^' || c == '$'
		t.out.WriteString(t.take(1))
	}
	t.anchored, t.repeated = anchored, false
	return nil
}

// open copies the beginning of a group.
func (t *translator) open() *fault {
	switch {
	case strings.HasPrefix(t.rest, "(?:"):
		t.out.WriteString(t.take(len("(?:")))
	case strings.HasPrefix(t.rest, "(?"):
		return faultf(ErrRegexp, "groups that begin with (? can only be (?:…)")
	default:
		t.out.WriteString(t.take(1))
	}
	return nil
}

func (t *translator) repeat(m []string) *fault {
	switch {
	case t.anchored:
		return faultf(ErrAddress, "nothing to repeat before %s", m[0])
	case t.repeated && m[0] == "+":
		return faultf(ErrRegexp, "possessive repetitions are not read")
	}
	text := m[0]
	if m[2] == "," && m[1] == "" {
		text = "{0," + m[3] + "}"
	}
	t.take(len(m[0]))
	t.out.WriteString(text)
	t.repeated = !t.repeated || m[0] != "?" // a ? after a repetition makes it lazy, and that is its end
	return nil
}

// escape reads a backslash and what it stands before.
func (t *translator) escape() (text string, anchor bool, bad *fault) {
	if len(t.rest) == 1 {
		return "", false, faultf(ErrAddress, "a backslash at the end")
	}
	pair := t.take(2)
	switch c := pair[1]; {
	case c == 'Z':
		return `\z`, true, nil
	case strings.ContainsRune("AbB", rune(c)):
		return pair, true, nil
	case strings.ContainsRune("dDwWsS", rune(c)):
		return pair, false, nil
	case c < 0x80 && !alphanumeric(c):
		return regexp.QuoteMeta(pair[1:]), false, nil
	}
	return "", false, faultf(ErrRegexp, "%s is not read", pair)
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

var classForm = regexp.MustCompile(`^\[\^?\]?(?:[^\]\\]|\\[dDwWsS\]\\^.-])*\]`)

// class copies a set of characters.
func (t *translator) class() *fault {
	text := classForm.FindString(t.rest)
	if text == "" {
		return faultf(ErrRegexp, "a set of characters that is not closed, or has escapes that are not read")
	}
	t.take(len(text))
	inner := text[1 : len(text)-1]
	if strings.Contains(inner, "[") {
		return faultf(ErrRegexp, "a bracket within a set of characters is not read")
	}
	t.out.WriteString(text)
	return nil
}
