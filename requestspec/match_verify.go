package requestspec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ledger compares what is allocated with what the groups take, by provider and class.
type ledger struct {
	allocated map[string]map[string]int64
	taken     map[string]map[string]int64
	// users are the suffixes of the groups that take something from a provider.
	users map[string][]string
	// open are the providers that also serve groups which the caller did not give: they may have something left.
	open map[string]bool
}

// verify checks the mappings against the allocation: every provider gives exactly what its groups take, or at least as
// much if it also serves groups that were not given.
func verify(groups []Group, allocation []ProviderAllocation, mappings map[string][]string) error {
	l := newLedger(groups, allocation, mappings)
	for _, group := range groups {
		if group.Suffix == "" {
			continue // its share shows only when all others have taken theirs
		}
		if n := len(mappings[group.Suffix]); n != 1 {
			return matchError(group.Suffix, ErrNoMapping, fmt.Sprintf("the group has %d providers, it must have one", n))
		}
		for class, n := range group.Resources {
			l.take(mappings[group.Suffix][0], class, n, group.Suffix)
		}
	}
	for _, group := range groups {
		if group.Suffix != "" {
			continue
		}
		if err := l.takePlain(group, mappings[""]); err != nil {
			return err
		}
	}
	return l.balance()
}

func newLedger(groups []Group, allocation []ProviderAllocation, mappings map[string][]string) *ledger {
	l := &ledger{
		allocated: map[string]map[string]int64{}, taken: map[string]map[string]int64{},
		users: map[string][]string{}, open: map[string]bool{},
	}
	for _, a := range allocation {
		l.allocated[a.Provider] = a.Resources
	}
	for suffix, providers := range mappings {
		if slices.ContainsFunc(groups, func(g Group) bool { return g.Suffix == suffix }) {
			continue
		}
		for _, provider := range providers {
			l.open[provider] = true
		}
	}
	return l
}

func (l *ledger) take(provider, class string, n int64, suffix string) {
	if l.taken[provider] == nil {
		l.taken[provider] = map[string]int64{}
	}
	l.taken[provider][class] = addSaturated(l.taken[provider][class], n)
	if !slices.Contains(l.users[provider], suffix) {
		l.users[provider] = append(l.users[provider], suffix)
	}
}

// takePlain gives each class of the unsuffixed group to one of its providers. Placement never splits an amount, but
// takes each class from any provider of the tree or from one that shares with it; the mappings list them all together.
func (l *ledger) takePlain(group Group, providers []string) error {
	for _, class := range sortedKeys(group.Resources) {
		n := group.Resources[class]
		if n == 0 {
			continue
		}
		left := func(p string) int64 { return l.allocated[p][class] - l.taken[p][class] }
		i := slices.IndexFunc(providers, func(p string) bool { return !l.open[p] && left(p) == n })
		if i < 0 {
			i = slices.IndexFunc(providers, func(p string) bool { return l.open[p] && left(p) >= n })
		}
		if i < 0 {
			return matchError("", ErrNoMapping, l.plainMessage(class, n, providers))
		}
		l.take(providers[i], class, n, "")
	}
	return nil
}

func (l *ledger) plainMessage(class string, n int64, providers []string) string {
	var message strings.Builder
	fmt.Fprintf(&message, "the unsuffixed group takes %d %s from one provider, but no provider of its mapping has that left", n, class)
	for _, p := range providers {
		fmt.Fprintf(&message, "; provider %s is allocated %d, its other groups take %d", p, l.allocated[p][class], l.taken[p][class])
	}
	return message.String()
}

// balance reports the first provider and class where allocated and taken amounts are not the same.
func (l *ledger) balance() error {
	for _, provider := range sortedUnion(l.allocated, l.taken) {
		for _, class := range sortedUnion(l.allocated[provider], l.taken[provider]) {
			allocated, taken := l.allocated[provider][class], l.taken[provider][class]
			if taken == allocated || taken < allocated && l.open[provider] {
				continue
			}
			return matchError("", ErrNoMapping, fmt.Sprintf("provider %s is allocated %d %s, its groups %q take %d",
				provider, allocated, class, l.users[provider], taken))
		}
	}
	return nil
}

// sortedUnion returns the keys of both maps, sorted.
func sortedUnion[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
