package requestspec

import (
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/near"
)

// nearest is how many letters a misspelt key may differ from the right one.
const nearest = 2

// meantKey returns the key that an unread extra spec was probably meant to be, "" for a key of somebody else. Nova
// ignores it either way, so that a guest boots without what its flavor asks for.
func meantKey(key, value string) string {
	for _, meant := range []func(string, string) string{meantProfile, meantPolicy, meantResourceOrTrait} {
		if right := meant(key, value); right != "" {
			return right
		}
	}
	return ""
}

// meantProfile finds what should be accel:device_profile: whatever is in the namespace accel, and what is written
// almost like that key. Nova reads no other key of the namespace from a flavor (nova/scheduler/request_filter.py).
func meantProfile(key, _ string) string {
	folded := foldKey(key)
	spellings := []string{keyDeviceProfile, keyDeviceProfileName, "accelerator:device_profile"}
	if !strings.Contains(key, ":") {
		spellings = append(spellings, "device_profile", "device_profile_name")
	}
	resembles := func(s string) bool { return near.Distance(folded, foldKey(s), nearest) <= nearest }
	if slices.ContainsFunc(spellings, resembles) || strings.HasPrefix(strings.ToLower(strings.TrimSpace(key)), "accel:") {
		return keyDeviceProfile
	}
	return ""
}

// meantPolicy finds what should be group_policy. A key with a colon has a namespace, so that it must be group:policy.
func meantPolicy(key, _ string) string {
	d := near.Distance(foldKey(key), foldKey(keyGroupPolicy), nearest)
	if d == 0 || d <= nearest && !strings.Contains(key, ":") {
		return keyGroupPolicy
	}
	return ""
}

// meantResourceOrTrait finds what should be resources[S]:CLASS or trait[S]:NAME. A key that only resembles one counts
// if its name and value are such as a resource or a trait has.
func meantResourceOrTrait(key, value string) string {
	head, name, _ := strings.Cut(strings.TrimSpace(key), ":")
	for _, kind := range []struct{ prefix, word, form string }{
		{prefixResources, "resource", "resources[S]:CLASS"},
		{prefixTrait, "trait", "trait[S]:NAME"},
	} {
		word := len(kind.word)
		if strings.HasPrefix(strings.ToLower(head), kind.word) {
			if len(head) > word && kind.prefix == prefixResources && strings.ContainsRune("sS", rune(head[word])) {
				word++
			}
			return spelled(kind.prefix+head[word:]+":"+name, kind.form)
		}
		stem, suffix := cutSuffix(head)
		if validName(name) && near.Distance(foldKey(stem), kind.prefix, nearest) <= nearest && wantedValue(kind.prefix, value) {
			return spelled(kind.prefix+suffix+":"+name, kind.form)
		}
	}
	return ""
}

// spelled returns a key that is read, or the form of such keys.
func spelled(key, form string) string {
	if parsed, ok := parseKey(key); ok && parsed.name != "" {
		return key
	}
	return form
}

// cutSuffix splits the part of a key before the colon where a number or a part that begins with _ or - starts.
func cutSuffix(head string) (stem, suffix string) {
	if i := strings.IndexAny(head, "0123456789_-"); i >= 0 {
		return head[:i], head[i:]
	}
	return head, ""
}

func wantedValue(prefix, value string) bool {
	if prefix == prefixTrait {
		return value == "required" || value == "forbidden"
	}
	_, err := parseAmount(value)
	return err == nil
}

// foldKey leaves the letters and digits of a key, in lower case.
func foldKey(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n_-.:/=", r) {
			return -1
		}
		return r
	}, strings.ToLower(key))
}
