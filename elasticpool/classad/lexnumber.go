package classad

import "strconv"

// number reads an integer or real. HTCondor knows neither octal and hexadecimal numbers nor numbers that end with a
// point.
func (l *lexer) number() (token, error) {
	from := l.at
	if l.peek(0) == '-' {
		l.at++
	}
	zero := l.peek(0) == '0'
	whole := l.digits()
	if zero && (whole > 1 || lower(l.peek(0)) == 'x') {
		return token{}, l.fault(from, l.at+1, "a decimal number without leading zeros")
	}
	real := false
	if l.peek(0) == '.' {
		l.at++
		real = true
		if l.digits() == 0 {
			return token{}, l.fault(from, l.at, "a digit after the point")
		}
	}
	if lower(l.peek(0)) == 'e' {
		l.at++
		real = true
		if c := l.peek(0); c == '+' || c == '-' {
			l.at++
		}
		if l.digits() == 0 {
			return token{}, l.fault(from, l.at, "a digit in the exponent")
		}
	}
	value, err := l.convert(from, real)
	return token{kind: tokenLiteral, value: value}, err
}

func (l *lexer) convert(from int, real bool) (Value, error) {
	text := l.text[from:l.at]
	if real {
		f, _ := strconv.ParseFloat(text, 64) // only the range can be wrong: then it is infinite, as in HTCondor
		return Real(f), nil
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return Value{}, l.fault(from, l.at, "an integer of 64 bits")
	}
	return Int(i), nil
}

func (l *lexer) digits() int {
	from := l.at
	for isDigit(l.peek(0)) {
		l.at++
	}
	return l.at - from
}
