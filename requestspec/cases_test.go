package requestspec_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// readLines decodes every line of a recorded file into a T.
func readLines[T any](t *testing.T, name string) []T {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	var cases []T
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c), "%s: line %d", name, len(cases)+1)
		cases = append(cases, c)
	}
	require.NoError(t, lines.Err())
	return cases
}
