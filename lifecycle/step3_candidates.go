package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/novacyborg/novacyborg/placement"
)

// findCandidates is step 3: GET /allocation_candidates. The candidates of one host stand together, so that after a
// failure the other devices of the same host come first (nova/scheduler/manager.py takes only the first of each host,
// LP#1874664). Without any it asks Placement why, also where Placement refused the query because it does not know a
// class or trait: its answer names no group.
func (c *creation) findCandidates(ctx context.Context) ([]placement.Candidate, error) {
	found, err := c.placement.Candidates(ctx, c.request)
	if err == nil && len(found.List) > 0 {
		return byHost(found.List), nil
	}
	if refusal, ok := errors.AsType[*placement.Error](err); err != nil && (!ok || refusal.StatusCode != http.StatusBadRequest) {
		return nil, err
	}
	verdicts, whyErr := c.placement.Explain(ctx, c.request)
	if whyErr != nil {
		return nil, errors.Join(cmp.Or(err, ErrNoHost), fmt.Errorf("ask Placement for the reason: %w", whyErr))
	}
	return nil, &NoHostError{Verdicts: verdicts, Refusal: err}
}

// byHost puts the candidates of each host together; hosts and candidates otherwise keep Placement's order.
func byHost(candidates []placement.Candidate) []placement.Candidate {
	rank := make(map[string]int)
	for _, candidate := range candidates {
		if _, seen := rank[candidate.RootProvider]; !seen {
			rank[candidate.RootProvider] = len(rank)
		}
	}
	return slices.SortedStableFunc(slices.Values(candidates), func(a, b placement.Candidate) int {
		return rank[a.RootProvider] - rank[b.RootProvider]
	})
}
