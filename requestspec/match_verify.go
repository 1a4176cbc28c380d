package requestspec

import (
	"fmt"
	"slices"
	"strings"
)

// ledger compares what is allocated with what the groups take. It is made for each candidate of an answer, of which there
// may be a thousand, so that it has short lists where maps of maps would do.
type ledger struct {
	accounts []account
	index    map[string]int // of a provider in accounts
}

// account is one provider's part of a ledger.
type account struct {
	provider  string
	allocated map[string]int64
	taken     []classAmount
	// plain is a provider that the unsuffixed group takes from.
	plain bool
	// open is a provider that also serves groups which the caller did not give: it may have something left.
	open bool
}

type classAmount struct {
	class string
	n     int64
}

// verify checks the mappings against the allocation: every provider gives exactly what its groups take, or at least as
// much if it also serves groups that were not given.
func verify(groups []Group, allocation []ProviderAllocation, mappings map[string][]string) error {
	l := ledger{accounts: make([]account, 0, len(allocation)), index: map[string]int{}}
	for _, a := range allocation {
		l.of(a.Provider).allocated = a.Resources
	}
	l.leaveOpen(groups, mappings)
	for _, group := range groups {
		if group.Suffix == "" {
			continue // its share shows only when all others have taken theirs
		}
		if n := len(mappings[group.Suffix]); n != 1 {
			return matchError(group.Suffix, ErrNoMapping, fmt.Sprintf("the group has %d providers, it must have one", n))
		}
		for class, n := range group.Resources {
			l.of(mappings[group.Suffix][0]).take(class, n)
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
	return l.balance(groups, mappings)
}

// leaveOpen marks the providers of groups that were not given.
func (l *ledger) leaveOpen(groups []Group, mappings map[string][]string) {
	for suffix, providers := range mappings {
		if slices.ContainsFunc(groups, func(g Group) bool { return g.Suffix == suffix }) {
			continue
		}
		for _, provider := range providers {
			l.of(provider).open = true
		}
	}
}

// of is the provider's account, which is good until the next one is asked for.
func (l *ledger) of(provider string) *account {
	i, known := l.index[provider]
	if !known {
		i = len(l.accounts)
		l.index[provider] = i
		l.accounts = append(l.accounts, account{provider: provider})
	}
	return &l.accounts[i]
}

func (a *account) take(class string, n int64) {
	if a.taken == nil {
		a.taken = make([]classAmount, 0, len(a.allocated))
	}
	i := slices.IndexFunc(a.taken, func(t classAmount) bool { return t.class == class })
	if i < 0 {
		i, a.taken = len(a.taken), append(a.taken, classAmount{class: class})
	}
	a.taken[i].n = addSaturated(a.taken[i].n, n)
}

// takes is how much the groups take of a class.
func (a *account) takes(class string) int64 {
	for _, t := range a.taken {
		if t.class == class {
			return t.n
		}
	}
	return 0
}

// takePlain gives each class of the unsuffixed group to one of its providers. Placement never splits an amount, but
// takes each class from any provider of the tree or from one that shares with it; the mappings list them all together.
func (l *ledger) takePlain(group Group, providers []string) error {
	for _, class := range sortedKeys(group.Resources) {
		n := group.Resources[class]
		if n == 0 {
			continue
		}
		left := func(a *account) int64 { return a.allocated[class] - a.takes(class) }
		i := slices.IndexFunc(providers, func(p string) bool { a := l.of(p); return !a.open && left(a) == n })
		if i < 0 {
			i = slices.IndexFunc(providers, func(p string) bool { a := l.of(p); return a.open && left(a) >= n })
		}
		if i < 0 {
			return matchError("", ErrNoMapping, l.plainMessage(class, n, providers))
		}
		from := l.of(providers[i])
		from.take(class, n)
		from.plain = true
	}
	return nil
}

func (l *ledger) plainMessage(class string, n int64, providers []string) string {
	var message strings.Builder
	fmt.Fprintf(&message, "the unsuffixed group takes %d %s from one provider, but no provider of its mapping has that left", n, class)
	for _, p := range providers {
		a := l.of(p)
		fmt.Fprintf(&message, "; provider %s is allocated %d, its other groups take %d", p, a.allocated[class], a.takes(class))
	}
	return message.String()
}

// balance reports the first provider and class, by name, where allocated and taken amounts are not the same.
func (l *ledger) balance(groups []Group, mappings map[string][]string) error {
	var worst *account
	var off string
	for i := range l.accounts {
		a := &l.accounts[i]
		if class, found := a.off(); found && (worst == nil || a.provider < worst.provider) {
			worst, off = a, class
		}
	}
	if worst == nil {
		return nil
	}
	return matchError("", ErrNoMapping, fmt.Sprintf("provider %s is allocated %d %s, its groups %q take %d",
		worst.provider, worst.allocated[off], off, worst.users(groups, mappings), worst.takes(off)))
}

// users are the suffixes of the groups that take something from the provider.
func (a *account) users(groups []Group, mappings map[string][]string) (suffixes []string) {
	for _, group := range groups {
		if group.Suffix != "" && len(group.Resources) > 0 && mappings[group.Suffix][0] == a.provider {
			suffixes = append(suffixes, group.Suffix)
		}
	}
	if a.plain {
		suffixes = append(suffixes, "")
	}
	return suffixes
}

// off is the first class, by name, of which the groups do not take what is allocated.
func (a *account) off() (first string, found bool) {
	note := func(class string, allocated, taken int64) {
		if taken == allocated || taken < allocated && a.open || found && first < class {
			return
		}
		first, found = class, true
	}
	for class, n := range a.allocated {
		note(class, n, a.takes(class))
	}
	for _, t := range a.taken {
		note(t.class, a.allocated[t.class], t.n)
	}
	return first, found
}
