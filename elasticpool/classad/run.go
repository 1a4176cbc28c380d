package classad

// The limits of an evaluation. HTCondor stops after a thousand attributes within each other; the limit of nodes keeps
// that, and the steps bound what grows without nesting.
const (
	maxNesting = 10_000
	maxSteps   = 500_000
)

// run is one evaluation. Once a limit is reached everything is the error value, as in HTCondor, where such an
// evaluation as a whole fails.
type run struct {
	nesting int
	steps   int
	failed  bool
}

func newRun() *run { return &run{} }

func (r *run) root(n node, s *scope) Value {
	v := r.eval(n, s)
	if r.failed {
		return Failed()
	}
	return v
}

// eval evaluates a node. Values cost more the longer they are, so that doubling a string again and again comes to an end.
func (r *run) eval(n node, s *scope) Value {
	if r.nesting == maxNesting || !r.spend(1) {
		r.failed = true
		return Failed()
	}
	r.nesting++
	v := n.eval(r, s)
	r.nesting--
	const perStep = 64
	r.spend(len(v.text) / perStep)
	return v
}

// spend takes steps from the budget and says whether there were enough.
func (r *run) spend(steps int) bool {
	r.steps += steps
	r.failed = r.failed || r.steps > maxSteps
	return !r.failed
}

func (r *run) all(nodes []node, s *scope) []Value {
	values := make([]Value, len(nodes))
	for i, n := range nodes {
		values[i] = r.eval(n, s)
	}
	return values
}

// element evaluates an element of a list for a function or a selection. HTCondor does that in the scope that uses the
// list, not in the one the list is written in; only ads and lists written as elements keep their surroundings.
func (r *run) element(v Value, i int, s *scope) Value {
	switch v.list.elements[i].(type) {
	case *record, *list:
		if v.scope != nil {
			s = v.scope
		}
	}
	return r.eval(v.list.elements[i], s)
}
