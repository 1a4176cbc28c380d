package placement

import (
	"context"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocationcandidates"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Candidates is the answer to a request, in Placement's order.
type Candidates struct {
	// List holds the candidates; it is empty when nothing fits, which is no error.
	List []Candidate
	// Summaries maps provider uuids to what is known of them: every provider of every tree that serves a candidate.
	Summaries map[string]ProviderSummary
}

// Candidate is one way to meet a request.
type Candidate struct {
	// Allocations maps a provider's uuid to the amount taken of each resource class.
	Allocations map[string]map[string]int64 `json:"allocations"`
	// Mapping maps a group's suffix to the uuids of the providers that serve it; the key "" is the unsuffixed group,
	// which is there only when Placement itself gave the mapping (microversion 1.34).
	Mapping map[string][]string `json:"mappings,omitempty"`
	// RootProvider is the uuid of the compute node's provider: the root of the tree that serves the candidate.
	// Sharing providers are not looked at.
	RootProvider string `json:"root_provider"`
}

// ProviderSummary is what an answer tells of one provider.
type ProviderSummary struct {
	// Resources maps each resource class of the provider to its use.
	Resources map[string]Usage
	// Traits are the provider's traits.
	Traits []string
	// Parent and Root are uuids; Parent is "" for a root.
	Parent, Root string
}

// Usage is the capacity and the used amount of one resource class of one provider.
type Usage struct {
	Capacity, Used int64
}

// Candidates asks for the allocation candidates of a request, at the lowest microversion that knows everything the
// request uses. A server that is too old is refused before it is asked, with ErrVersion and both versions, unless the
// missing feature can be made up for with the same result: string suffixes are sent as numbers (below 1.33), the
// mapping is worked out by requestspec.Match (below 1.34), and root traits are looked up in the answer (below 1.35;
// then the request's limit is applied afterwards). A class or trait that Placement refuses as
// unknown is ErrNotFound; where the rest of the request finds nothing it may answer with an empty list instead. Explain
// tells in both cases which group asks for it. It mirrors
// nova/scheduler/client/report.py:get_allocation_candidates.
func (c *Client) Candidates(ctx context.Context, req *requestspec.Request) (*Candidates, error) {
	if req == nil {
		return nil, refuse(ErrInvalid, "get allocation candidates", "the request is nil")
	}
	newest, err := c.serverMax(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.need(ctx, floor(req), "get allocation candidates"); err != nil {
		return nil, err
	}
	all := &Candidates{Summaries: make(map[string]ProviderSummary)}
	parts := split(req)
	for _, part := range parts {
		question := ask(part, newest)
		found, err := c.fetch(ctx, question)
		if err != nil {
			return nil, err
		}
		if err := all.add(found, question); err != nil {
			return nil, err
		}
	}
	if len(parts) > 1 || newest < mappings { // without mappings, candidates that differ only there look the same
		all.dedupe()
	}
	all.limit(req.Limit)
	return all, nil
}

// fetch sends one question. gophercloud's List would decode the answer, encode it and decode it again, which takes
// three times as long; its types fit.
func (c *Client) fetch(ctx context.Context, q question) (*allocationcandidates.AllocationCandidates, error) {
	var found allocationcandidates.AllocationCandidates
	service := c.at(q.minor)
	//nolint:bodyclose // gophercloud reads and closes it
	_, err := service.Get(ctx, service.ServiceURL("allocation_candidates")+"?"+q.sent.Query(), &found, nil)
	return &found, wrap("get allocation candidates", err)
}

// limit keeps the first n candidates; 0 keeps all.
func (c *Candidates) limit(n int) {
	if n > 0 && len(c.List) > n {
		c.List = slices.Clip(c.List[:n])
	}
}
