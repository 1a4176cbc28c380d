package pciowner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/near"
)

// knownKeys are the keys of an entry that Nova reads (nova/conf/pci.py,
// device_spec; nova/pci/devspec.py). All others are tags that nobody looks at.
var knownKeys = []string{
	"vendor_id", "product_id", "address", "devname",
	"physical_network", "parent_ifname", "trusted", "remote_managed", "managed", "live_migratable", oneTimeUse, "resource_class", "traits",
}

// otherWords are what people write for a known key that no slip of a finger gives.
var otherWords = map[string]string{"vendor": "vendor_id", "product": "product_id", "deviceid": "product_id", "interface": "devname"}

// nearest is how many letters a misspelt key may differ from the right one.
const nearest = 2

// meantKeys are the keys that an unread one was probably meant to be.
func meantKeys(key string) []string {
	if slices.Contains(knownKeys, key) {
		return nil
	}
	folded := foldKey(key)
	if meant := otherWords[folded]; meant != "" {
		return []string{meant}
	}
	limit := min(nearest, len(folded)/3)
	return slices.DeleteFunc(slices.Clone(knownKeys), func(known string) bool {
		return near.Distance(folded, foldKey(known), limit) > limit
	})
}

// foldKey leaves the letters of a key, in lower case.
func foldKey(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
}

// findTypos looks for tags that were probably meant to be something else. Without
// it an entry is for more devices than it says.
func (c *checker) findTypos(spec *DeviceSpec) {
	for _, key := range slices.Sorted(maps.Keys(spec.Tags)) {
		if meant := meantKeys(key); len(meant) > 0 {
			c.add(FindingUnread, fmt.Sprintf("%s: nobody reads %q, so the entry is for %s%s", spec.place(), key, spec.devices(), near.Question(meant)))
		}
	}
}
