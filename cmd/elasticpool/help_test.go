package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestManual: the command's documentation has each command and flag as the program tells them. NOVACYBORG_UPDATE=1 writes
// them there.
func TestManual(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	p := &program{stdout: &out, stderr: &errs, environ: func(string) string { return "" }}
	require.Zero(t, p.main(t.Context(), []string{"help"}))
	require.Zero(t, p.main(t.Context(), []string{"help", "all"}))
	assert.Empty(t, errs.String())
	text, err := os.ReadFile("main.go")
	require.NoError(t, err)
	commands, _, _ := strings.Cut(out.String(), "\n\n")
	_, flags, _ := strings.Cut(out.String(), "help all those of all commands.\n")
	for title, told := range map[string]string{"// # Commands\n//\n": commands + "\n", "// # Flags\n//\n": flags} {
		before, rest, found := strings.Cut(string(text), title)
		require.True(t, found, title)
		shown, after, _ := strings.Cut(rest, "//\n// # ")
		want := asComment(told)
		if os.Getenv("NOVACYBORG_UPDATE") == "1" {
			text = []byte(before + title + want + "//\n// # " + after)
			continue
		}
		assert.Equal(t, want, shown, title)
	}
	if os.Getenv("NOVACYBORG_UPDATE") == "1" {
		require.NoError(t, os.WriteFile("main.go", text, 0o600))
	}
}

// asComment writes text as gofmt writes an indented block of a comment.
func asComment(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			b.WriteString("//\n")
			continue
		}
		b.WriteString("//\t" + line + "\n")
	}
	return b.String()
}
