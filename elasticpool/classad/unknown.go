package classad

import (
	"maps"
	"slices"
)

// Unknown returns the names of the functions in the expression that HTCondor may know but this package does not, in
// lower case and sorted. Where Eval needs such a function its result is the error value, which then says nothing about
// what HTCondor's would be. Expressions of attributes that the expression names are not searched.
func (e *Expr) Unknown() []string {
	names := map[string]bool{}
	unknown(e.root, names)
	return slices.Sorted(maps.Keys(names))
}

func unknown(n node, names map[string]bool) {
	if c, ok := n.(*call); ok && c.function == nil {
		names[fold(c.name)] = true
	}
	for _, part := range parts(n) {
		unknown(part, names)
	}
}

// parts returns the nodes directly below a node.
func parts(n node) []node {
	switch n := n.(type) {
	case *reference:
		return present(n.on)
	case *group:
		return present(n.inner)
	case *unary:
		return present(n.operand)
	case *binary:
		return present(n.left, n.right)
	case *conditional:
		return present(n.test, n.then, n.otherwise)
	case *subscript:
		return present(n.on, n.at)
	case *call:
		return n.arguments
	case *list:
		return n.elements
	case *record:
		return n.ad.roots()
	default:
		return nil
	}
}

// present leaves out the parts that a node may lack.
func present(nodes ...node) []node {
	return slices.DeleteFunc(nodes, func(n node) bool { return n == nil })
}
