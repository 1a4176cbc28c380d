package classad

// node is a part of a parsed expression.
type node interface {
	// eval is only called by run.eval, which counts the work.
	eval(r *run, s *scope) Value
	// write appends the text that HTCondor prints for the node.
	write(p *printer)
}

type (
	literal struct{ value Value }

	// reference is Name, .Name or on.Name.
	reference struct {
		on       node // nil: the name stands alone
		name     string
		key      string // the name in lower case
		absolute bool   // .Name
	}

	// group is an expression in parentheses; they are kept because HTCondor keeps them.
	group struct{ inner node }

	unary struct {
		op      operator
		operand node
	}

	binary struct {
		op          operator
		left, right node
	}

	// conditional is test ? then : otherwise; then is nil in test ?: otherwise.
	conditional struct{ test, then, otherwise node }

	subscript struct{ on, at node }

	call struct {
		name      string
		function  function // nil: HTCondor may know it, this package does not
		arguments []node
	}

	list struct{ elements []node }

	record struct{ ad Ad }
)
