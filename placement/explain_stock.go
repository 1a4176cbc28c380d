package placement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"

	"github.com/novacyborg/novacyborg/requestspec"
)

// judgeStock looks for providers that have the right traits and resources, on hosts with the right root, but nothing
// left: candidates are only what is free, so that without this the traits of others that have room would be blamed.
func (e *explainer) judgeStock(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	if len(group.Required) == 0 || len(group.Aggregates)+len(group.ForbiddenAggregates) > 0 {
		return GroupVerdict{}, nil
	}
	stock, err := e.stock(ctx, group)
	if err != nil || len(stock) == 0 {
		return GroupVerdict{}, err
	}
	have := "providers with " + strings.Join(group.Required, ", ") + " exist, "
	for _, class := range slices.Sorted(maps.Keys(group.Resources)) {
		var total, used, most int64
		for _, summary := range stock {
			usage := summary.Resources[class]
			total, used, most = total+usage.Capacity, used+usage.Used, max(most, usage.Capacity-usage.Used)
		}
		if most < group.Resources[class] {
			text := fmt.Sprintf("%d of %d %s used", used, total, class)
			if most > 0 {
				text += fmt.Sprintf(", the most that one has free is %d", most)
			}
			hosts, err := e.names(ctx, rootsIn(stock))
			return verdict(group, TooFew, have+text+", on "+list(hosts)), err
		}
	}
	return verdict(group, TooFew, have+"but no single one has all of this free within its min_unit, max_unit and step_size"), nil
}

// stock returns the providers that have all classes of a group and its traits, be they used up, on hosts whose root fits.
func (e *explainer) stock(ctx context.Context, group requestspec.Group) ([]ProviderSummary, error) {
	const op = "explain a request"
	required := slices.Clone(group.Required)
	for _, trait := range group.Forbidden {
		required = append(required, "!"+trait)
	}
	providers, err := e.listProviders(ctx, op, resourceproviders.ListOpts{Required: strings.Join(required, ","), InTree: group.InTree})
	if err != nil {
		return nil, err
	}
	var stock []ProviderSummary
	for _, provider := range providers {
		if fits, err := e.rootFits(ctx, op, provider.Root); err != nil {
			return nil, err
		} else if !fits {
			continue
		}
		here := found{Provider: provider}
		if err := e.readStock(ctx, op+": read provider "+provider.UUID, &here); err != nil {
			return nil, err
		}
		if summary := summaryOfFound(here); hasClasses(summary, group) {
			stock = append(stock, summary)
		}
	}
	return stock, nil
}

// rootFits tells whether a host passes the request's root traits.
func (e *explainer) rootFits(ctx context.Context, op, root string) (bool, error) {
	if len(e.req.RootRequired)+len(e.req.RootForbidden) == 0 {
		return true, nil
	}
	here := found{Provider: Provider{UUID: root}}
	if err := e.readTraits(ctx, op+": read provider "+root, &here); err != nil {
		return false, err
	}
	have := Candidates{Summaries: map[string]ProviderSummary{root: {Traits: here.traits}}}
	return have.rootFits(root, question{request: e.req}), nil
}

func summaryOfFound(here found) ProviderSummary {
	summary := ProviderSummary{Resources: make(map[string]Usage), Parent: here.Parent, Root: here.Root}
	for class := range here.inventories {
		inventory, _ := here.inventories.get(class)
		summary.Resources[class] = Usage{Capacity: inventory.capacity(), Used: here.used[class]}
	}
	return summary
}

func hasClasses(summary ProviderSummary, group requestspec.Group) bool {
	for class := range group.Resources {
		if summary.Resources[class].Capacity <= 0 {
			return false
		}
	}
	return true
}

// rootsIn returns the roots of providers.
func rootsIn(summaries []ProviderSummary) []string {
	var roots []string
	for _, summary := range summaries {
		roots = append(roots, summary.Root)
	}
	return roots
}
