package placementtest

import (
	"context"
	"net/http"
)

// shortSearch is the number of steps of a search during which writers wait: some hundredths of a second.
const shortSearch = 1 << 19

// getCandidates is GET /allocation_candidates. Mirrors placement/handlers/allocation_candidate.py.
func getCandidates(s *Server, r *request) (*reply, *fault) {
	q, f := parseCandidates(r.query, r.version.minor)
	if f != nil {
		return nil, f
	}
	body, copied, f := s.searchShortly(r.Context(), q)
	if copied != nil {
		body, f = copied.answer(newBudget(r.Context(), s.cfg.searchSteps), q)
	}
	if f != nil {
		return nil, f
	}
	return &reply{status: http.StatusOK, body: body, cached: true}, nil
}

// searchShortly searches the store itself. A search that takes longer gives a copy of the store instead, on which it can start anew
// without a lock.
func (s *Server) searchShortly(ctx context.Context, q *candidatesQuery) (body []byte, copied *store, f *fault) {
	s.store.RLock()
	defer s.store.RUnlock()
	b := newBudget(ctx, min(shortSearch, s.cfg.searchSteps))
	body, f = s.store.answer(b, q)
	if b.exhausted && s.cfg.searchSteps > shortSearch {
		return nil, s.store.snapshot(), nil
	}
	return body, nil, f
}

// answer searches and writes out what is found.
func (s *store) answer(b *budget, q *candidatesQuery) ([]byte, *fault) {
	found, f := s.candidates(b, q)
	if f != nil {
		return nil, f
	}
	w := &candidateWriter{query: q}
	return w.write(found), nil
}
