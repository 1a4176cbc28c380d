package fakecyborg

import "sync"

// store is the database: all state of the server. Handlers hold mu while they
// touch it and never while they talk to others.
type store struct {
	mu          sync.RWMutex
	uuids       uuids
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
}

// newStore fills a store with the seed.
func newStore(c *config) (*store, error) {
	s := &store{
		uuids:       uuids{random: c.random},
		profileName: make(map[string]*profile),
		byInstance:  make(map[string][]*arq),
		byProvider:  make(map[string]*deployable),
	}
	l := loader{store: s, place: c.place}
	if err := l.load(c.seed); err != nil {
		return nil, err
	}
	return s, nil
}
