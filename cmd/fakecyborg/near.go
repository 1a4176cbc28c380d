package main

import (
	"slices"
	"strings"
)

// didYouMean names the known names that an unknown one was probably meant to be,
// "" if it resembles none.
func didYouMean(unknown string, known []string, mark string) string {
	allowed := 1 + len(strings.TrimPrefix(unknown, variablePrefix))/4
	var near []string
	for _, name := range known {
		if distance(unknown, name) <= allowed {
			near = append(near, mark+name)
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.Sort(near)
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// distance is how many letters have to be added, removed or replaced to make one
// text of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
