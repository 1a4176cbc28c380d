package lifecycle

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// saverDir names the variable that makes the test program one that saves until it is killed; its value is the store's
// directory.
const saverDir = "NOVACYBORG_TEST_SAVER_DIR"

// runSaver saves one record after the other, says so before and after, and returns only if that fails.
func runSaver(dir string) int {
	s, err := NewFileStore(dir)
	for n := 0; err == nil; n++ {
		_, _ = fmt.Fprintln(os.Stdout, "begin", n)
		err = s.Save(context.Background(), numbered(n))
		_, _ = fmt.Fprintln(os.Stdout, "end", n)
	}
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

// numbered is the record that is saved as the n-th; every fifth holds nothing.
func numbered(n int) Record {
	record := sampleRecord()
	if n%5 == 4 {
		record.State, record.Now = StateNone, Holding{}
		return record
	}
	record.Now.Domain = strings.Repeat(strconv.Itoa(n)+" ", 10_000)
	return record
}

// A process that is killed at any moment leaves the record that it saved last or was about to save, whole.
func TestKilledSaver(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	dir := t.TempDir()
	kills := 0
	for range 12 {
		begun, ended := killSaver(t, dir)
		if begun < 0 {
			continue
		}
		kills++
		s, err := NewFileStore(dir)
		require.NoError(t, err, "the lock ends with the process")
		found, err := s.Load(sampleRecord().Instance())
		if !errors.Is(err, fs.ErrNotExist) {
			require.NoError(t, err)
		}
		assert.True(t, isNumbered(found, begun) || isNumbered(found, ended), "between the saves %d and %d", ended, begun)
		left, err := fs.Glob(s.dir.FS(), unfinished+"*")
		require.NoError(t, err)
		assert.Empty(t, left)
		require.NoError(t, s.Save(t.Context(), Record{Consumer: numbered(0).Consumer, State: StateNone}))
		require.NoError(t, s.Close())
	}
	assert.Greater(t, kills, 6)
}

// isNumbered says whether the record that was found is what the n-th save leaves.
func isNumbered(found Record, n int) bool {
	if n < 0 || n%5 == 4 {
		return found.State == "" // none
	}
	return sameRecord(numbered(n), found) == ""
}

// killSaver kills a process that saves, and returns the numbers of its last save that began and that ended.
func killSaver(t *testing.T, dir string) (begun, ended int) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), saverDir+"="+dir)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	begun, ended = -1, -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		word, number, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		if begun < 0 {
			time.AfterFunc(time.Duration(rand.Int64N(int64(20*time.Millisecond))), func() { _ = cmd.Process.Kill() })
		}
		if word == "begin" {
			begun = n
		} else {
			ended = n
		}
	}
	_ = cmd.Wait()
	require.Empty(t, complaint.String())
	require.Equal(t, -1, cmd.ProcessState.ExitCode(), "killed")
	return begun, ended
}
