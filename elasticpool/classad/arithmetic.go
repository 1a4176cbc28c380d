package classad

import "math"

// arithmetic evaluates + - * / % for values that are neither undefined nor the error value. Integers wrap around;
// a division by zero is an error, and so is a real result that is too large.
func arithmetic(op operator, left, right Value) Value {
	left, right, ok := numbers(left, right)
	switch {
	case !ok:
		return Failed()
	case left.kind == KindInteger:
		return integerArithmetic(op, left.integer, right.integer)
	}
	return realArithmetic(op, left.real(), right.real())
}

func integerArithmetic(op operator, left, right int64) Value {
	switch op {
	case opAdd:
		return Int(left + right)
	case opSubtract:
		return Int(left - right)
	case opMultiply:
		return Int(left * right)
	}
	switch {
	case right == 0:
		return Failed()
	case op == opModulus:
		return Int(left % right)
	case left == math.MinInt64 && right == -1:
		return Int(math.MaxInt64) // off by one in HTCondor too
	}
	return Int(left / right)
}

func realArithmetic(op operator, left, right float64) Value {
	var result float64
	switch op {
	case opAdd:
		result = left + right
	case opSubtract:
		result = left - right
	case opMultiply:
		result = left * right
	case opDivide:
		result = left / right
	default:
		return Failed() // HTCondor has no remainder of reals
	}
	if math.IsInf(result, 1) { // HTCondor lets the negative infinity pass
		return Failed()
	}
	return Real(result)
}

func negate(v Value) Value {
	switch v.kind {
	case KindInteger:
		return Int(-v.integer)
	case KindReal:
		return Real(-v.real())
	default:
		return Failed()
	}
}
