package classad

import "math"

func rounding(f func(float64) float64) function {
	return func(r *run, s *scope, arguments []node) Value {
		if len(arguments) != 1 {
			return Failed()
		}
		v := r.eval(arguments[0], s)
		if v.kind == KindInteger {
			return v
		}
		x, ok := v.float()
		if !ok {
			return Failed() // also when undefined
		}
		return Int(truncate(f(x)))
	}
}

func floor(x float64) float64 { return math.Floor(x) }

func ceiling(x float64) float64 { return math.Ceil(x) }

// nearest rounds halves to the even neighbour.
func nearest(x float64) float64 { return math.RoundToEven(x) }

// quantize rounds its first argument up to a multiple of the second, or to the first element of a list that is not
// smaller, or beyond the list to a multiple of its last element.
func quantize(r *run, s *scope, arguments []node) Value {
	if len(arguments) != 2 {
		return Failed()
	}
	amount, base := r.eval(arguments[0], s), r.eval(arguments[1], s)
	x, ok := amount.float()
	if !ok {
		return Failed()
	}
	if base.kind == KindList {
		base, ok = r.step(base, x, s)
		if ok {
			return base
		}
	}
	return multiple(amount, base)
}

// step returns the first element that is at least x. When there is none, enough is false and the last element is
// returned: of an empty list 0, which is no step at all, and the error value when an element is no number.
func (r *run) step(steps Value, x float64, s *scope) (element Value, enough bool) {
	element = Real(0)
	for i := range steps.list.elements {
		element = r.element(steps, i, s)
		f, ok := element.float()
		if !ok {
			return Failed(), true
		}
		if f >= x {
			return element, true
		}
	}
	return element, false
}

func multiple(amount, base Value) Value {
	x, _ := amount.float()
	step, ok := base.float()
	switch {
	case !ok:
		return Failed()
	case base.kind == KindInteger && base.integer == 0, base.kind != KindInteger && math.Abs(step) <= 1e-8:
		return amount
	case base.kind == KindInteger && amount.kind == KindInteger:
		return Int((amount.integer + base.integer - 1) / base.integer * base.integer)
	}
	return Real(math.Ceil(x/step) * step)
}
