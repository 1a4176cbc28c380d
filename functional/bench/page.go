package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

var (
	//go:embed page.md.tmpl
	pageText string
	//go:embed simulator.md.tmpl
	simulator string
	//go:embed profiles.md
	profiles string
)

// render writes the page.
func render(r *results) (string, error) {
	page, err := template.New("page").Funcs(template.FuncMap{
		"table":     table,
		"simulator": func() string { return strings.TrimSpace(simulator) },
		"profiles":  func() string { return strings.TrimSpace(profiles) },
	}).Parse(pageText)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = page.Execute(&out, r)
	return out.String(), err
}

// table writes rows as Markdown.
func table(rows []*row) string {
	var out strings.Builder
	out.WriteString("| what | ours | beside | its figure | ratio | goal |\n|---|---|---|---|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s |\n", row.What, row.Ours, row.Peer, row.Theirs, row.RatioText(), row.Goal)
	}
	return strings.TrimSpace(out.String())
}

// errPage is what checkPage finds.
var errPage = errors.New("is not what functional/bench writes; run make bench")

// checkPage compares the page of a file with one that was just made, but for figures.
func checkPage(path, page string) error {
	text, err := os.ReadFile(path) //nolint:gosec // the path is the caller's
	if err != nil {
		return err
	}
	if diff := cmp.Diff(structure(page), structure(string(text))); diff != "" {
		return fmt.Errorf("%s %w (-made now +in the file):\n%s", path, errPage, diff)
	}
	return nil
}

// cores is the sentence about the machine.
var cores = regexp.MustCompile(`\b\d+ cores?\b`)

// structure is the page's lines without what a run fills in.
func structure(page string) []string {
	var lines []string
	for line := range strings.Lines(page) {
		line = strings.TrimRight(cores.ReplaceAllString(line, "N cores"), "\n")
		if cells := strings.Split(line, "|"); len(cells) == 8 {
			line = strings.Join([]string{cells[1], cells[3], cells[6]}, "|")
		}
		lines = append(lines, line)
	}
	return lines
}
