package requestspec

import (
	"fmt"
	"slices"
	"strconv"
)

// setPolicy defaults the group policy to none when groups from outside the flavor need one
// (nova/scheduler/utils.py:resources_from_request_spec). Nova counts also those suffixes of the flavor of which nothing
// is left; strict mode counts what is left.
func (b *builder) setPolicy() error {
	suffixed := len(b.groups)
	if b.groups[""] != nil {
		suffixed--
	}
	if b.policy != "" || suffixed < 2 {
		return nil
	}
	fromFlavor := b.suffixedFromFlavor()
	if b.lenient {
		fromFlavor = b.flavorSuffixes
	}
	if fromFlavor <= 1 {
		b.policy = policyNone
		return nil
	}
	b.note(Finding{
		Where: "flavor", Key: keyGroupPolicy, Reason: ErrGroupPolicy,
		Message: "the flavor has several suffixed groups, so Placement demands a policy: none, or isolate for a provider each",
	})
	return nil
}

// check finds what Placement would refuse and what can never fit.
func (b *builder) check(r *Request) {
	// With another fault it would be no news.
	if len(r.Groups) == 0 && len(b.faults()) == 0 {
		b.note(Finding{
			Where: "request", Reason: ErrEmptyGroup,
			Message: "nothing is asked for: give the flavor vcpus and memory_mb, or a device profile",
		})
	}
	tied := inSubtrees(r.SameSubtree)
	for _, group := range r.Groups {
		where := b.groups[group.Suffix].where
		b.checkConflict(where, group.Required, group.Forbidden)
		b.checkFit(group)
		if len(group.Resources) == 0 && (group.Suffix == "" || !tied[group.Suffix]) {
			b.note(Finding{
				Where: where, Reason: ErrTraitOnly,
				Message: "the group has conditions but no resources; Placement takes that only of a suffixed group in a same_subtree",
			})
		}
	}
	b.checkConflict("root provider", r.RootRequired, r.RootForbidden)
	b.checkSubtrees(r)
	b.checkWishes()
}

// checkConflict finds traits that are in both lists, which are sorted.
func (b *builder) checkConflict(where string, required, forbidden []string) {
	for _, trait := range required {
		if _, both := slices.BinarySearch(forbidden, trait); both {
			b.note(Finding{Where: where, Key: trait, Reason: ErrTrait, Message: "trait is both required and forbidden"})
		}
	}
}

// checkFit finds a suffixed group that asks one provider for more than any has. Without the caller's knowledge of the
// providers it only advises against two GPUs in one group: most drivers of Cyborg report each GPU as a provider of its
// own, but an own driver may report several on one.
func (b *builder) checkFit(group Group) {
	if group.Suffix == "" {
		return
	}
	for _, class := range sortedKeys(group.Resources) {
		n := group.Resources[class]
		most, known := b.in.LargestProvider[class]
		tooMuch, likely := known && n > most, !known && class == "PGPU" && n > 1
		if !tooMuch && !likely {
			continue
		}
		d := b.groups[group.Suffix]
		finding := Finding{Where: d.where, Key: d.keyOf(class), Value: strconv.FormatInt(n, 10), Reason: ErrNeverFits, Advice: likely}
		if tooMuch {
			finding.Message = fmt.Sprintf("one group is served by one provider, and the largest has %d: use several groups", most)
		} else {
			finding.Message = fmt.Sprintf(
				"one group is served by one provider, and Cyborg's GPU drivers report one GPU on each: use %d groups of 1", n)
		}
		b.note(finding)
	}
}

func (b *builder) checkSubtrees(r *Request) {
	if len(r.SameSubtree) == 0 {
		return
	}
	suffixed := map[string]bool{}
	for _, group := range r.Suffixed() {
		suffixed[group.Suffix] = true
	}
	for _, suffixes := range r.SameSubtree {
		if len(suffixes) == 0 {
			b.noteWish("same_subtree", "", ErrKey, "a list names no suffix")
		}
		for _, suffix := range suffixes {
			if !suffixed[suffix] {
				b.noteWish("same_subtree", suffix, ErrKey, "there is no group of this suffix")
			}
		}
	}
}

func inSubtrees(lists [][]string) map[string]bool {
	tied := map[string]bool{}
	for _, list := range lists {
		for _, suffix := range list {
			tied[suffix] = true
		}
	}
	return tied
}
