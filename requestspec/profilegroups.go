package requestspec

import (
	"fmt"
	"strconv"
	"strings"
)

// readProfile makes the groups of the flavor's device profile.
func (b *builder) readProfile() error {
	name := b.in.Flavor.DeviceProfile()
	if b.lenient {
		// Nova has no profile without its own key.
		if name = b.in.Flavor.ExtraSpecs[keyDeviceProfile]; name == "" {
			return nil
		}
	} else if err := b.in.Flavor.CheckDeviceProfile(); err != nil {
		b.note(Finding{Where: "flavor", Key: keyDeviceProfile, Value: name, Reason: ErrProfile, Message: bareMessage(err)})
	}
	if name != "" && len(b.in.Profile) == 0 {
		b.note(Finding{
			Where: profilePlace(name), Reason: ErrProfile,
			Message: "the profile has no groups, so it asks for no device (Input.Profile is empty: use Resolve)",
		})
	}
	b.profileGroups = name != "" || len(b.in.Profile) > 0 || len(b.in.Extra) > 0
	return b.addProfile(profilePlace(name), b.in.Profile, "")
}

// readExtra makes the groups of the profiles beside the flavor's. An owner that occurs twice ends as a conflict of
// suffixes.
func (b *builder) readExtra() error {
	for _, extra := range b.in.Extra {
		if len(extra.Groups) == 0 {
			b.note(Finding{Where: profilePlace(extra.Name), Reason: ErrProfile, Message: "the profile has no groups, so it asks for no device"})
		}
		if err := b.addProfile(profilePlace(extra.Name), extra.Groups, extra.Owner); err != nil {
			return err
		}
	}
	return nil
}

func profilePlace(name string) string {
	if name == "" {
		return "device profile"
	}
	return "device profile " + name
}

// bareMessage returns the text of an error without that of its sentinel in front.
func bareMessage(err error) string {
	return strings.TrimPrefix(err.Error(), ErrProfile.Error()+": ")
}

// addProfile makes one group of each group of a profile
// (nova/accelerator/cyborg.py:_CyborgClient.get_device_request_groups).
func (b *builder) addProfile(place string, groups []ProfileGroup, owner string) error {
	for i, group := range groups {
		d := newDraft(RequesterID(i, owner), place+", group "+strconv.Itoa(i))
		d.fromProfile = true
		if err := b.fillProfileGroup(d, group); err != nil {
			return err
		}
		b.outside = append(b.outside, d)
	}
	return nil
}

func (b *builder) fillProfileGroup(d *draft, group ProfileGroup) error {
	keys := map[specKey]string{} // prefix and name → last key
	for _, p := range group {
		parsed, ok := parseKey(p.Key)
		if !ok {
			if !strings.HasPrefix(p.Key, "accel:") {
				b.note(newFinding(d.where, p, ErrKey, "key is not read: write "+meantProfileKey(p)))
			}
			continue
		}
		b.noteProfileKey(d, p, parsed, keys)
		if parsed.prefix == prefixTrait {
			b.addTrait(d, d.where, parsed.name, p)
			continue
		}
		if err := b.addResource(d, d.where, parsed.name, p); err != nil {
			return err
		}
	}
	return nil
}

// meantProfileKey returns the key that an unread one of a profile group was probably meant to be, or the possible ones.
func meantProfileKey(p Property) string {
	right := meantResourceOrTrait(p.Key, valueText(p.Value))
	if parsed, ok := parseKey(right); ok && parsed.suffix == "" {
		return right
	}
	return "resources:CLASS, trait:NAME or accel:…"
}

// noteProfileKey finds what is wrong with a key of a profile group that is read.
func (b *builder) noteProfileKey(d *draft, p Property, parsed specKey, keys map[specKey]string) {
	switch {
	case strings.HasSuffix(p.Key, "\n"):
		b.note(newFinding(d.where, p, ErrKey, "key ends with a line feed"))
	case parsed.suffix == "s":
		b.note(newFinding(d.where, p, ErrKey, "the key has one s too many: write "+parsed.prefix+":"+parsed.name))
	case parsed.suffix != "":
		b.note(newFinding(d.where, p, ErrKey,
			"the suffix has no effect in a profile: each group of the profile is one group of the request"))
	}
	id := specKey{prefix: parsed.prefix, name: parsed.name}
	if first, seen := keys[id]; seen {
		b.note(newFinding(d.where, p, ErrKey, fmt.Sprintf("key says the same as %q; the last one would win", first)))
	}
	keys[id] = p.Key
	if parsed.prefix == prefixResources && baseClass(parsed.name) {
		b.note(newFinding(d.where, p, ErrBaseClass, "class would replace the flavor's own amount: ask for it in the flavor"))
	}
}
