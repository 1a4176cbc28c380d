package requestspec

import (
	"strings"
)

const (
	keyGroupPolicy = "group_policy"
	policyNone     = "none"
	policyIsolate  = "isolate"
)

// readExtraSpecs fills the flavor's groups (nova/scheduler/utils.py:ResourceRequest._process_extra_specs).
// A group is made for each suffix that occurs, even if nothing of it can be used.
func (b *builder) readExtraSpecs() error {
	specs := b.in.Flavor.ExtraSpecs
	for _, key := range sortedKeys(specs) {
		p := Property{Key: key, Value: specs[key]}
		parsed, ok := parseKey(key)
		switch {
		case key == keyGroupPolicy:
			b.readPolicy(p)
		case !ok:
			b.noteUnread(p)
		case parsed.prefix == prefixTrait:
			b.noteOddKey(p, parsed)
			b.addTrait(b.group(parsed.suffix), "flavor", parsed.name, p)
		default:
			b.noteOddKey(p, parsed)
			if err := b.addResource(b.group(parsed.suffix), "flavor", parsed.name, p); err != nil {
				return err
			}
		}
	}
	b.flavorSuffixes = b.suffixedFromFlavor()
	return nil
}

// suffixedFromFlavor counts the flavor's suffixed groups.
func (b *builder) suffixedFromFlavor() int {
	n := 0
	for suffix, d := range b.groups {
		if suffix != "" && d.fromFlavor {
			n++
		}
	}
	return n
}

func (b *builder) readPolicy(p Property) {
	switch p.Value {
	case policyNone:
		b.policy = policyNone
	case policyIsolate:
		b.policy = policyIsolate
	default:
		b.note(newFinding("flavor", p, ErrGroupPolicy, "policy must be none or isolate; Nova ignores it"))
	}
}

// placementKeys are parameters of Placement that Nova does not read from flavors.
var placementKeys = []string{"member_of", "in_tree", "same_subtree", "root_required", "required", "limit"}

// noteUnread finds extra specs outside the grammar that were probably meant to be read.
func (b *builder) noteUnread(p Property) {
	if p.Key == keyPCIAlias {
		if _, err := ParsePCIAliases(b.in.Flavor.ExtraSpecs[p.Key]); err != nil {
			b.note(newFinding("flavor", p, ErrKey, err.Error()))
		}
		return
	}
	if p.Key == keyDeviceProfile || p.Key == keyDeviceProfileName {
		return
	}
	if right := meantKey(p.Key, b.in.Flavor.ExtraSpecs[p.Key]); right != "" {
		b.note(newFinding("flavor", p, ErrKey, "key is not read: write "+right))
		return
	}
	if right := meantNovaKey(p.Key); right != "" {
		b.note(newFinding("flavor", p, ErrKey, "Nova knows no such key: write "+right))
		return
	}
	name := strings.TrimSpace(p.Key)
	for _, key := range placementKeys {
		if suffix, found := strings.CutPrefix(name, key); found && validSuffix(suffix) {
			finding := newFinding("flavor", p, ErrKey, "Nova does not read this parameter of Placement from flavors")
			finding.Advice = true
			b.note(finding)
			return
		}
	}
}

// noteOddKey finds keys that are read, but hardly as meant.
func (b *builder) noteOddKey(p Property, parsed specKey) {
	switch {
	case parsed.suffix == "s":
		b.note(newFinding("flavor", p, ErrKey,
			"key is read as "+parsed.prefix+" with suffix s: remove the second s, or take another suffix"))
	case strings.HasSuffix(p.Key, "\n"):
		b.note(newFinding("flavor", p, ErrKey, "key ends with a line feed"))
	}
}
