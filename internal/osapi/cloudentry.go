package osapi

import (
	"fmt"
	"maps"
)

// cloudEntry is an entry of clouds.yaml, secure.yaml or clouds-public.yaml as
// it stands there, or one of its sections.
type cloudEntry map[string]any

// text is the value of the first of the keys that has one.
func (e cloudEntry) text(keys ...string) string {
	for _, key := range keys {
		if value := e[key]; value != nil && value != "" {
			return fmt.Sprint(value)
		}
	}
	return ""
}

// auth is never nil to read from.
func (e cloudEntry) auth() cloudEntry {
	section, _ := e["auth"].(map[string]any)
	return section
}

// over returns the entry with the gaps filled from lower; sections are merged
// key by key.
func (e cloudEntry) over(lower cloudEntry) cloudEntry {
	merged := maps.Clone(lower)
	if merged == nil {
		merged = make(cloudEntry)
	}
	for key, value := range e {
		section, isSection := value.(map[string]any)
		below, bothSections := merged[key].(map[string]any)
		if isSection && bothSections {
			value = map[string]any(cloudEntry(section).over(below))
		}
		merged[key] = value
	}
	return merged
}

// overKeys is over without merging sections.
func (e cloudEntry) overKeys(lower cloudEntry) cloudEntry {
	merged := maps.Clone(lower)
	maps.Copy(merged, e)
	return merged
}

// firstRegion is what openstacksdk takes when region_name is missing.
func (e cloudEntry) firstRegion() string {
	regions, _ := e["regions"].([]any)
	if len(regions) == 0 {
		return ""
	}
	if region, ok := regions[0].(map[string]any); ok {
		return cloudEntry(region).text("name")
	}
	return fmt.Sprint(regions[0])
}
