package classad

import "strings"

const (
	wrapStart = "/Expr("
	wrapEnd   = ")/"
)

// Unwrap returns the expression that a JSON string of HTCondor's tools stands for. condor_q -json and condor_status
// -json print an attribute that is no literal as "\/Expr(1 + (2 % 4))\/"; after JSON decoding this is
// /Expr(1 + (2 % 4))/. Of any other string ok is false.
func Unwrap(text string) (expression string, ok bool) {
	inner, found := strings.CutPrefix(text, wrapStart)
	if !found {
		return "", false
	}
	return strings.CutSuffix(inner, wrapEnd)
}

func wrap(expression string) string { return wrapStart + expression + wrapEnd }
