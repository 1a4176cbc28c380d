package classad

func size(_ *run, arguments []Value) Value {
	switch v := arguments[0]; v.kind {
	case KindList:
		return Int(int64(len(v.list.elements)))
	case KindAd:
		return Int(int64(len(v.scope.ad.attributes)))
	case KindString:
		return Int(int64(len(v.text)))
	default:
		return Failed()
	}
}

// overList makes a function of a list of numbers. Undefined elements are left out; anything else that is no number
// makes the result an error.
func overList(f func(numbers []Value) Value) function {
	return func(r *run, s *scope, arguments []node) Value {
		if len(arguments) != 1 {
			return Failed()
		}
		of := r.eval(arguments[0], s)
		switch of.kind {
		case KindUndefined:
			return of
		case KindList:
		default:
			return Failed()
		}
		var found []Value
		for i := range of.list.elements {
			v := r.element(of, i, s)
			switch {
			case v.numeric():
				found = append(found, v)
			case v.kind != KindUndefined:
				return Failed()
			}
		}
		return f(found)
	}
}

func sum(found []Value) Value {
	if len(found) == 0 {
		return Int(0)
	}
	total := found[0]
	for _, v := range found[1:] {
		total = operate(opAdd, total, v)
	}
	return total
}

// bound is min and max. As the elements are compared they become numbers of one type, so the result is real when any
// element is.
func bound(better operator) func(found []Value) Value {
	return func(found []Value) Value {
		if len(found) == 0 {
			return Undefined()
		}
		best := found[0]
		for _, v := range found[1:] {
			v, best, _ = numbers(v, best)
			if compare(better, v, best).IsTrue() {
				best = v
			}
		}
		return best
	}
}

// membership is member and identicalMember: whether a list has an element that is == or =?= to a value.
func membership(same bool) function {
	op := opEqual
	if same {
		op = opIs
	}
	return func(r *run, s *scope, arguments []node) Value {
		if len(arguments) != 2 {
			return Failed()
		}
		wanted, among := r.eval(arguments[0], s), r.eval(arguments[1], s)
		switch {
		case among.kind == KindUndefined, !same && wanted.kind == KindUndefined:
			return Undefined()
		case among.kind != KindList, wanted.kind == KindList, wanted.kind == KindAd, !same && wanted.kind == KindError:
			return Failed()
		}
		for i := range among.list.elements {
			if operate(op, r.element(among, i, s), wanted).IsTrue() {
				return Bool(true)
			}
		}
		return Bool(false)
	}
}
