package placementtest

import "net/http"

// getCandidates is GET /allocation_candidates. Mirrors placement/handlers/allocation_candidate.py.
func getCandidates(s *Server, r *request) (*reply, *fault) {
	q, f := parseCandidates(r.query, r.version.minor)
	if f != nil {
		return nil, f
	}
	found, f := s.store.candidates(newBudget(r.Context(), s.cfg.searchSteps), q)
	if f != nil {
		return nil, f
	}
	w := &candidateWriter{query: q}
	return &reply{status: http.StatusOK, body: w.write(found), cached: true}, nil
}
