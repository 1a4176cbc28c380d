package fault

// Stuck leaves a bind in BindStarted for ever and tells nobody, as a Cyborg does
// whose worker died. At the point "program" it is a programming that dies.
type Stuck struct{}

// Kind is "stuck".
func (Stuck) Kind() string { return "stuck" }

// Check finds nothing wrong.
func (Stuck) Check() error { return nil }

// Hold holds for ever.
func (Stuck) Hold() Hold { return Hold{} }
