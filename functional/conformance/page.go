package main

import (
	"fmt"
	"strings"
)

const head = `# Conformance

What has been run against which real service or client. ` + "`go run ./functional/conformance`" + ` makes this page from the results of the
tests; CI fails when it does not say what they say. A row is here only if all its tests ran and passed: in CI a peer that cannot be started is a failure.
The releases are those of the service, or, for clients, those that the fake played. Differences that remain between the real services and the
fakes are in [limits.md](limits.md) and in the lists beside the tests.

| peer | operation | releases | passed | test |
|---|---|---|---|---|
`

// page writes the Markdown.
func page(rows []row) string {
	var b strings.Builder
	b.WriteString(head)
	for _, r := range rows {
		b.WriteString(line(r))
	}
	return b.String()
}

func line(r row) string {
	releases := strings.Join(r.releases, ", ")
	if count := len(r.releases); count > 3 {
		releases = fmt.Sprintf("%s to %s (%d)", r.releases[0], r.releases[count-1], count)
	}
	return fmt.Sprintf("| %s | %s | %s | %d | `%s` |\n", cell(r.peer), cell(r.operation), cell(releases), r.passed, r.test)
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// compare names the rows that a page has not; with all, also what else is different.
func compare(old string, rows []row, all bool) []string {
	var faults []string
	for _, r := range rows {
		if !strings.Contains(old, "\n"+line(r)) {
			faults = append(faults, "+ "+strings.TrimSpace(line(r)))
		}
	}
	if all {
		now := page(rows)
		for text := range strings.Lines(old) {
			if !strings.Contains(now, text) {
				faults = append(faults, "- "+strings.TrimSpace(text))
			}
		}
	}
	return faults
}
