package fault_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// TestThePageListsEveryFault compares docs/faults.md with the table of faults.
func TestThePageListsEveryFault(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	var listed []string
	_, faults, found := strings.Cut(string(page), "## Faults of requests")
	require.True(t, found)
	word := regexp.MustCompile("`([a-z_]+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|([^|]*)\\|").FindAllStringSubmatch(faults, -1) {
		listed = append(listed, row[1])
		parameters := []string{}
		for _, parameter := range word.FindAllStringSubmatch(row[2], -1) {
			parameters = append(parameters, parameter[1])
		}
		assert.Equal(t, fault.Parameters(row[1]), parameters, row[1])
	}
	assert.ElementsMatch(t, fault.Kinds(), listed)
}

// TestThePagesExampleIsOne reads the rules of docs/faults.md.
func TestThePagesExampleIsOne(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/faults.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		rules, err := fault.Parse("faults.md", []byte(block[1]))
		require.NoError(t, err)
		assert.Len(t, rules, 3)
		require.NoError(t, newSet(t).Add(rules...))
	}
}
