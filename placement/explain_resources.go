package placement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// judgeResources looks for the class of which no provider has enough.
func (e *explainer) judgeResources(ctx context.Context, group requestspec.Group) (GroupVerdict, error) {
	for _, class := range slices.Sorted(maps.Keys(group.Resources)) {
		amount := group.Resources[class]
		found, err := e.has(ctx, group.Suffix, class, amount)
		if err != nil {
			return GroupVerdict{}, err
		}
		if !found {
			return e.judgeClass(ctx, group, class, amount)
		}
	}
	return GroupVerdict{}, nil
}

// has tells whether some provider has an amount of a class free.
func (e *explainer) has(ctx context.Context, suffix, class string, amount int64) (bool, error) {
	single := requestspec.Group{Suffix: suffix, Resources: map[string]int64{class: amount}}
	return e.finds(ctx, only(single), anyRoot)
}

// judgeClass tells a class that is used up from one that comes in too small pieces and one that nobody has.
func (e *explainer) judgeClass(ctx context.Context, group requestspec.Group, class string, amount int64) (GroupVerdict, error) {
	most, host, err := e.mostFree(ctx, group.Suffix, class)
	if err != nil {
		return GroupVerdict{}, err
	}
	if most > 0 && most < amount {
		text := fmt.Sprintf("no provider has %d %s free, the most that one has is %d on %s", amount, class, most, host)
		if group.Suffix != "" {
			text += "; a group is never spread over several providers, so ask for it in several groups"
		}
		return verdict(group, TooFew, text), nil
	}
	capacity, used, err := e.census(ctx, class)
	switch {
	case err != nil:
		return GroupVerdict{}, err
	case capacity-used >= amount:
		return verdict(group, TooFew, fmt.Sprintf("no provider takes %d %s, though only %d of %d are used: it is spread over several "+
			"providers, or against their min_unit, max_unit or step_size", amount, class, used, capacity)), nil
	case capacity > 0:
		return verdict(group, TooFew, fmt.Sprintf("no provider has %d %s free: %d of %d are used", amount, class, used, capacity)), nil
	}
	return verdict(group, Absent, fmt.Sprintf("%d %s asked for, but no provider has any to give", amount, class)), nil
}

// wide are the hosts that are looked at: those whose root fits, and if there is nothing, all.
var wide = []variant{func(*requestspec.Request) {}, anyRoot}

// mostFree returns the largest amount of a class that one provider has free, and the host where it is.
func (e *explainer) mostFree(ctx context.Context, suffix, class string) (most int64, host string, err error) {
	single := requestspec.Group{Suffix: suffix, Resources: map[string]int64{class: 1}}
	var root string
	for _, roots := range wide {
		found, err := e.ask(ctx, only(single), roots)
		if err != nil {
			return 0, "", err
		}
		for _, uuid := range slices.Sorted(maps.Keys(found.Summaries)) {
			summary := found.Summaries[uuid]
			if free := summary.Resources[class].Capacity - summary.Resources[class].Used; free > most {
				most, root = free, summary.Root
			}
		}
		if most > 0 {
			host, err = e.name(ctx, root)
			return most, host, err
		}
	}
	return 0, "", nil
}

// census adds up capacity and use of a class over all hosts that have room for the flavor's own group. Placement tells
// of used-up providers only there: no filter finds a provider that has nothing free.
func (e *explainer) census(ctx context.Context, class string) (capacity, used int64, err error) {
	flavor, found := e.req.Group("")
	if !found || flavor.Resources[class] > 0 {
		return 0, 0, nil
	}
	for _, roots := range wide {
		hosts, err := e.ask(ctx, only(bare(flavor)), roots)
		if err != nil {
			return 0, 0, err
		}
		for _, summary := range hosts.Summaries {
			capacity += summary.Resources[class].Capacity
			used += summary.Resources[class].Used
		}
		if capacity > 0 {
			break
		}
	}
	return capacity, used, nil
}

// describe names a group with what it asks for.
func describe(group requestspec.Group) string {
	var asks []string
	for _, class := range slices.Sorted(maps.Keys(group.Resources)) {
		asks = append(asks, fmt.Sprintf("%s:%d", class, group.Resources[class]))
	}
	asks = append(asks, group.Required...)
	for _, trait := range group.Forbidden {
		asks = append(asks, "!"+trait)
	}
	return fmt.Sprintf("%s (%s)", groupName(group.Suffix), strings.Join(asks, ", "))
}

// groupName names a group as its author does: a group of the flavor's device profile by its place in there.
func groupName(suffix string) string {
	if suffix == "" {
		return "the flavor's own group"
	}
	for i := range mostProfileGroups {
		if suffix == requestspec.RequesterID(i, "") {
			return fmt.Sprintf("device profile group %d, %s", i, suffix)
		}
	}
	return "group " + suffix
}

// mostProfileGroups bounds the places that are tried: more groups than this are in no device profile.
const mostProfileGroups = 100
