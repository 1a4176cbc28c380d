package fakecyborg

import "fmt"

// checkRows refuses rows of a state file that refer to what is not there, or that are
// there twice; what the server wrote itself has none.
func checkRows(state savedState) error {
	c := stateCheck{ids: make(map[string]bool), uuids: make(map[string]bool)}
	last := state.LastIDs
	for _, p := range state.Profiles {
		c.row("device profile", p.ID, last.Profiles, p.UUID)
	}
	for _, d := range state.Devices {
		c.row("device", d.ID, last.Devices, d.UUID)
	}
	for _, d := range state.Deployables {
		c.row("deployable", d.ID, last.Deployables, d.UUID)
		c.refer("deployable", d.UUID, "device", d.DeviceID)
		for _, h := range d.Handles {
			c.once("attach handle", h.UUID)
		}
	}
	for _, a := range state.Attributes {
		c.once("attribute", a.UUID)
		c.refer("attribute", a.UUID, "deployable", a.DeployableID)
	}
	holders := make(map[string]bool)
	for _, a := range state.ARQs {
		c.row("accelerator request", a.ID, last.ARQs, a.UUID)
		if a.Handle != "" && holders[a.Handle] {
			c.fail("attach handle %q has two accelerator requests", a.Handle)
		}
		holders[a.Handle] = true
	}
	return c.err
}

// stateCheck remembers what was seen, and the first thing that is wrong.
type stateCheck struct {
	ids, uuids map[string]bool
	err        error
}

func (c *stateCheck) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func idOf(what string, id int) string { return fmt.Sprintf("%s %d", what, id) }

// row checks the id and the uuid of a row.
func (c *stateCheck) row(what string, id, last int, uuid string) {
	switch key := idOf(what, id); {
	case id < 1 || id > last:
		c.fail("%s %q has the id %d, want 1 to %d", what, uuid, id, last)
	case c.ids[key]:
		c.fail("%s is there twice", key)
	default:
		c.ids[key] = true
	}
	c.once(what, uuid)
}

func (c *stateCheck) once(what, uuid string) {
	key := what + " " + sameKey(uuid)
	if c.uuids[key] {
		c.fail("%s %q is there twice", what, uuid)
	}
	c.uuids[key] = true
}

func (c *stateCheck) refer(what, uuid, to string, id int) {
	if !c.ids[idOf(to, id)] {
		c.fail("%s %q belongs to %s %d, which is not there", what, uuid, to, id)
	}
}
