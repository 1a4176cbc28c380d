package novacyborg_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeShowsARealRun: the recording of a terminal in README.md is what the command prints, but for ids, times, and the
// parts that "…" leaves out.
func TestReadmeShowsARealRun(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var recording string
	for _, block := range fencedBlocks(string(readme)) {
		if strings.HasPrefix(block.text, "$ ") {
			recording = block.text
		}
	}
	typed, shown, _ := strings.Cut(recording, "\n")
	require.Equal(t, "$ go run ./examples/boot", typed)
	out, err := exec.CommandContext(t.Context(), "go", "run", "./examples/boot").Output()
	require.NoError(t, err)
	assert.Empty(t, missingPart(sameEveryTime(shown), sameEveryTime(string(out))))
}

func TestMissingPart(t *testing.T) {
	t.Parallel()
	const out = "a\nb\nc\nd\n"
	for _, test := range []struct{ shown, want string }{
		{"a\nb\nc\nd\n", ""},
		{"a\n…\nd\n", ""},
		{"b\n…\nd\n", "b\n"}, // the beginning
		{"a\n…\nc\n", "c\n"}, // the end
		{"a\nc\n…\nd\n", "a\nc\n"},
		{"a\n…\nd\n…\nb\n", "b\n"},
	} {
		assert.Equal(t, test.want, missingPart(test.shown, out), test.shown)
	}
}

// missingPart returns the first part of what is shown that is not in the output, in its place.
func missingPart(shown, out string) string {
	parts := strings.Split(shown, "…\n")
	for i, part := range parts {
		at := strings.Index("\n"+out, "\n"+part)
		switch {
		case i == len(parts)-1 && !strings.HasSuffix("\n"+out, "\n"+part), at < 0, i == 0 && at > 0:
			return part
		}
		out = out[at+len(part):]
	}
	return ""
}

var (
	anyID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
	anyTime = regexp.MustCompile(` +[0-9.]+(µs|ms|s) *`)
)

// sameEveryTime takes out what differs from run to run.
func sameEveryTime(text string) string {
	text = anyTime.ReplaceAllString(anyID.ReplaceAllString(text, "ID"), " TIME ")
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "")
}
