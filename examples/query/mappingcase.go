package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/requestspec"
)

// answerMapping answers one line of -mapping.
func answerMapping(ctx context.Context, c casefile.Mapping) answer {
	mapping, err := c.Match(ctx)
	if err != nil {
		return failed(err)
	}
	return answer{Mapping: &mapping}
}

// answerMappings answers one line of -mappings.
func answerMappings(ctx context.Context, c casefile.Mappings) answer {
	mapping, err := c.Match(ctx)
	if err != nil {
		return failed(err)
	}
	providers := map[string]string{}
	if c.Flavor != nil {
		if len(*c.Flavor) == 0 {
			return answer{Mapping: &mapping, Error: "create_failed", Message: "no accelerator request was created"}
		}
		for _, arq := range *c.Flavor {
			if err := place(arq, mapping, "", providers); err != nil {
				return answer{Mapping: &mapping, Error: "arq_group_missing", Message: err.Error()}
			}
		}
	}
	for _, p := range c.Ports {
		if err := place(p.ARQ, mapping, p.Port, providers); err != nil {
			return answer{Mapping: &mapping, Error: "arq_group_missing", Message: err.Error()}
		}
	}
	return answer{Mapping: &mapping, ARQProviders: &providers}
}

// place puts the first provider of the request's group into providers.
func place(arq casefile.ARQ, mapping map[string][]string, owner string, providers map[string]string) error {
	// Only the digits that a group index is written with name a group.
	text := fmt.Sprint(arq.Group)
	index, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(index) != text {
		return fmt.Errorf("accelerator request %s: %q is no group of a profile", arq.UUID, text)
	}
	id := requestspec.RequesterID(index, owner)
	if len(mapping[id]) == 0 {
		return fmt.Errorf("accelerator request %s: group %s has no provider", arq.UUID, id)
	}
	providers[arq.UUID] = mapping[id][0]
	return nil
}
