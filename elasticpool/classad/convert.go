package classad

import (
	"math"
	"strconv"
	"strings"
)

// float converts to a real as HTCondor's functions do: of a string they take the number it begins with.
func (v Value) float() (f float64, ok bool) {
	switch v.kind {
	case KindReal:
		return v.real(), true
	case KindInteger, KindBoolean:
		return float64(v.integer), true
	case KindString:
		return leadingNumber(v.text)
	default:
		return 0, false
	}
}

func toInteger(_ *run, arguments []Value) Value {
	v := arguments[0]
	if v.kind == KindInteger || v.kind == KindBoolean {
		return Int(v.integer)
	}
	f, ok := v.float()
	if !ok {
		return Failed()
	}
	return Int(truncate(f))
}

func toReal(_ *run, arguments []Value) Value {
	f, ok := arguments[0].float()
	if !ok {
		return Failed()
	}
	return Real(f)
}

func toBoolean(_ *run, arguments []Value) Value {
	v := arguments[0]
	if truth, ok := v.truth(); ok {
		return Bool(truth)
	}
	switch {
	case v.kind != KindString:
		return Failed()
	case equalFolded(v.text, "true"):
		return Bool(true)
	case equalFolded(v.text, "false"):
		return Bool(false)
	}
	return Undefined()
}

func toString(_ *run, arguments []Value) Value { return Text(arguments[0].characters()) }

// truncate drops the fraction. What does not fit becomes the smallest integer, as on the machines HTCondor runs on.
func truncate(f float64) int64 {
	if math.Abs(f) < 1<<63 {
		return int64(f)
	}
	return math.MinInt64 // also of what is no number
}

// leadingNumber reads the number a text begins with, like C's strtod.
func leadingNumber(text string) (f float64, ok bool) {
	const longest = 64
	text = strings.TrimLeft(text, blanks)
	text, _, _ = strings.Cut(text, "_") // Go's digit separator
	for n := min(len(text), longest); n > 0; n-- {
		if f, ok := number(text[:n]); ok {
			return f, true
		}
	}
	return 0, false
}

func number(text string) (f float64, ok bool) {
	digits := fold(strings.TrimLeft(text, "+-"))
	if strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p") {
		text += "p0" // Go wants an exponent in hexadecimal reals
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}
