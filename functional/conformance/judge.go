package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// row is one line of the page.
type row struct {
	peer, operation string
	releases        []string
	passed          int
	test            string // package and test
}

// judge makes the rows. Each claim must have a test, and none of its tests may have failed or been skipped.
func judge(claims []claim, results map[string][]result) ([]row, error) {
	rows := make(map[string]*row)
	var faults []error
	for _, c := range claims {
		met := 0
		for _, r := range results[c.Stage] {
			if r.pkg != c.Package || !c.pattern.MatchString(r.test) {
				continue
			}
			met++
			if r.outcome != "pass" {
				faults = append(faults, fmt.Errorf("%s: %s %s: %s", c.Stage, r.pkg, r.test, r.outcome))
				continue
			}
			if err := c.count(rows, r); err != nil {
				faults = append(faults, err)
			}
		}
		if met == 0 {
			faults = append(faults, fmt.Errorf("%s: no test of %s is called %s", c.Stage, c.Package, c.Test))
		}
	}
	sorted := make([]row, 0, len(rows))
	for _, r := range rows {
		sorted = append(sorted, *r)
	}
	slices.SortFunc(sorted, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.peer, b.peer), cmp.Compare(a.operation, b.operation), cmp.Compare(a.test, b.test))
	})
	return sorted, errors.Join(faults...)
}

// count adds a test that has passed to its row.
func (c claim) count(rows map[string]*row, r result) error {
	peer, operation, release := c.says("peer", c.Peer, r), c.says("operation", c.Operation, r), c.says("release", c.Release, r)
	if peer == "" || operation == "" || release == "" {
		return fmt.Errorf("%s: %s %s tells no peer, operation or release: %q, %q, %q", c.Stage, r.pkg, r.test, peer, operation, release)
	}
	top, _, _ := strings.Cut(r.test, "/")
	key := strings.Join([]string{peer, operation, r.pkg, top}, "\x00")
	if rows[key] == nil {
		rows[key] = &row{peer: peer, operation: operation, test: r.pkg + " " + top}
	}
	rows[key].passed++
	if !slices.Contains(rows[key].releases, release) {
		rows[key].releases = append(rows[key].releases, release)
		slices.SortFunc(rows[key].releases, byNumbers)
	}
	return nil
}

// byNumbers sorts 9.0.0 before 14.1.0.
func byNumbers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		first, errFirst := strconv.Atoi(a)
		second, errSecond := strconv.Atoi(b)
		if errFirst == nil && errSecond == nil {
			return cmp.Compare(first, second)
		}
		return cmp.Compare(a, b)
	})
}
