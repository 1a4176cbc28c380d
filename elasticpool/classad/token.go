package classad

import "strconv"

type tokenKind uint8

const (
	tokenEnd      tokenKind = iota
	tokenLiteral            // a number, a string, or true, false, undefined, error
	tokenName               // an attribute or function name
	tokenOperator           // an operator of the table operators
	tokenSign               // one of ( ) [ ] { } , ; . ? : =
)

type token struct {
	kind     tokenKind
	op       operator // of tokenOperator
	sign     byte     // of tokenSign
	value    Value    // of tokenLiteral
	name     string   // of tokenName, without quotes
	from, to int      // where it is in the text
}

// found shows the token in an error message.
func (t token) found(text string) string {
	if t.kind == tokenEnd {
		return "the end"
	}
	const enough = 40
	return strconv.Quote(text[t.from:min(t.to, t.from+enough)])
}

func (t token) is(sign byte) bool { return t.kind == tokenSign && t.sign == sign }

// operand says whether an operand may end with the token, so that a following minus is the operator and no part of a
// number.
func (t token) operand() bool {
	switch t.kind {
	case tokenLiteral, tokenName:
		return true
	case tokenSign:
		return t.sign == ')' || t.sign == ']' || t.sign == '}' || t.sign == '.'
	default:
		return false
	}
}
