package classad

import "math"

// bitwise evaluates & | ^ << >> >>>, which know integers only. Shift distances are taken modulo 64, as on the machines
// that HTCondor runs on.
func bitwise(op operator, left, right Value) Value {
	if left.kind != KindInteger || right.kind != KindInteger {
		return Failed()
	}
	l, r := left.integer, right.integer
	switch op {
	case opBitAnd:
		return Int(l & r)
	case opBitOr:
		return Int(l | r)
	case opBitXor:
		return Int(l ^ r)
	case opShiftLeft:
		return Int(l << (r & 63))
	case opShiftRight:
		return Int(shiftRight(l, r))
	default:
		return Int(shiftRightUnsigned(l, r))
	}
}

func complement(v Value) Value {
	if v.kind != KindInteger {
		return Failed()
	}
	return Int(^v.integer)
}

// shiftRight shifts a negative number by 64 places at most and never by a negative distance.
func shiftRight(l, r int64) int64 {
	if l < 0 {
		return l >> min(max(r, 0), 63)
	}
	return l >> (r & 63)
}

// shiftRightUnsigned shifts a negative number by one place, without its sign, and then by the rest of the distance.
func shiftRightUnsigned(l, r int64) int64 {
	if l < 0 {
		return (l >> 1 & math.MaxInt64) >> ((r - 1) & 63)
	}
	return l >> (r & 63)
}
