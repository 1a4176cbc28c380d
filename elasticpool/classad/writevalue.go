package classad

import (
	"fmt"
	"math"
	"strconv"
)

// String returns the value as HTCondor prints it in an expression: strings in quotes, reals with sixteen digits, the
// elements of a list as the expressions they are. Parse accepts the text.
func (v Value) String() string {
	var p printer
	v.write(&p)
	return string(p.text)
}

// characters converts to a string as HTCondor's functions do: a string is itself, everything else is what HTCondor
// prints in an expression.
func (v Value) characters() string {
	if v.kind == KindString {
		return v.text
	}
	p := printer{verbatim: true}
	v.write(&p)
	return string(p.text)
}

func (v Value) write(p *printer) {
	switch v.kind {
	case KindBoolean:
		p.add(strconv.FormatBool(v.integer != 0))
	case KindInteger:
		p.add(strconv.FormatInt(v.integer, 10))
	case KindReal:
		p.add(formatReal(v.real(), p.verbatim))
	case KindString:
		writeQuoted(p, v.text, '"')
	case KindList:
		v.list.write(p)
	case KindAd:
		v.scope.write(p)
	default:
		p.add(v.kind.String()) // undefined and error
	}
}

// formatReal prints sixteen significant digits, as HTCondor does, or unless verbatim seventeen when sixteen would be read
// as another number.
func formatReal(f float64, verbatim bool) string {
	switch {
	case math.IsNaN(f):
		return `real("NaN")`
	case math.IsInf(f, 1):
		return `real("INF")`
	case math.IsInf(f, -1):
		return `real("-INF")`
	case f == 0:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	text := strconv.FormatFloat(f, 'E', 15, 64)
	if same, err := strconv.ParseFloat(text, 64); !verbatim && (err != nil || same != f) {
		text = strconv.FormatFloat(f, 'E', 16, 64)
	}
	return text
}

var escaped = map[byte]string{
	'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`, '\\': `\\`,
}

func writeQuoted(p *printer, text string, quote byte) {
	p.add(string(quote))
	for i := range len(text) {
		c := text[i]
		switch short, ok := escaped[c]; {
		case ok:
			p.add(short)
		case c == quote:
			p.add(`\`)
			p.add(text[i : i+1])
		case c < ' ' || c > '~':
			p.add(fmt.Sprintf(`\%03o`, c))
		default:
			p.add(text[i : i+1])
		}
	}
	p.add(string(quote))
}
