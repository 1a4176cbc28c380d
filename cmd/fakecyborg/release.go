package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/internal/near"
)

// seriesNames are the names of those series that are called by their number.
var seriesNames = map[string]string{
	"antelope": "2023.1", "bobcat": "2023.2", "caracal": "2024.1", "dalmatian": "2024.2",
	"epoxy": "2025.1", "flamingo": "2025.2", "gazpacho": "2026.1", "hibiscus": "2026.2",
}

// findRelease is [fakecyborg.FindRelease] that also takes the names of all series and of
// their branches, and asks what an unknown one was meant to be.
func findRelease(text string) (fakecyborg.Release, error) {
	name := strings.ToLower(text)
	for _, branch := range []string{"stable/", "unmaintained/"} {
		name = strings.TrimPrefix(name, branch)
	}
	release, err := fakecyborg.FindRelease(cmp.Or(seriesNames[name], name))
	if err == nil {
		return release, nil
	}
	if meant := meantRelease(name); meant != "" {
		return fakecyborg.Release{}, fmt.Errorf("release %q: unknown%s", text, meant)
	}
	return fakecyborg.FindRelease(text)
}

// meantRelease asks whether releases that begin with an unknown name, or else resemble
// it, were meant; "" for none.
func meantRelease(unknown string) string {
	var known, longer []string
	for _, release := range fakecyborg.Releases() {
		known = append(known, release.Series, release.Version)
	}
	for name := range seriesNames {
		known = append(known, name)
	}
	for _, name := range known {
		if unknown != "" && strings.HasPrefix(name, strings.TrimSuffix(unknown, ".")+".") && !slices.Contains(longer, name) {
			longer = append(longer, name)
		}
	}
	return cmp.Or(near.Question(longer), didYouMean(unknown, known, ""))
}
