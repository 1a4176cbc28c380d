package fakecyborg

import "github.com/novacyborg/novacyborg/fakecyborg/driver"

// store is the database: all state of the server. Handlers hold mu while they
// touch it and never while they talk to others.
type store struct {
	mu      countingLock
	release Release
	uuids   uuids
	clock   *clock
	// careful says that attributes made through the API survive reports.
	careful bool
	agents  agents
	// changed notes that a card was changed.
	changed func()
	rows
}

// rows are what a reset replaces.
type rows struct {
	profiles    table[*profile]
	profileName map[string]*profile
	arqs        table[*arq]
	byInstance  map[string][]*arq
	// poisoned are accelerator requests that break every list.
	poisoned    []*arq
	devices     table[*device]
	deployables table[*deployable]
	byProvider  map[string]*deployable
	attributes  table[*attribute]
	// machines are what the agents find, by host.
	machines map[string]*driver.Machine
	// seed is what a reset goes back to; place names places in it, and seedText is its
	// text for the state file, if there is one.
	seed     Seed
	place    func(path string) string
	seedText string
	progress *progress
}

// newStore fills a store with the seed.
func newStore(c *config) (*store, error) {
	s := &store{
		release: c.release,
		uuids:   uuids{random: c.random},
		clock:   c.clock,
		careful: c.careful,
		rows:    newRows(),
	}
	s.changed = func() { s.mu.writes.Add(1) }
	l := loader{store: s, place: c.place}
	if err := l.load(c.seed); err != nil {
		return nil, err
	}
	return s, nil
}

func newRows() rows {
	return rows{
		profileName: make(map[string]*profile),
		byInstance:  make(map[string][]*arq),
		byProvider:  make(map[string]*deployable),
	}
}
