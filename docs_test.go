package novacyborg_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeListsEveryPackage keeps the package table whole: what can be imported, and every program.
func TestReadmeListsEveryPackage(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var linked []string
	for _, row := range regexp.MustCompile("(?m)^\\| \\[`(.+?)`\\]\\((.+?)\\) \\|").FindAllStringSubmatch(string(readme), -1) {
		assert.Equal(t, row[1], row[2])
		linked = append(linked, row[1])
	}
	for _, pkg := range listPackages(t) {
		path := pkg.ImportPath
		if path == "." || within(path, "functional") || slices.Contains(strings.Split(path, "/"), "internal") {
			continue
		}
		assert.Contains(t, linked, path, "the table in README.md")
	}
}

func TestLinksInDocumentsLead(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	block := regexp.MustCompile("(?ms)^```.*?^```$")
	pages := documents(t)
	require.Contains(t, pages, "README.md")
	require.Contains(t, pages, "docs/limits.md")
	for _, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, match := range link.FindAllStringSubmatch(block.ReplaceAllString(string(content), ""), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), match[1]))
			assert.NoError(t, err, "a link of %s", page)
		}
	}
}

// TestDecisionsAreNumbered keeps docs/adr complete and in order.
func TestDecisionsAreNumbered(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/adr/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	slices.Sort(pages)
	for i, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(filepath.Base(page), fmt.Sprintf("%04d-", i+1)), page)
		assert.True(t, strings.HasPrefix(string(content), fmt.Sprintf("# %d. ", i+1)), page)
		assert.Contains(t, string(content), "\nStatus: ", page)
	}
}

// documents returns every Markdown file of the checkout.
func documents(t *testing.T) []string {
	t.Helper()
	var pages []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	require.NoError(t, err)
	return pages
}
