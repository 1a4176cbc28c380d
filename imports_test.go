package novacyborg_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/novacyborg/novacyborg"

// importRule is one row of the table in docs/architecture.md. Paths are relative to the module; "." is its root.
type importRule struct {
	packages   []string // each with everything below it, unless a longer path has a row of its own
	may        []string // what their code may import of ours; anyPublic stands for all that is not internal
	testsNever []string // what not even their tests may import
}

const anyPublic = "anything public"

// listedPackage is what go list tells about one package.
type listedPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsFollowTheTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	require.NoError(t, err)
	rules := parseImportTable(string(page))
	require.NotEmpty(t, rules, "docs/architecture.md has no import table")

	assert.Empty(t, importFaults(rules, listPackages(t)))
}

func TestImportFaultsFindsWhatTheTableForbids(t *testing.T) {
	t.Parallel()
	rules := parseImportTable(strings.Join([]string{
		"| package | may import | not even its tests import |",
		"|---|---|---|",
		"| `low`, `internal/wire` | nothing of ours | |",
		"| `low/fake` | nothing of ours | `low` |",
		"| `high` | `low`, `internal/wire` | |",
		"| `cmd` | anything public | |",
		"",
		"| `low` | `high` | a later table is not read |",
	}, "\n"))
	require.Len(t, rules, 4)

	for _, test := range []struct {
		name string
		pkg  listedPackage
		want string
	}{
		{name: "downwards", pkg: listedPackage{ImportPath: "high", Imports: []string{"low", "internal/wire"}}},
		{name: "itself and below", pkg: listedPackage{ImportPath: "high", Imports: []string{"high/part"}, XTestImports: []string{"high"}}},
		{name: "upwards", pkg: listedPackage{ImportPath: "low", Imports: []string{"high"}}, want: "low imports high"},
		{name: "not every child", pkg: listedPackage{ImportPath: "high", Imports: []string{"low/fake"}}, want: "high imports low/fake"},
		{name: "test of a higher one", pkg: listedPackage{ImportPath: "low", XTestImports: []string{"high"}}},
		{name: "fake that tests itself by its client", pkg: listedPackage{ImportPath: "low/fake", TestImports: []string{"low"}}, want: "a test of low/fake imports low"},
		{name: "fake below the client", pkg: listedPackage{ImportPath: "low/fake/part", Imports: []string{"low"}}, want: "low/fake/part imports low"},
		{name: "program", pkg: listedPackage{ImportPath: "cmd/tool", Imports: []string{"low", "low/fake", "high"}}},
		{name: "program with internals", pkg: listedPackage{ImportPath: "cmd/tool", Imports: []string{"internal/wire"}}, want: "cmd/tool imports internal/wire"},
		{name: "unknown package", pkg: listedPackage{ImportPath: "util"}, want: "util has no row"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			faults := importFaults(rules, []listedPackage{test.pkg})
			if test.want == "" {
				assert.Empty(t, faults)
				return
			}
			require.NotEmpty(t, faults)
			assert.Contains(t, faults[0], test.want)
		})
	}
}

// listPackages asks go list for every package of the module, with paths made relative to it and foreign ones left out.
func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, stderr.String())

	var packages []listedPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var listed listedPackage
		require.NoError(t, decoder.Decode(&listed))
		packages = append(packages, listedPackage{
			ImportPath:   ours([]string{listed.ImportPath})[0],
			Imports:      ours(listed.Imports),
			TestImports:  ours(listed.TestImports),
			XTestImports: ours(listed.XTestImports),
		})
	}
	require.Greater(t, len(packages), 5, "go list found too little to check")
	return packages
}

// ours keeps the import paths of this module, relative to its root.
func ours(paths []string) []string {
	var relative []string
	for _, path := range paths {
		if path == module {
			relative = append(relative, ".")
		} else if below, ok := strings.CutPrefix(path, module+"/"); ok {
			relative = append(relative, below)
		}
	}
	return relative
}

var (
	importTableHead = regexp.MustCompile(`(?m)^\| package \| may import \|.*\n\|[-|]+\n`)
	codeSpan        = regexp.MustCompile("`([^`]+)`")
)

// parseImportTable reads the rules from the page's import table, up to the first line that is no row.
func parseImportTable(page string) []importRule {
	head := importTableHead.FindStringIndex(page)
	if head == nil {
		return nil
	}
	var rules []importRule
	for line := range strings.Lines(page[head[1]:]) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			break
		}
		rule := importRule{packages: names(cells[1]), may: names(cells[2]), testsNever: names(cells[3])}
		if strings.Contains(cells[2], anyPublic) {
			rule.may = append(rule.may, anyPublic)
		}
		rules = append(rules, rule)
	}
	return rules
}

func names(cell string) []string {
	var found []string
	for _, match := range codeSpan.FindAllStringSubmatch(cell, -1) {
		found = append(found, match[1])
	}
	return found
}

// importFaults says, one sentence each, what the packages import against the rules.
func importFaults(rules []importRule, packages []listedPackage) []string {
	var faults []string
	for _, pkg := range packages {
		rule, root := ruleFor(rules, pkg.ImportPath)
		if root == "" {
			faults = append(faults, fmt.Sprintf("%s has no row in the import table of docs/architecture.md", pkg.ImportPath))
			continue
		}
		for _, imported := range pkg.Imports {
			if !within(imported, root) && !allowed(rule, imported) {
				faults = append(faults, fmt.Sprintf("%s imports %s; it may import %v", pkg.ImportPath, imported, rule.may))
			}
		}
		for _, imported := range slices.Concat(pkg.TestImports, pkg.XTestImports) {
			if slices.Contains(rule.testsNever, imported) {
				faults = append(faults, fmt.Sprintf("a test of %s imports %s", pkg.ImportPath, imported))
			}
		}
	}
	return faults
}

// ruleFor returns the rule with the longest path that holds the package, and that path.
func ruleFor(rules []importRule, path string) (rule importRule, root string) {
	for _, candidate := range rules {
		for _, name := range candidate.packages {
			if within(path, name) && len(name) > len(root) {
				rule, root = candidate, name
			}
		}
	}
	return rule, root
}

func allowed(rule importRule, imported string) bool {
	if slices.Contains(rule.may, imported) {
		return true
	}
	return slices.Contains(rule.may, anyPublic) && !within(imported, "internal")
}

// within says whether path is root or lies below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
