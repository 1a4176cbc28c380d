package elasticpool

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// logged runs a pool through growing, faults, commands and shrinking with a decision log, and returns its path.
func logged(t *testing.T, dir string, limit int64) string {
	t.Helper()
	path := filepath.Join(dir, "decisions.jsonl")
	w := newPlayWorld()
	w.broken = 1
	w.after["north create"] = first(1, &CloudError{Op: "create", Class: ErrUnknownOutcome})
	w.submit("juno", 3, 2*time.Minute)
	w.submit("lhaaso", 2, 4*time.Minute)
	p := w.pool(t, dir, playPolicy(), WithDecisionLog(path, limit))
	go func() {
		time.Sleep(5 * time.Minute)
		assert.NoError(t, p.Do(Command{Kind: CmdSetQuota, Queue: "juno", Weight: new(2.5)}))
	}()
	runFor(t, p, 20*time.Minute)
	p = w.pool(t, dir, playPolicy(), WithDecisionLog(path, limit)) // a second head
	runFor(t, p, 5*time.Minute)
	return path
}

// The log of any run is a test.
func TestDecisionLogReplays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		text, err := os.ReadFile(logged(t, dir, 1<<30))
		require.NoError(t, err)
		assert.Equal(t, 2, strings.Count("\n"+string(text), "\n{\"policy\""))
		assert.Greater(t, bytes.Count(text, []byte("\n")), 100)
		diffs, err := Replay(bytes.NewReader(text))
		require.NoError(t, err)
		assert.Empty(t, diffs)

		changed := bytes.Replace(text, []byte(`"kind":"create"`), []byte(`"kind":"delete"`), 1) // in a decision: outcomes come later
		diffs, err = Replay(bytes.NewReader(changed))
		require.NoError(t, err)
		require.Len(t, diffs, 1)
		assert.Equal(t, []string{".actions[0].kind: delete, now create"}, diffs[0].Differ)
		assert.Contains(t, diffs[0].String(), "line ")
	})
}

func TestDecisionLogRotates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := logged(t, dir, 20_000)
		for _, name := range []string{path, path + ".1"} {
			file, err := os.Open(name)
			require.NoError(t, err)
			info, err := file.Stat()
			require.NoError(t, err)
			assert.Less(t, info.Size(), int64(40_000))
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			diffs, err := Replay(file)
			require.NoError(t, err, "each file has a head of its own")
			assert.Empty(t, diffs)
			require.NoError(t, file.Close())
		}
	})
}

func TestDecisionLogAfterACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := logged(t, dir, 1<<30)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text[:len(text)-20], 0o600))
		p := newPlayWorld().pool(t, dir, playPolicy(), WithDecisionLog(path, 1<<30))
		cycles(t, p, 2)
		require.NoError(t, p.Close())
		text, err = os.ReadFile(path)
		require.NoError(t, err)
		diffs, err := Replay(bytes.NewReader(text))
		require.NoError(t, err)
		assert.Empty(t, diffs)
		assert.Equal(t, 3, strings.Count("\n"+string(text), "\n{\"policy\""))
	})
}

// A log that cannot be written does not stop the pool, and goes on when it can.
func TestDecisionLogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(dir, "absent", "log")
		w := newPlayWorld()
		w.submit("juno", 1, time.Minute)
		p := w.pool(t, dir, playPolicy(), WithDecisionLog(path, 1<<30))
		cycles(t, p, 3)
		assert.Equal(t, 1, w.made)
		require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
		cycles(t, p, 3)
		require.NoError(t, p.Close())
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, 4, bytes.Count(text, []byte("\n")))
	})
}

func TestReplayNamesBadLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"no JSON", "{", "line 1: unexpected end"},
		{"no head", `{"input":{},"decision":{}}`, "line 1: no line with policy and state"},
		{"neither", `{"input":{}}`, "line 1: it has neither"},
		{"bad policy", `{"policy":{"pool":"p","clouds":[{"name":"c"},{"name":"c"}]},"state":{}}`, "line 1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Replay(strings.NewReader(test.text))
			assert.ErrorContains(t, err, "decision log: "+test.want)
		})
	}
	diffs, err := Replay(strings.NewReader(""))
	require.NoError(t, err)
	assert.Empty(t, diffs)
}

func FuzzReplay(f *testing.F) {
	f.Add("{\"policy\":{\"pool\":\"p\",\"queues\":[{\"name\":\"q\"}],\"clouds\":[{\"name\":\"c\"}],\"classes\":[{\"name\":\"s\",\"cloud\":\"c\",\"slot\":{\"cpus\":1}}]},\"state\":{}}\n{\"input\":{\"now\":\"2026-01-01T00:00:00Z\"},\"decision\":{}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		diffs, err := Replay(strings.NewReader(text))
		for _, diff := range diffs {
			assert.NotEmpty(t, diff.Differ)
		}
		if err != nil {
			assert.ErrorContains(t, err, "decision log: line ")
		}
	})
}
