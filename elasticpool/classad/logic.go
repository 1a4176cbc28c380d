package classad

// logical evaluates && and ||. The decisive value is false for && and true for ||: on the left it is the result, on the
// right it still is when the left is undefined. An error, or a value that is no truth, is an error unless the left
// decides.
func (r *run) logical(op operator, left Value, rightNode node, s *scope) Value {
	decisive := op == opOr
	truth, ok := left.truth()
	if ok && truth == decisive {
		return Bool(decisive)
	}
	if !ok && left.kind != KindUndefined {
		return Failed()
	}
	right := r.eval(rightNode, s)
	rightTruth, rightOK := right.truth()
	switch {
	case !rightOK && right.kind != KindUndefined:
		return Failed()
	case rightOK && rightTruth == decisive:
		return Bool(decisive)
	case left.kind == KindUndefined || right.kind == KindUndefined:
		return Undefined()
	}
	return Bool(!decisive)
}

func not(v Value) Value {
	if v.kind == KindUndefined {
		return v
	}
	truth, ok := v.truth()
	if !ok {
		return Failed()
	}
	return Bool(!truth)
}
