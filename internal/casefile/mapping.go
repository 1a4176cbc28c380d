package casefile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Mapping is an allocation whose groups have to be found without mappings.
type Mapping struct {
	Allocation []Allocated `json:"allocation"`
	Groups     []Group     `json:"groups"`
}

// Allocated is what an allocation takes from one provider.
type Allocated struct {
	Provider  string           `json:"rp"`
	Resources map[string]int64 `json:"resources"`
	Traits    []string         `json:"traits"`
}

// Group is one group of a Mapping; only ID and Resources are needed. Suffixed is true if it is left out.
type Group struct {
	ID                  string           `json:"id"`
	Resources           map[string]int64 `json:"resources"`
	Required            []string         `json:"required"`
	Forbidden           []string         `json:"forbidden"`
	Aggregates          [][]string       `json:"aggregates"`
	ForbiddenAggregates []string         `json:"forbidden_aggregates"`
	InTree              string           `json:"in_tree"`
	Suffixed            *bool            `json:"suffixed"`
}

func (g Group) suffixed() bool { return g.Suffixed == nil || *g.Suffixed }

// Match finds the providers of the groups. A mapping has one entry for each id, so that of two groups with one id nothing
// could be said: requestspec.ErrNotSupported.
func (m Mapping) Match(ctx context.Context) (map[string][]string, error) {
	ids := map[string]bool{}
	for _, g := range m.Groups {
		if g.suffixed() && ids[g.ID] {
			return nil, fmt.Errorf("%w: two groups have the id %q", requestspec.ErrNotSupported, g.ID)
		}
		ids[g.ID] = ids[g.ID] || g.suffixed()
	}
	groups := make([]requestspec.Group, len(m.Groups))
	for i, g := range m.Groups {
		groups[i] = requestspec.Group{
			Suffix: g.ID, Resources: g.Resources, Required: g.Required, Forbidden: g.Forbidden, Aggregates: g.Aggregates,
			ForbiddenAggregates: g.ForbiddenAggregates, InTree: g.InTree,
		}
		if !g.suffixed() {
			groups[i].Suffix = ""
		}
	}
	var allocation []requestspec.ProviderAllocation
	for _, a := range m.Allocation {
		allocation = append(allocation, requestspec.ProviderAllocation(a))
	}
	return requestspec.Match(ctx, groups, allocation, nil)
}

// Mappings are the mappings of a candidate and the accelerator requests to find providers for.
type Mappings struct {
	GroupIDs []string            `json:"group_ids"`
	Mappings map[string][]string `json:"mappings"`
	Flavor   *[]ARQ              `json:"flavor_arqs"` // nil: the flavor has no profile
	Ports    []PortARQ           `json:"port_arqs"`
}

// PortARQ is the accelerator request of a port.
type PortARQ struct {
	Port string `json:"port"`
	ARQ  ARQ    `json:"arq"`
}

// Match finds the providers of the groups. An id that is repeated says nothing more.
func (m Mappings) Match(ctx context.Context) (map[string][]string, error) {
	var groups []requestspec.Group
	seen := map[string]bool{}
	for _, id := range m.GroupIDs {
		if !seen[id] {
			groups = append(groups, requestspec.Group{Suffix: id})
		}
		seen[id] = true
	}
	mappings := m.Mappings
	if mappings == nil {
		mappings = map[string][]string{}
	}
	return requestspec.Match(ctx, groups, nil, mappings)
}

// ARQ is what matters of an accelerator request; the group id is a number or a text of digits.
type ARQ struct {
	UUID  string
	Group any
}

// UnmarshalJSON takes an accelerator request as Cyborg shows it, so with any other keys.
func (r *ARQ) UnmarshalJSON(data []byte) error {
	var arq struct {
		UUID  string `json:"uuid"`
		Group any    `json:"device_profile_group_id"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err := decoder.Decode(&arq)
	r.UUID, r.Group = arq.UUID, arq.Group
	return err
}
