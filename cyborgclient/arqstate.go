package cyborgclient

// ARQState is where an ARQ is in its life (openstack/cyborg:
// cyborg/common/constants.py, ARQ_STATES).
type ARQState string

// The states. UnbindFailed and Deleting are defined but not reached by any
// release so far.
const (
	StateInitial      ARQState = "Initial"
	StateBindStarted  ARQState = "BindStarted"
	StateBound        ARQState = "Bound"
	StateUnbound      ARQState = "Unbound"
	StateBindFailed   ARQState = "BindFailed"
	StateUnbindFailed ARQState = "UnbindFailed"
	StateDeleting     ARQState = "Deleting"
)

// Resolved says that binding has ended, well or badly. These are the states
// that Nova and the service's filter bind_state=resolved go by.
func (s ARQState) Resolved() bool {
	return s == StateBound || s == StateBindFailed || s == StateDeleting
}
