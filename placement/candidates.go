package placement

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Candidates is the answer to a request, in Placement's order.
type Candidates struct {
	// List holds the candidates; it is empty when nothing fits, which is no error.
	List []Candidate
	// LeftOut says of each candidate that is not in the List why it cannot be used: its groups and its providers do not
	// fit together. See Client.Candidates.
	LeftOut []error
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
	// Sharing providers are not looked at. The name of that provider, which Client.Provider tells, is what
	// cyborgclient.Binding.Hostname wants.
	RootProvider string `json:"root_provider"`
}

// ProviderSummary is what an answer tells of one provider.
type ProviderSummary struct {
	// Resources maps each resource class of the provider to its use.
	Resources map[string]Usage `json:"resources"`
	// Traits are the provider's traits.
	Traits []string `json:"traits"`
	// Parent and Root are uuids; Parent is "" for a root.
	Parent string `json:"parent_provider_uuid"`
	Root   string `json:"root_provider_uuid"`
}

// Usage is the capacity and the used amount of one resource class of one provider.
type Usage struct {
	Capacity int64 `json:"capacity"`
	Used     int64 `json:"used"`
}

// Candidates asks for the allocation candidates of a request, at the lowest microversion that knows everything the
// request uses. A server that is too old is refused before it is asked, with ErrVersion and both versions, unless the
// missing feature can be made up for with the same result: string suffixes are sent as numbers (below 1.33), the
// mapping is worked out by requestspec.Match (below 1.34), and root traits are looked up in the answer (below 1.35;
// then four times the request's limit is asked for, and up to 100,000 candidates as long as too few have the traits).
//
// A class or trait that Placement refuses as unknown is ErrNotFound; where the rest of the request finds nothing it may answer with an empty list instead. Explain
// tells in both cases which group asks for it.
//
// A candidate is used only if it is certain which provider serves which group. Mappings that Placement gives must add up
// to exactly what the candidate takes of each provider. Without them requestspec.Match must find an arrangement, which
// may take it some seconds for each candidate with very many equal amounts; a ctx that ends ends it. What does not pass
// is left out of List and told in LeftOut: an arrangement that is impossible, mappings that do not add up, a search that
// reached its limit (requestspec.ErrSearchLimit). If nothing else remains, that is an error, ErrMapping.
//
// It mirrors nova/scheduler/client/report.py:get_allocation_candidates, which takes mappings as they come.
func (c *Client) Candidates(ctx context.Context, req *requestspec.Request) (*Candidates, error) {
	if req == nil {
		return nil, refuse(ErrInvalid, getCandidates.name, "the request is nil")
	}
	newest, err := c.serverMax(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.need(ctx, floor(req), getCandidates.name); err != nil {
		return nil, err
	}
	parts := split(req)
	all, err := c.collect(ctx, ask(parts[0], newest))
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		found, err := c.collect(ctx, ask(part, newest))
		if err != nil {
			return nil, err
		}
		all.List, all.LeftOut = append(all.List, found.List...), append(all.LeftOut, found.LeftOut...)
		maps.Copy(all.Summaries, found.Summaries)
	}
	if len(parts) > 1 {
		all.dedupe()
	}
	if err := all.usable(); err != nil {
		return nil, err
	}
	all.limit(req.Limit)
	return all, nil
}

// collect puts one question. If its root traits were not sent, it asks again with a higher limit as long as the server has
// more candidates and too few have the traits.
func (c *Client) collect(ctx context.Context, q question) (*Candidates, error) {
	for {
		answer, err := c.ask(ctx, q)
		if err != nil {
			return nil, err
		}
		found := &Candidates{Summaries: answer.Summaries}
		if err := found.add(ctx, answer, q); err != nil {
			return nil, err
		}
		limit := q.sent.Limit
		more := q.filterRoot && limit > 0 && len(answer.Requests) >= limit && len(found.List) < q.request.Limit
		switch {
		case !more || limit >= mostFiltered && len(found.List)+len(found.LeftOut) > 0:
			return found, nil
		case limit >= mostFiltered:
			return nil, refuse(ErrVersion, getCandidates.name,
				"root traits need microversion 1.%d: none of the first %d candidates has them, and there are more", rootRequired, limit)
		}
		q.widen(8)
	}
}

// ask sends one question.
func (c *Client) ask(ctx context.Context, q question) (*candidatesAnswer, error) {
	found := new(candidatesAnswer)
	path := "allocation_candidates?" + q.sent.Query()
	err := c.fetch(ctx, getCandidates, getCandidates.name, q.minor, path, func(body []byte) error { return json.Unmarshal(body, found) })
	if found.Summaries == nil {
		found.Summaries = make(map[string]ProviderSummary)
	}
	return found, err
}

// limit keeps the first n candidates; 0 keeps all.
func (c *Candidates) limit(n int) {
	if n > 0 && len(c.List) > n {
		c.List = slices.Clip(c.List[:n])
	}
}
