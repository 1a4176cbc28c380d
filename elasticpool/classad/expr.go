package classad

// Expr is a parsed ClassAd expression: HTCondor's classad::ExprTree. It is immutable and may be shared by goroutines.
type Expr struct{ root node }

// String returns the text as HTCondor prints it (reals as 7.5E+00 with sixteen digits, is and isnt for =?= and =!=,
// parentheses as they were written) but without its blank before unary operators. Parse accepts the text.
func (e *Expr) String() string {
	var p printer
	e.root.write(&p)
	return string(p.text)
}

// Equal says whether both expressions have the same text; go-cmp uses it. Two nil expressions are equal.
func (e *Expr) Equal(other *Expr) bool {
	if e == nil || other == nil {
		return e == other
	}
	return e.String() == other.String()
}

// Eval evaluates the expression as a part of the ad my, matched with the ad target: HTCondor's
// ClassAd::EvaluateExpr within a MatchClassAd. MY.Name is looked up in my, TARGET.Name in target, a plain Name first
// in my and then in target. An attribute that is an expression is evaluated as a part of the ad it stands in, so what
// is TARGET for it may be my. The zero Ad stands for no ad.
//
// Eval never fails and never runs away: what has no value is the error value, and so is an expression with attributes
// that need each other, that nests too deeply or that takes more than about half a million steps.
func (e *Expr) Eval(my, target Ad) Value {
	return newRun().root(e.root, match(my, target))
}
