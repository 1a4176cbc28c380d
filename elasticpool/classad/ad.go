package classad

import (
	"cmp"
	"maps"
	"slices"
)

// Ad is a set of attributes with names that are equal when they differ in case only: HTCondor's ClassAd. The zero Ad is
// an empty ad that is ready for Set. Copies of an Ad that is not empty share their attributes, as copies of a map do.
type Ad struct{ attributes map[string]attribute }

type attribute struct {
	name string // as it was written
	expr *Expr
}

// Set gives the attribute a literal value.
func (a *Ad) Set(name string, value Value) { a.SetExpr(name, &Expr{value.node()}) }

// SetExpr gives the attribute an expression, which is evaluated whenever the attribute is.
func (a *Ad) SetExpr(name string, e *Expr) {
	if a.attributes == nil {
		*a = newAd()
	}
	a.attributes[fold(name)] = attribute{name, e}
}

// Lookup returns the expression of an attribute.
func (a Ad) Lookup(name string) (*Expr, bool) {
	found, ok := a.attributes[fold(name)]
	return found.expr, ok
}

// Eval evaluates an attribute of the ad, matched with target, as Expr.Eval does. The value of a missing attribute is
// undefined.
func (a Ad) Eval(name string, target Ad) Value {
	e, ok := a.Lookup(name)
	if !ok {
		return Undefined()
	}
	return e.Eval(a, target)
}

// Names returns the names of the attributes as they were written, sorted without regard to case.
func (a Ad) Names() []string {
	names := make([]string, 0, len(a.attributes))
	for _, found := range a.sorted() {
		names = append(names, found.name)
	}
	return names
}

func (a Ad) sorted() []attribute {
	return slices.SortedFunc(maps.Values(a.attributes), func(x, y attribute) int {
		return cmp.Compare(fold(x.name), fold(y.name))
	})
}

// Equal says whether both ads have the same names and expressions; go-cmp uses it.
func (a Ad) Equal(other Ad) bool { return a.String() == other.String() }

// String returns the ad in brackets, with the attributes in the order of Names. Parse accepts the text.
func (a Ad) String() string { return (&Expr{&record{a}}).String() }

func newAd() Ad { return Ad{attributes: map[string]attribute{}} }

func (a Ad) roots() []node {
	nodes := make([]node, 0, len(a.attributes))
	for _, found := range a.attributes {
		nodes = append(nodes, found.expr.root)
	}
	return nodes
}
