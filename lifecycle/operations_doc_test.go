package lifecycle

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStatesInTheManual keeps the table of docs/operations.md true: it has every operation that only some states allow, with
// these states.
func TestStatesInTheManual(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "## In which states")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	written := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]\w+) \| ([^|]+) \|`).FindAllStringSubmatch(section, -1) {
		written[strings.ToLower(row[1])] = row[2]
	}
	coded := map[string]string{}
	for op, states := range allowed {
		var names []string
		for _, state := range states {
			names = append(names, string(state))
		}
		coded[strings.ReplaceAll(string(op), " ", "")] = strings.Join(names, ", ")
	}
	assert.Equal(t, coded, written)
}
