package classad

func (n *literal) eval(*run, *scope) Value { return n.value }

func (n *group) eval(r *run, s *scope) Value { return r.eval(n.inner, s) }

func (n *list) eval(_ *run, s *scope) Value { return Value{kind: KindList, list: n, scope: s} }

func (n *record) eval(_ *run, s *scope) Value {
	return Value{kind: KindAd, scope: &scope{ad: n.ad, parent: s}}
}

func (n *call) eval(r *run, s *scope) Value {
	if n.function == nil {
		return Failed()
	}
	return n.function(r, s, n.arguments)
}

func (n *conditional) eval(r *run, s *scope) Value {
	test := r.eval(n.test, s)
	if n.then == nil {
		if test.kind == KindUndefined {
			return r.eval(n.otherwise, s)
		}
		return test
	}
	return r.choose(test, n.then, n.otherwise, s)
}

// choose evaluates one of two nodes: what ?: and ifThenElse do.
func (r *run) choose(test Value, then, otherwise node, s *scope) Value {
	truth, ok := test.truth()
	switch {
	case test.kind == KindUndefined:
		return Undefined()
	case !ok:
		return Failed()
	case truth:
		return r.eval(then, s)
	}
	return r.eval(otherwise, s)
}

func (n *unary) eval(r *run, s *scope) Value {
	operand := r.eval(n.operand, s)
	if operand.exceptional() {
		return operand
	}
	switch n.op {
	case opNot:
		return not(operand)
	case opSubtract:
		return negate(operand)
	case opBitNot:
		return complement(operand)
	}
	if operand.kind == KindInteger || operand.kind == KindReal {
		return operand
	}
	return Failed()
}

func (n *binary) eval(r *run, s *scope) Value {
	left := r.eval(n.left, s)
	if n.op == opAnd || n.op == opOr {
		return r.logical(n.op, left, n.right, s)
	}
	return operate(n.op, left, r.eval(n.right, s))
}

// operate applies a binary operator other than && and ||.
func operate(op operator, left, right Value) Value {
	switch {
	case op == opIs:
		return identical(left, right)
	case op == opIsnt:
		return not(identical(left, right))
	case left.kind == KindError || right.kind == KindError:
		return Failed()
	case left.kind == KindUndefined || right.kind == KindUndefined:
		return Undefined()
	case op >= opEqual && op <= opGreaterEqual:
		return compare(op, left, right)
	case op >= opAdd && op <= opModulus:
		return arithmetic(op, left, right)
	}
	return bitwise(op, left, right)
}

func (n *subscript) eval(r *run, s *scope) Value {
	on, at := r.eval(n.on, s), r.eval(n.at, s)
	switch {
	case on.kind == KindError || at.kind == KindError:
		return Failed()
	case on.kind == KindUndefined || at.kind == KindUndefined:
		return Undefined()
	case on.kind == KindAd && at.kind == KindString:
		return r.attribute(on.scope, fold(at.text))
	case on.kind == KindList && at.kind == KindInteger && at.integer >= 0 && at.integer < int64(len(on.list.elements)):
		if on.scope != nil {
			s = on.scope // where the list is written, unlike elsewhere
		}
		return r.eval(on.list.elements[at.integer], s)
	}
	return Failed()
}

// attribute evaluates an attribute of exactly this ad.
func (r *run) attribute(s *scope, key string) Value {
	found, ok := s.ad.attributes[key]
	if !ok {
		return Undefined()
	}
	return r.eval(found.expr.root, s)
}
