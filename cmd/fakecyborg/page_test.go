package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// The page about callers shows a file that is read, with all the keys that there are.
func TestTokensPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/fake-auth.md")
	require.NoError(t, err)
	_, chapter, found := strings.Cut(string(page), "\n## The file of users\n")
	require.True(t, found)
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	shown := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindStringSubmatch(chapter)
	require.NotEmpty(t, shown)
	tokens, err := fakecyborg.ParseTokens("page", []byte(shown[1]))
	require.NoError(t, err)
	assert.Empty(t, tokens.Oddities())
	for _, wrong := range []string{"colour: red", "tokens: [{colour: red}]"} {
		_, err := fakecyborg.ParseTokens("wrong", []byte(wrong))
		require.Error(t, err)
		_, known, found := strings.Cut(err.Error(), ", known are ")
		require.True(t, found, err)
		for key := range strings.SplitSeq(known, ", ") {
			assert.Regexp(t, "(?m)^\\|[^|]*`"+key+"`[^|]*\\|", chapter)
		}
	}
}
