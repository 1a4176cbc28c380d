package classad

import "cmp"

// compare evaluates == != < <= > >= for values that are neither undefined nor the error value.
func compare(op operator, left, right Value) Value {
	if left.kind == KindString && right.kind == KindString {
		return holds(op, compareFolded(left.text, right.text))
	}
	left, right, ok := numbers(left, right)
	switch {
	case !ok:
		return Failed()
	case left.kind == KindInteger:
		return holds(op, cmp.Compare(left.integer, right.integer))
	case left.real() != left.real() || right.real() != right.real(): // a NaN is different from everything
		return Bool(op == opNotEqual)
	}
	return holds(op, cmp.Compare(left.real(), right.real()))
}

// holds says whether a comparison holds, given the order of its operands.
func holds(op operator, order int) Value {
	switch op {
	case opEqual:
		return Bool(order == 0)
	case opNotEqual:
		return Bool(order != 0)
	case opLess:
		return Bool(order < 0)
	case opLessEqual:
		return Bool(order <= 0)
	case opGreater:
		return Bool(order > 0)
	default:
		return Bool(order >= 0)
	}
}

// identical evaluates =?= (is): values of different types are not identical, strings are compared with case. For lists
// and ads HTCondor has no answer.
func identical(left, right Value) Value {
	switch {
	case left.kind != right.kind:
		return Bool(false)
	case left.kind == KindString:
		return Bool(left.text == right.text)
	case left.kind == KindReal:
		return Bool(left.real() == right.real())
	case left.kind == KindList || left.kind == KindAd:
		return Failed()
	}
	return Bool(left.integer == right.integer)
}

// numbers makes two values numbers of one type: both integer, or both real when one is. Booleans count as 0 and 1.
func numbers(left, right Value) (l, r Value, ok bool) {
	if !left.numeric() || !right.numeric() {
		return left, right, false
	}
	if left.kind == KindReal || right.kind == KindReal {
		x, _ := left.float()
		y, _ := right.float()
		return Real(x), Real(y), true
	}
	return Int(left.integer), Int(right.integer), true
}

func (v Value) numeric() bool {
	return v.kind == KindBoolean || v.kind == KindInteger || v.kind == KindReal
}
