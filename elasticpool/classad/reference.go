package classad

func (n *reference) eval(r *run, s *scope) Value {
	if n.on == nil {
		return r.found(n.find(s))
	}
	on := r.eval(n.on, s)
	switch on.kind {
	case KindUndefined:
		return Undefined()
	case KindAd:
		return r.found(on.scope.within(n.key))
	case KindList:
		return r.selectEach(n, on, s)
	default:
		return Failed()
	}
}

// find looks up a reference that is a name alone. In a match .Name means nothing in HTCondor, because the outermost ad
// is the match itself; without a match it is an attribute of the outermost ad.
func (n *reference) find(s *scope) (node, *scope) {
	if !n.absolute {
		return s.find(n.key)
	}
	top := s.top()
	if top.other != nil {
		return nil, nil
	}
	return top.within(n.key)
}

// found evaluates what a lookup returned.
func (r *run) found(n node, in *scope) Value {
	if n == nil {
		return Undefined()
	}
	return r.eval(n, in)
}

// selectEach applies a selection to every element of a list.
func (r *run) selectEach(n *reference, on Value, s *scope) Value {
	selected := make([]node, len(on.list.elements))
	for i := range on.list.elements {
		one := &reference{&literal{r.element(on, i, s)}, n.name, n.key, false}
		selected[i] = &literal{r.eval(one, s)}
	}
	return Value{kind: KindList, list: &list{selected}}
}

// locate finds what a node stands for without evaluating it: the expression of an attribute that it names. In is where
// the lookup ended. Ok is false when there is no such attribute.
func (r *run) locate(n node, s *scope) (expr node, in *scope, ok bool) {
	ref, isReference := n.(*reference)
	if !isReference {
		return n, s, true
	}
	if ref.on == nil {
		expr, in = ref.find(s)
	} else if on := r.eval(ref.on, s); on.kind == KindAd {
		expr, in = on.scope.within(ref.key)
	}
	return expr, in, expr != nil
}
