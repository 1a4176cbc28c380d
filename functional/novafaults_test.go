package functional_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faultRow is a row of docs/nova-faults.md.
type faultRow struct {
	id, here string
	// tests are package.Function, one after the other.
	tests []string
}

// theFaults are Nova's, found by reading, from B1 on, and those reported.
const theFaults = 27

var reportedFaults = []string{
	"LP#1872730", "LP#1874664", "LP#1855752", "LP#1890428", "LP#1893751", "LP#1917592", "cb56ae6aad", "LP#1938093", "LP#1939020",
	"LP#1950276", "LP#2140631", "LP#2144056", "LP#2139369", "LP#2150557", "LP#1956406",
}

// TestEveryFaultIsShown keeps the page of Nova's faults true: no fault is missing, each says what is done here, and each
// names tests that exist.
func TestEveryFaultIsShown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/nova-faults.md")
	require.NoError(t, err)
	rows, exist := faultRows(string(page)), testNames(t)
	require.Greater(t, len(exist), 500)
	var ids []string
	for _, row := range rows {
		for _, fault := range faultRowFaults(row, exist) {
			assert.Fail(t, fault, row.id)
		}
		ids = append(ids, strings.FieldsFunc(row.id, func(r rune) bool { return r == ' ' || r == ',' })...)
	}
	for i := range theFaults {
		assert.Contains(t, ids, fmt.Sprintf("B%d", i+1))
	}
	for _, id := range reportedFaults {
		assert.Contains(t, ids, id)
	}
}

// faultRows are the rows of all tables of a page whose last column has the head "shown by".
func faultRows(page string) []faultRow {
	var rows []faultRow
	inTable := false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		switch {
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case last == "shown by":
			inTable = true
		case inTable && !strings.HasPrefix(line, "|---") && len(cells) > 2:
			row := faultRow{id: strings.TrimSpace(cells[0]), here: strings.TrimSpace(cells[len(cells)-2])}
			if last != "" {
				row.tests = strings.Split(last, ", ")
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// faultRowFaults tells what a row lacks.
func faultRowFaults(row faultRow, exist map[string]bool) []string {
	var faults []string
	if len(row.tests) == 0 {
		faults = append(faults, "no test shows it")
	}
	if strings.Contains(row.here, "not yet") {
		faults = append(faults, "it is not done")
	}
	if strings.Contains(row.here, "cannot arise") && !strings.Contains(row.here, "cannot arise: ") {
		faults = append(faults, "it does not say why it cannot arise")
	}
	for _, name := range row.tests {
		if !exist[name] {
			faults = append(faults, "there is no test "+name)
		}
	}
	return faults
}

// testNames are the tests of the module, as package.Function: a test file in a package x_test is one of x.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && path != ".."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range tree.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && isTest(function) {
				names[strings.TrimSuffix(tree.Name.Name, "_test")+"."+function.Name.Name] = true
			}
		}
		return nil
	})
	require.NoError(t, err)
	return names
}

// aTest is the name of what go test runs.
var aTest = regexp.MustCompile(`^Test[A-Z]`)

func isTest(function *ast.FuncDecl) bool {
	return function.Recv == nil && aTest.MatchString(function.Name.Name) && function.Name.Name != "TestMain" &&
		len(function.Type.Params.List) == 1
}

// TestFaultsOfFaultRows shows that TestEveryFaultIsShown can fail.
func TestFaultsOfFaultRows(t *testing.T) {
	t.Parallel()
	exist := map[string]bool{"a.TestOne": true, "a.TestTwo": true}
	for _, test := range []struct{ name, row, want string }{
		{"good", "| B1 | x | y | done | a.TestOne, a.TestTwo |", ""},
		{"cannot arise", "| B1 | x | y | cannot arise: there is none | a.TestOne |", ""},
		{"no test", "| B1 | x | y | done |  |", "no test shows it"},
		{"unknown test", "| B1 | x | y | done | a.TestOne, a.TestThree |", "there is no test a.TestThree"},
		{"no list", "| B1 | x | y | done | a.TestOne and others |", "there is no test a.TestOne and others"},
		{"not done", "| B1 | x | y | not yet | a.TestOne |", "it is not done"},
		{"no reason", "| B1 | x | y | cannot arise | a.TestOne |", "it does not say why it cannot arise"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rows := faultRows("| id | symptom | where | here | shown by |\n|---|---|---|---|---|\n" + test.row + "\n\n| B2 | other table |\n")
			require.Len(t, rows, 1)
			assert.Equal(t, "B1", rows[0].id)
			assert.Equal(t, test.want, strings.Join(faultRowFaults(rows[0], exist), "; "))
		})
	}
}
