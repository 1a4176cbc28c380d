package novacyborg_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// citation is how comments name a fault: B and a number, or a number in Launchpad.
var citation = regexp.MustCompile(`\bB([1-9][0-9]?)\b|(?:\bLP#|Launchpad (?:[a-z]+ )?)([0-9]{6,7})\b|\b(CVE-[0-9]+-[0-9]+)\b`)

// TestCitedFaultsAreListed keeps docs/nova-faults.md complete: an id in a comment leads there.
func TestCitedFaultsAreListed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/nova-faults.md")
	require.NoError(t, err)
	cited := 0
	for _, file := range goFiles(t) {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, comment := range tree.Comments {
			for _, match := range citation.FindAllStringSubmatch(comment.Text(), -1) {
				cited++
				assert.Regexp(t, `(?m)^\|.*\b`+faultID(match)+`\b.*\| [^|]+ \|`, string(page), "%s cites %s", file, match[0])
			}
		}
	}
	assert.Greater(t, cited, 10, "the comments that this test looks for are gone")
}

// TestEveryFaultHasARow keeps the numbers of docs/nova-faults.md whole and in order.
func TestEveryFaultHasARow(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/nova-faults.md")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| (B[0-9]+) \| .+ \| .+ \| .+ \|$`).FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 27)
	for i, row := range rows {
		assert.Equal(t, fmt.Sprintf("B%d", i+1), row[1])
	}
}

// TestPoolFaultsAreTested keeps docs/pool-faults.md true: every row names tests, and each of them exists.
func TestPoolFaultsAreTested(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/pool-faults.md")
	require.NoError(t, err)
	named := regexp.MustCompile(`([a-z]+)\.(Test[A-Za-z]+)`)
	rows := regexp.MustCompile(`(?m)^\| .* \| ([^|]+) \|$`).FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(rows), 45)
	for _, row := range rows {
		tests := named.FindAllStringSubmatch(row[1], -1)
		if row[1] != "shown by" {
			assert.NotEmpty(t, tests, row[0])
		}
		for _, test := range tests {
			folder := filepath.Join("elasticpool", test[1])
			if test[1] == "elasticpool" {
				folder = "elasticpool"
			}
			assert.True(t, hasTest(t, folder, test[2]), "%s.%s", test[1], test[2])
		}
	}
}

// hasTest says whether a folder has a test of that name.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if bytes.Contains(text, []byte("\nfunc "+name+"(")) {
			return true
		}
	}
	return false
}

// faultID is the id as the page has it.
func faultID(match []string) string {
	switch {
	case match[1] != "":
		return "B" + match[1]
	case match[2] != "":
		return "LP#" + match[2]
	}
	return match[3]
}

// goFiles returns every Go file of the checkout but this one.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".go" && path != "faults_test.go" {
			files = append(files, path)
		}
		return err
	})
	require.NoError(t, err)
	return files
}
