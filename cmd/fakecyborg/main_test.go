package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fakecyborg": main, "ask": askMain})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	session := documentedSession(t)
	example, err := os.ReadFile("../../fakecyborg/seeds/example.yaml")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			if err := os.WriteFile(filepath.Join(env.WorkDir, "session.sh"), []byte(session), 0o600); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "example.yaml"), example, 0o600)
		},
	})
}

// Two servers of a script do not write to one file: whoever waits for the second one's
// address would find the first one's.
func TestScriptsKeepOutputsApart(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	output := regexp.MustCompile(`(?m)^exec .*fakecyborg .* >(\S+) 2>(\S+)'`)
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		require.NoError(t, err)
		taken := make(map[string]bool)
		for _, files := range output.FindAllStringSubmatch(string(text), -1) {
			for _, file := range files[1:] {
				assert.False(t, taken[file], "%s: %s", script, file)
				taken[file] = true
			}
		}
		assert.Len(t, taken, 2*strings.Count(string(text), "exec fakecyborg "), script)
	}
}

// documentedSession is the shell session of the command's documentation.
func documentedSession(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	_, chapter, found := strings.Cut(string(source), "// # A session\n")
	require.True(t, found)
	chapter, _, _ = strings.Cut(chapter, "// # ")
	var session strings.Builder
	for line := range strings.Lines(chapter) {
		if command, indented := strings.CutPrefix(line, "//\t"); indented {
			session.WriteString(command)
		}
	}
	require.Contains(t, session.String(), "curl")
	return session.String()
}
