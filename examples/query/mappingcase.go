package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/novacyborg/novacyborg/requestspec"
)

// mappingCase is one line of -mapping.
type mappingCase struct {
	Allocation []struct {
		Provider  string           `json:"rp"`
		Resources map[string]int64 `json:"resources"`
		Traits    []string         `json:"traits"`
	} `json:"allocation"`
	Groups []struct {
		ID                  string           `json:"id"`
		Resources           map[string]int64 `json:"resources"`
		Required            []string         `json:"required"`
		Forbidden           []string         `json:"forbidden"`
		Aggregates          [][]string       `json:"aggregates"`
		ForbiddenAggregates []string         `json:"forbidden_aggregates"`
		InTree              string           `json:"in_tree"`
		Suffixed            *bool            `json:"suffixed"`
	} `json:"groups"`
}

func (c mappingCase) answer() answer {
	var groups []requestspec.Group
	for _, g := range c.Groups {
		group := requestspec.Group{
			Suffix: g.ID, Resources: g.Resources, Required: g.Required, Forbidden: g.Forbidden, Aggregates: g.Aggregates,
			ForbiddenAggregates: g.ForbiddenAggregates, InTree: g.InTree,
		}
		if g.Suffixed != nil && !*g.Suffixed {
			group.Suffix = ""
		}
		groups = append(groups, group)
	}
	var allocation []requestspec.ProviderAllocation
	for _, a := range c.Allocation {
		allocation = append(allocation, requestspec.ProviderAllocation(a))
	}
	mapping, err := requestspec.Match(groups, allocation, nil)
	if err != nil {
		return failed(err)
	}
	return answer{Mapping: &mapping}
}

// mappingsCase is one line of -mappings.
type mappingsCase struct {
	GroupIDs []string              `json:"group_ids"`
	Mappings map[string][]string   `json:"mappings"`
	Flavor   *[]acceleratorRequest `json:"flavor_arqs"`
	Ports    []struct {
		Port string             `json:"port"`
		ARQ  acceleratorRequest `json:"arq"`
	} `json:"port_arqs"`
}

// acceleratorRequest is what matters of an ARQ; the group id is a number or a text of digits.
type acceleratorRequest struct {
	UUID  string
	Group any
}

// UnmarshalJSON takes an ARQ as Cyborg shows it, so with any other keys.
func (r *acceleratorRequest) UnmarshalJSON(data []byte) error {
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

func (c mappingsCase) answer() answer {
	groups := make([]requestspec.Group, len(c.GroupIDs))
	for i, id := range c.GroupIDs {
		groups[i].Suffix = id
	}
	if c.Mappings == nil {
		c.Mappings = map[string][]string{}
	}
	mapping, err := requestspec.Match(groups, nil, c.Mappings)
	if err != nil {
		return failed(err)
	}
	providers := map[string]string{}
	if c.Flavor != nil {
		if len(*c.Flavor) == 0 {
			return answer{Mapping: &mapping, Error: "create_failed", Message: "no accelerator request was created"}
		}
		for _, arq := range *c.Flavor {
			if err := arq.place(mapping, "", providers); err != nil {
				return answer{Mapping: &mapping, Error: "arq_group_missing", Message: err.Error()}
			}
		}
	}
	for _, p := range c.Ports {
		if err := p.ARQ.place(mapping, p.Port, providers); err != nil {
			return answer{Mapping: &mapping, Error: "arq_group_missing", Message: err.Error()}
		}
	}
	return answer{Mapping: &mapping, ARQProviders: &providers}
}

// place puts the first provider of the request's group into providers.
func (r acceleratorRequest) place(mapping map[string][]string, owner string, providers map[string]string) error {
	// Only the digits that a group index is written with name a group.
	text := fmt.Sprint(r.Group)
	index, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(index) != text {
		return fmt.Errorf("accelerator request %s: %q is no group of a profile", r.UUID, text)
	}
	id := requestspec.RequesterID(index, owner)
	if len(mapping[id]) == 0 {
		return fmt.Errorf("accelerator request %s: group %s has no provider", r.UUID, id)
	}
	providers[r.UUID] = mapping[id][0]
	return nil
}
