package classad

import "strings"

// lexer cuts a text into tokens, one at a time.
type lexer struct {
	text string
	at   int
	last token
}

// words are the names that are no attributes, in lower case.
var words = map[string]token{
	"true":      {kind: tokenLiteral, value: Bool(true)},
	"false":     {kind: tokenLiteral, value: Bool(false)},
	"undefined": {kind: tokenLiteral, value: Undefined()},
	"error":     {kind: tokenLiteral, value: Failed()},
	"is":        {kind: tokenOperator, op: opIs},
	"isnt":      {kind: tokenOperator, op: opIsnt},
}

func (l *lexer) next() (token, error) {
	if err := l.skipBlanks(); err != nil {
		return token{}, err
	}
	from := l.at
	t, err := l.scan()
	t.from, t.to = from, l.at
	l.last = t
	return t, err
}

func (l *lexer) scan() (token, error) {
	c := l.peek(0)
	switch {
	case l.at == len(l.text):
		return token{kind: tokenEnd}, nil
	case isDigit(c), c == '.' && isDigit(l.peek(1)), c == '-' && l.negative():
		return l.number()
	case isLetter(c):
		return l.word(), nil
	case c == '"':
		text, err := l.quoted('"')
		return token{kind: tokenLiteral, value: Text(text)}, err
	case c == '\'':
		name, err := l.quoted('\'')
		return token{kind: tokenName, name: name}, err
	}
	return l.punctuation()
}

// negative says whether the minus here begins a number.
func (l *lexer) negative() bool {
	if l.last.operand() {
		return false
	}
	return isDigit(l.peek(1)) || l.peek(1) == '.' && isDigit(l.peek(2))
}

func (l *lexer) word() token {
	from := l.at
	for isLetter(l.peek(0)) || isDigit(l.peek(0)) {
		l.at++
	}
	name := l.text[from:l.at]
	if reserved, ok := words[fold(name)]; ok {
		return reserved
	}
	return token{kind: tokenName, name: name}
}

func (l *lexer) punctuation() (token, error) {
	rest := l.text[l.at:]
	for _, s := range signs {
		if strings.HasPrefix(rest, s.text) {
			l.at += len(s.text)
			return token{kind: tokenOperator, op: s.op}, nil
		}
	}
	if strings.IndexByte("()[]{},;.?:=", rest[0]) >= 0 {
		l.at++
		return token{kind: tokenSign, sign: rest[0]}, nil
	}
	return token{}, l.fault(l.at, l.at+1, "an operand or operator")
}

// skipBlanks moves to the next token: comments of C and C++ are blanks too.
func (l *lexer) skipBlanks() error {
	for {
		rest := l.text[l.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			l.at += len(line)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return l.fault(l.at, l.at+2, "the comment to be closed by */")
			}
			l.at += len("/*") + end + len("*/")
		case rest != "" && strings.IndexByte(blanks, rest[0]) >= 0:
			l.at++
		default:
			return nil
		}
	}
}

// peek returns the byte that many places ahead, or 0 after the end.
func (l *lexer) peek(ahead int) byte {
	if l.at+ahead < len(l.text) {
		return l.text[l.at+ahead]
	}
	return 0
}

func (l *lexer) fault(from, to int, want string) error {
	bad := token{kind: tokenLiteral, from: from, to: min(to, len(l.text))}
	if from >= len(l.text) {
		bad.kind = tokenEnd
	}
	return &Error{Column: from + 1, Found: bad.found(l.text), Want: want, reason: ErrSyntax}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return c == '_' || 'a' <= lower(c) && lower(c) <= 'z' }
