package cyborgclient_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// The types that are defined in an internal package are told whole where a reader
// of this package's documentation meets them.
func TestAliasesAreDocumented(t *testing.T) {
	t.Parallel()
	for file, types := range map[string]map[string]reflect.Type{
		"options.go":              {"Call": reflect.TypeFor[cyborgclient.Call]()},
		"versions.go":             {"Microversion": reflect.TypeFor[cyborgclient.Microversion](), "Versions": reflect.TypeFor[cyborgclient.Versions]()},
		"../placement/options.go": {"Call": reflect.TypeFor[cyborgclient.Call]()},
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		found := 0
		for _, declaration := range parsed.Decls {
			generic, ok := declaration.(*ast.GenDecl)
			if !ok || generic.Tok != token.TYPE {
				continue
			}
			spec, ok := generic.Specs[0].(*ast.TypeSpec)
			require.True(t, ok)
			typ := types[spec.Name.Name]
			if typ == nil {
				continue
			}
			found++
			for field := range typ.Fields() {
				assert.Contains(t, generic.Doc.Text(), field.Name, "%s: %v", file, typ)
			}
			for method := range typ.Methods() {
				assert.Contains(t, generic.Doc.Text(), ") "+method.Name+"(", "%s: %v", file, typ)
			}
		}
		assert.Equal(t, len(types), found, file)
	}
}
