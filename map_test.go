package novacyborg_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMapNamesWhatExists keeps the tables of doc.go, docs/architecture.md and docs/nova-faults.md true.
func TestMapNamesWhatExists(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file string
		row        *regexp.Regexp
		atLeast    int
	}{
		{name: "package doc", file: "doc.go", row: regexp.MustCompile(`(?m)\| ([a-z]+\.[A-Z][A-Za-z.]+)$`), atLeast: 20},
		{name: "faults", file: "docs/nova-faults.md", row: regexp.MustCompile("`([a-z]+\\.[A-Z][A-Za-z.]+)`"), atLeast: 20},
		{name: "architecture", file: "docs/architecture.md", row: regexp.MustCompile("`([a-z]+\\.[A-Z][A-Za-z.]+)`"), atLeast: 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile(test.file)
			require.NoError(t, err)
			rows := test.row.FindAllStringSubmatch(string(page), -1)
			require.GreaterOrEqual(t, len(rows), test.atLeast)
			for _, row := range rows {
				pkg, name, _ := strings.Cut(row[1], ".")
				assert.Contains(t, functions(t, pkg), name, "%s names %s", test.file, row[1])
			}
		})
	}
}

// functions returns the exported functions of a package, methods as Type.Method.
func functions(t *testing.T, pkg string) []string {
	t.Helper()
	folder := pkg
	if pkg == "placementtest" {
		folder = "placement/placementtest"
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "package %s", pkg)
	var found []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range tree.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Name.IsExported() {
				found = append(found, receiver(function)+function.Name.Name)
			}
		}
	}
	return found
}

// receiver returns "Type." for a method and nothing for a function.
func receiver(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	switch of := function.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		if name, ok := of.X.(*ast.Ident); ok {
			return name.Name + "."
		}
	case *ast.Ident:
		return of.Name + "."
	}
	return "?."
}
