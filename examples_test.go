package novacyborg_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPackagesHaveExamples: every public package says what it is, and has an example that runs; every constructor, a
// function New…, is called in one.
func TestPackagesHaveExamples(t *testing.T) {
	t.Parallel()
	for _, pkg := range listPackages(t) {
		path := pkg.ImportPath
		if within(path, "functional") || within(path, "cmd") || within(path, "examples") || slices.Contains(strings.Split(path, "/"), "internal") {
			continue
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			files, tests := parsedPackage(t, path)
			documented := slices.ContainsFunc(files, func(f *ast.File) bool { return f.Doc.Text() != "" })
			assert.True(t, documented, "no package comment")
			examples := doc.Examples(tests...)
			runs := slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput })
			assert.True(t, runs, "no Example with output")
			called := callsIn(examples)
			for _, constructor := range constructors(files) {
				assert.Contains(t, called, constructor, "no Example calls it")
			}
		})
	}
}

// parsedPackage parses the files of a folder, those of tests apart.
func parsedPackage(t *testing.T, path string) (files, tests []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(path), "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		require.NoError(t, err)
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, file)
		} else {
			files = append(files, file)
		}
	}
	return files, tests
}

// constructors are the exported functions that are called New or New and more.
func constructors(files []*ast.File) []string {
	var found []string
	for _, file := range files {
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Recv != nil || strings.HasPrefix(function.Name.Name, "Newest") {
				continue
			}
			if strings.HasPrefix(function.Name.Name, "New") {
				found = append(found, function.Name.Name)
			}
		}
	}
	return found
}

// callsIn names the functions that examples call, and those that functions beside them call.
func callsIn(examples []*doc.Example) []string {
	var called []string
	note := func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
				called = append(called, selector.Sel.Name)
			}
		}
		return true
	}
	for _, example := range examples {
		ast.Inspect(example.Code, note)
		if example.Play != nil {
			ast.Inspect(example.Play, note)
		}
	}
	return called
}
