package fakecyborg

import "net/http"

// health is the answer of /_fake/health and /_fake/ready.
type health struct {
	// Status is "ready", "starting", or "not kept" while the state file cannot be
	// written.
	Status string `json:"status"`
	// Reason is why the seed that was loaded last could not be reported, or the file
	// not be written, "" for none.
	Reason string `json:"reason,omitempty"`
	// Release is the series of the release that is played, Version Cyborg's own, which
	// tells releases of one series apart.
	Release string `json:"release"`
	Version string `json:"version"`
}

// health is 200 once the seed is loaded and reported to Placement, and 503 before
// and while a seed that was loaded later could not be reported. What later reports of
// its hosts cannot do changes nothing.
func (c *controlCall) health() controlAnswer {
	status, answer := http.StatusOK, health{Status: "ready", Release: c.server.release.Series, Version: c.server.release.Version}
	if ready, reason := c.server.progress(); !ready {
		status, answer.Status, answer.Reason = http.StatusServiceUnavailable, "starting", reason
	}
	if err := c.server.keeper.keep(); err != nil {
		status, answer.Status, answer.Reason = http.StatusServiceUnavailable, "not kept", err.Error()
	}
	return jsonAnswer(status, answer)
}

// progress tells whether what was loaded last is reported, or why not.
func (s *Server) progress() (ready bool, reason string) {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	return s.store.progress.state()
}

// State is a summary of what the server holds.
type State struct {
	// Ready says that the seed is loaded and, where there is a Placement, reported.
	Ready bool `json:"ready"`
	// Release is the series of the release that is played.
	Release string `json:"release"`
	// Version is Cyborg's version.
	Version string `json:"version"`
	// DeviceProfiles is how many there are.
	DeviceProfiles int `json:"device_profiles"`
	// Devices is how many there are.
	Devices int `json:"devices"`
	// Deployables is how many there are.
	Deployables int `json:"deployables"`
	// Handles is how many attach handles there are.
	Handles int `json:"handles"`
	// HandlesInUse is how many of them are taken.
	HandlesInUse int `json:"handles_in_use"`
	// ARQs counts accelerator requests by state.
	ARQs map[string]int `json:"arqs"`
	// Exchanges counts the exchanges and events so far, by operation.
	Exchanges map[string]int `json:"exchanges"`
	// InFlight is how many exchanges and events have not ended.
	InFlight int `json:"in_flight"`
	// JournalDropped is how many entries the journal could not keep.
	JournalDropped int `json:"journal_dropped"`
	// Faults is how many rules there are.
	Faults int `json:"faults"`
	// FaultHits is how often they hit.
	FaultHits int `json:"fault_hits"`
	// Running says what goes on in the background.
	Running []string `json:"running"`
}

// State summarizes what the server holds. A scope other than "" counts only its
// own accelerator requests, exchanges and rules.
func (s *Server) State(scope string) State {
	ready, _ := s.progress()
	state := State{
		Ready: ready, Release: s.release.Series, Version: s.release.Version,
		ARQs: make(map[string]int), Exchanges: s.journal.Counts(scope), InFlight: s.journal.InFlight(scope),
		JournalDropped: s.journal.Dropped(), Running: s.jobs.running(),
	}
	for _, rule := range s.faults.Counts() {
		if scope == "" || rule.Scope == scope {
			state.Faults++
			state.FaultHits += rule.Hits
		}
	}
	s.store.count(scope, &state)
	return state
}

func (s *store) count(scope string, state *State) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	state.DeviceProfiles, state.Devices = len(s.profiles.byUUID), len(s.devices.byUUID)
	state.Deployables = len(s.deployables.byUUID)
	for d := range s.deployables.all {
		state.Handles += len(d.handles)
		for _, h := range d.handles {
			if h.inUse {
				state.HandlesInUse++
			}
		}
	}
	for a := range s.arqs.all {
		if scope == "" || a.scope == scope {
			state.ARQs[string(a.state)]++
		}
	}
}

func (c *controlCall) state() controlAnswer {
	return jsonAnswer(http.StatusOK, c.server.State(c.query.Get("scope")))
}
