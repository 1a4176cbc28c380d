package main

import (
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/near"
)

// didYouMean asks whether the known names that are nearest to an unknown one were
// meant, each with mark before it; "" if it resembles none.
func didYouMean(unknown string, known []string, mark string) string {
	least, meant := 1+len(strings.TrimPrefix(unknown, variablePrefix))/4, []string(nil)
	for _, name := range slices.Sorted(slices.Values(known)) {
		d := near.Distance(unknown, name, least)
		if d > least {
			continue
		}
		if d < least {
			least, meant = d, nil
		}
		meant = append(meant, mark+name)
	}
	return near.Question(slices.Compact(meant))
}
