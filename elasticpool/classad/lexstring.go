package classad

import "strings"

// quoted reads a string or a quoted name. Adjacent ones are one, as in C.
func (l *lexer) quoted(quote byte) (string, error) {
	var b strings.Builder
	for {
		if err := l.quotedPart(quote, &b); err != nil {
			return "", err
		}
		end := l.at
		for l.at < len(l.text) && strings.IndexByte(blanks, l.text[l.at]) >= 0 {
			l.at++
		}
		if l.peek(0) != quote {
			l.at = end
			return b.String(), nil
		}
	}
}

func (l *lexer) quotedPart(quote byte, b *strings.Builder) error {
	from := l.at
	l.at++
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		switch c {
		case quote:
			return nil
		case '\\':
			if err := l.escape(b); err != nil {
				return err
			}
		case 0:
			return l.fault(l.at-1, l.at, "no zero byte in a string")
		default:
			b.WriteByte(c)
		}
	}
	return l.fault(from, l.at, "the quote to be closed")
}

// escapes are the letters that stand for a control character after a backslash. Every other character stands for
// itself there.
var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// escape reads what follows a backslash: a letter, or up to three octal digits (two after 4 to 7).
func (l *lexer) escape(b *strings.Builder) error {
	c := l.peek(0)
	if '0' <= c && c <= '7' {
		return l.octal(b)
	}
	l.at++
	if control, ok := escapes[c]; ok {
		c = control
	}
	b.WriteByte(c)
	return nil
}

func (l *lexer) octal(b *strings.Builder) error {
	from, code := l.at, 0
	most := 3
	if l.peek(0) > '3' {
		most = 2
	}
	for l.at-from < most && '0' <= l.peek(0) && l.peek(0) <= '7' {
		code = code*8 + int(l.peek(0)-'0')
		l.at++
	}
	if code == 0 {
		return l.fault(from-1, l.at, "no zero byte in a string")
	}
	b.WriteByte(byte(code))
	return nil
}
