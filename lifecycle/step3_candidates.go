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
func (r *run) findCandidates(ctx context.Context, p plan) ([]placement.Candidate, error) {
	if err := r.restrict(ctx, p.host); err != nil {
		return nil, err
	}
	found, err := r.placement.Candidates(ctx, r.request)
	if err == nil && len(found.List) > 0 {
		return r.elsewhere(ctx, found.List, p.without)
	}
	if refusal, ok := errors.AsType[*placement.Error](err); err != nil && (!ok || refusal.StatusCode != http.StatusBadRequest) {
		return nil, err
	}
	verdicts, whyErr := r.placement.Explain(ctx, r.request)
	if whyErr != nil {
		return nil, errors.Join(cmp.Or(err, ErrNoHost), fmt.Errorf("ask Placement for the reason: %w", whyErr))
	}
	return nil, &NoHostError{Verdicts: verdicts, Refusal: err}
}

// restrict asks for candidates of one host only. It is the unsuffixed group that ties the others to a host; a request
// without one has each group tied.
func (r *run) restrict(ctx context.Context, host string) error {
	if host == "" {
		return nil
	}
	root, err := r.rootOf(ctx, host)
	if err != nil {
		return err
	}
	groups := r.request.Groups
	if len(groups) > 0 && groups[0].Suffix == "" {
		groups = groups[:1]
	}
	for i := range groups {
		groups[i].InTree = root
	}
	return nil
}

// rootOf is the uuid of a host's provider. That of the instance's own host is on record.
func (r *run) rootOf(ctx context.Context, host string) (string, error) {
	if now := r.record.Now; host == now.Host && now.Root != "" {
		return now.Root, nil
	}
	root, err := r.placement.ProviderByName(ctx, host)
	if err != nil {
		return "", err
	}
	return root.UUID, nil
}

// elsewhere leaves out the candidates on the hosts without.
func (r *run) elsewhere(ctx context.Context, candidates []placement.Candidate, without []string) ([]placement.Candidate, error) {
	for _, host := range without {
		root, err := r.rootOf(ctx, host)
		if errors.Is(err, placement.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		candidates = slices.DeleteFunc(candidates, func(c placement.Candidate) bool { return c.RootProvider == root })
	}
	if len(candidates) == 0 {
		return nil, fmt.Errorf("%w but %q, which the instance is to leave", ErrNoHost, without)
	}
	return byHost(candidates), nil
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
