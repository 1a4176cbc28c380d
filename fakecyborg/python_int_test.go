package fakecyborg

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// int() of text as Python 3.11 and later have it.
func TestPythonIntOfText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"7": 7, " -1_0 ": -10, "\u0663": 3, "\u06f1\u06f2": 12, "\U0001d7ce\U0001d7d8\U0001d7ff": 9, "\u00a05\u2003": 5,
		strings.Repeat("0", maxDigits-1) + "8": 8,
	} {
		got, err := pythonInt(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "\u00b2", "\u4e09", "1 2", "_1"} {
		_, err := pythonInt(text)
		require.ErrorContains(t, err, "invalid literal for int() with base 10", text)
	}
	_, err := pythonInt("-" + strings.Repeat("9", maxDigits+1))
	require.ErrorContains(t, err, "Exceeds the limit (4300 digits) for integer string conversion: value has 4301 digits")
}
