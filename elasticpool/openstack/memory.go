package openstack

import (
	"maps"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// remembered is how long a server that is gone is remembered, in which Orphans finds the ARQs that it left: Cyborg
// does not tell whose an instance was.
const remembered = 24 * time.Hour

// memory is what a provider knows that the cloud does not tell again. All of it may be lost.
type memory struct {
	mutex    sync.Mutex
	servers  map[string]past      // by id: those of the pool
	deleting map[string]time.Time // by id: when Delete first saw it in deletion
	orphans  map[string]time.Time // by kind and id: when it was first found
}

// past is a server that is or was.
type past struct {
	server elasticpool.Server
	gone   time.Time // since when it is not there; zero while it is
}

// saw takes note of a list of servers.
func (m *memory) saw(servers []elasticpool.Server, complete bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	there := make(map[string]past, len(servers))
	for _, s := range servers {
		there[s.ID] = past{server: s}
	}
	for id, old := range m.servers {
		if _, still := there[id]; still {
			continue
		}
		if old.gone.IsZero() && complete {
			old.gone = time.Now()
		}
		if old.gone.IsZero() || time.Since(old.gone) < remembered {
			there[id] = old
		}
	}
	m.servers = there
}

// made takes note of a new server, or of one that the caller knows.
func (m *memory) made(s elasticpool.Server) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.servers == nil {
		m.servers = make(map[string]past)
	}
	if _, known := m.servers[s.ID]; !known {
		m.servers[s.ID] = past{server: s}
	}
}

// past returns the servers that are gone.
func (m *memory) past() map[string]elasticpool.Server {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	gone := make(map[string]elasticpool.Server)
	for id, p := range m.servers {
		if !p.gone.IsZero() {
			gone[id] = p.server
		}
	}
	return gone
}

// inDeletion returns how long a server has been in deletion.
func (m *memory) inDeletion(id string) time.Duration {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	since, known := m.deleting[id]
	if !known {
		if m.deleting == nil {
			m.deleting = make(map[string]time.Time)
		}
		since = time.Now()
		m.deleting[id] = since
	}
	return time.Since(since)
}

// isGone takes note that a server is no more.
func (m *memory) isGone(id string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.deleting, id)
	if old, known := m.servers[id]; known && old.gone.IsZero() {
		old.gone = time.Now()
		m.servers[id] = old
	}
}

// sinceOrphaned fills in since when each orphan has been one, and forgets those that are none any more.
func (m *memory) sinceOrphaned(found []Orphan) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	still := make(map[string]time.Time, len(found))
	for i, orphan := range found {
		key := string(orphan.Kind) + " " + orphan.ID
		since, known := m.orphans[key]
		if !known {
			since = time.Now()
		}
		still[key], found[i].Since = since, since
	}
	m.orphans = maps.Clone(still)
}
