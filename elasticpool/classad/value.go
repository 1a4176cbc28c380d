package classad

import (
	"math"
	"strings"
)

// Value is the result of an evaluation: HTCondor's classad::Value. The zero Value is undefined.
type Value struct {
	kind    Kind
	integer int64 // of a boolean 0 or 1, of a real its bits
	text    string
	list    *list  // its elements are evaluated when they are needed
	scope   *scope // of a list: where it was met; of an ad: the ad with what is around it
}

// Undefined returns the value of a missing attribute.
func Undefined() Value { return Value{} }

// Failed returns the error value.
func Failed() Value { return Value{kind: KindError} }

// Bool returns a boolean value.
func Bool(b bool) Value {
	v := Value{kind: KindBoolean}
	if b {
		v.integer = 1
	}
	return v
}

// Int returns an integer value.
func Int(i int64) Value { return Value{kind: KindInteger, integer: i} }

// Real returns a real value.
func Real(f float64) Value {
	return Value{kind: KindReal, integer: int64(math.Float64bits(f))} //nolint:gosec // all bits are kept
}

// Text returns a string value. Like HTCondor's strings it ends before the first zero byte.
func Text(s string) Value {
	s, _, _ = strings.Cut(s, "\x00")
	return Value{kind: KindString, text: s}
}

// List returns a list of values.
func List(values ...Value) Value {
	elements := make([]node, len(values))
	for i, v := range values {
		elements[i] = v.node()
	}
	return Value{kind: KindList, list: &list{elements}}
}

// Nested returns an ad as a value, for example a device within the ad of its slot.
func Nested(ad Ad) Value { return Value{kind: KindAd, scope: &scope{ad: ad}} }

// Kind returns the type of the value.
func (v Value) Kind() Kind { return v.kind }

// Equal says whether both values have the same type and the same text; go-cmp uses it. A NaN is equal to a NaN.
func (v Value) Equal(other Value) bool { return v.kind == other.kind && v.String() == other.String() }

// IsTrue says whether a constraint with this value is met. A number other than zero is as good as true, as in
// HTCondor's matchmaking; everything else but true, undefined and error included, is not.
func (v Value) IsTrue() bool {
	truth, ok := v.truth()
	return ok && truth
}

// Bool returns a boolean.
func (v Value) Bool() (b, ok bool) {
	return v.integer != 0 && v.kind == KindBoolean, v.kind == KindBoolean
}

// Int returns an integer, or a real that has no fraction and fits.
func (v Value) Int() (i int64, ok bool) {
	switch v.kind {
	case KindInteger:
		return v.integer, true
	case KindReal:
		if f := v.real(); f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return int64(f), true
		}
	}
	return 0, false
}

// Number returns an integer or real.
func (v Value) Number() (f float64, ok bool) {
	switch v.kind {
	case KindInteger:
		return float64(v.integer), true
	case KindReal:
		return v.real(), true
	default:
		return 0, false
	}
}

// Text returns the characters of a string, without quotes.
func (v Value) Text() (s string, ok bool) { return v.text, v.kind == KindString }

// List returns the elements of a list, evaluated.
func (v Value) List() (values []Value, ok bool) {
	if v.kind != KindList {
		return nil, false
	}
	around := v.scope
	if around == nil {
		around = &scope{}
	}
	values = make([]Value, len(v.list.elements))
	for i := range v.list.elements {
		values[i] = newRun().root(v.list.elements[i], around)
	}
	return values, true
}

// Ad returns a nested ad.
func (v Value) Ad() (ad Ad, ok bool) {
	if v.kind != KindAd {
		return Ad{}, false
	}
	return v.scope.ad, true
}

// truth returns what a value means in a logical expression: only booleans and numbers mean something.
func (v Value) truth() (truth, ok bool) {
	switch v.kind {
	case KindBoolean, KindInteger:
		return v.integer != 0, true
	case KindReal:
		return v.real() != 0, true
	default:
		return false, false
	}
}

// exceptional says whether the value is undefined or the error value.
func (v Value) exceptional() bool { return v.kind == KindUndefined || v.kind == KindError }

// node returns the value as a part of an expression.
func (v Value) node() node {
	switch v.kind {
	case KindList:
		return v.list
	case KindAd:
		return &record{v.scope.ad}
	default:
		return &literal{v}
	}
}

func (v Value) real() float64 { return math.Float64frombits(uint64(v.integer)) } //nolint:gosec // all bits are kept
