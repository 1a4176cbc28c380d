package requestspec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/casefile"
)

// readCases reads a recorded file.
func readCases[I casefile.Query | casefile.Mapping | casefile.Mappings](t *testing.T, name string) []casefile.Case[I] {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	cases, err := casefile.Read[I](bytes.NewReader(content))
	require.NoError(t, err, name)
	return cases
}
