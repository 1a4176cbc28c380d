package requestspec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// builder collects what Nova's ResourceRequest collects, step by step, and what is wrong with it.
type builder struct {
	in      Input
	lenient bool

	groups   map[string]*draft
	outside  []*draft // port and profile groups in request order
	policy   string
	unlimit  bool
	subtrees [][]string
	findings []Finding
	// flavorSuffixes is how many suffixes the flavor brought, used or not.
	flavorSuffixes int
	profileGroups  bool
}

// group returns the flavor's group of a suffix and makes it if needed.
func (b *builder) group(suffix string) *draft {
	if d, found := b.groups[suffix]; found {
		return d
	}
	where := "flavor"
	if suffix != "" {
		where = "flavor, group " + suffix
	}
	d := newDraft(suffix, where)
	d.fromFlavor = true
	b.groups[suffix] = d
	return d
}

// add takes in a group from outside the flavor (nova/scheduler/utils.py:ResourceRequest._add_request_group).
func (b *builder) add(d *draft) error {
	switch {
	case d.suffix == "":
		return b.refuse(Finding{Where: d.where, Reason: ErrEmptyGroup, Message: "the group has no id"})
	case d.empty():
		return b.refuse(Finding{
			Where: d.where, Reason: ErrEmptyGroup,
			Message: "the group asks for no resource and no trait that can be used",
		})
	case b.groups[d.suffix] != nil:
		return b.refuse(Finding{
			Where: d.where, Reason: ErrSuffixConflict,
			Message: "suffix " + d.suffix + " is also used by " + b.groups[d.suffix].where,
		})
	}
	b.groups[d.suffix] = d
	return nil
}

// note records what Nova only warns about, or does not see.
func (b *builder) note(finding Finding) { b.findings = append(b.findings, finding) }

// refuse returns the error of what Nova refuses too. In strict mode everything found before comes first, as it is
// refused as well; in lenient mode it comes after the one thing that Nova refuses.
func (b *builder) refuse(finding Finding) error {
	if b.lenient {
		return &Error{Op: opBuild, Findings: append([]Finding{finding}, b.findings...)}
	}
	return &Error{Op: opBuild, Findings: append(b.faults(), finding)}
}

// faults returns the findings that strict mode refuses.
func (b *builder) faults() []Finding {
	return slices.DeleteFunc(slices.Clone(b.findings), func(f Finding) bool { return f.Advice })
}

// addResource puts one amount into a group, if Nova would (nova/objects/request_spec.py:RequestGroup.add_resource).
// The error is only that of a value that Nova fails on.
func (b *builder) addResource(d *draft, where, class string, p Property) error {
	if !acceptedClass(class) {
		b.note(newFinding(where, p, ErrClass, "class is neither a standard one nor CUSTOM_…; Nova skips it"+didYouMean(class)))
		return nil
	}
	if !validClass(class) {
		b.note(newFinding(where, p, ErrClass, "Placement has no such class: a custom class is CUSTOM_ and A-Z, 0-9, _"))
	}
	n, err := parseAmount(p.Value)
	switch {
	case errors.Is(err, errNotConvertible):
		return b.refuse(newFinding(where, p, ErrAmount, "amount is "+err.Error()))
	case err != nil || n.sign() < 0:
		b.note(newFinding(where, p, ErrAmount, "amount must be a whole number, 0 or more; Nova skips the key"))
		return nil
	case isInexact(p.Value):
		b.note(newFinding(where, p, ErrAmount, "amount must be a whole number; Nova takes "+n.String()))
	case n.above(largestTotal):
		b.noteTooMuch(where, p)
	}
	d.ask(class, n)
	return nil
}

func (b *builder) noteTooMuch(where string, p Property) {
	b.note(newFinding(where, p, ErrNeverFits, fmt.Sprintf("no provider can have more than %d", largestTotal)))
}

// addTrait puts one trait into a group, if Nova would (nova/objects/request_spec.py:RequestGroup.add_trait).
func (b *builder) addTrait(d *draft, where, trait string, p Property) {
	switch p.Value {
	case "required":
		d.required.add(trait)
	case "forbidden":
		d.forbidden.add(trait)
	default:
		b.note(newFinding(where, p, ErrTrait, "trait must be required or forbidden; Nova skips it"))
		return
	}
	if !validName(trait) {
		b.note(newFinding(where, p, ErrTrait, "Placement has no such trait: a trait has 1 to 255 of A-Z, 0-9, _"))
	} else if !knownTraitPrefix(trait) {
		finding := newFinding(where, p, ErrTrait, "no standard trait begins like this, and one of your own begins with CUSTOM_")
		finding.Advice = true
		b.note(finding)
	}
}

// strip drops zero amounts and then empty groups (nova/scheduler/utils.py:ResourceRequest.strip_zeros).
func (b *builder) strip() error {
	for _, d := range b.groups {
		d.dropZeros()
	}
	for _, d := range b.outside {
		if d.fromProfile && d.empty() {
			b.note(Finding{
				Where: d.where, Reason: ErrEmptyGroup,
				Message: "all amounts are zero, so the group is dropped and its devices have no provider",
			})
		}
	}
	maps.DeleteFunc(b.groups, func(_ string, d *draft) bool { return d.empty() })
	return nil
}
