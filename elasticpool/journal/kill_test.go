package journal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// appenderDir names the variable that makes the test program one that appends until it is killed; its value is the
// directory of the journal and the lock.
const appenderDir = "NOVACYBORG_TEST_APPENDER_DIR"

const appenders = 3

// sums are the highest numbers of each appender that a journal holds.
type sums [appenders]int

// note takes an entry: {appender, number}, or a snapshot.
func (s *sums) note(entry Entry) error {
	if entry.Kind == "snapshot" {
		return json.Unmarshal(entry.Data, s)
	}
	var pair [2]int
	if err := json.Unmarshal(entry.Data, &pair); err != nil {
		return err
	}
	if pair[1] != s[pair[0]]+1 {
		return fmt.Errorf("appender %d: %d follows %d", pair[0], pair[1], s[pair[0]])
	}
	s[pair[0]] = pair[1]
	return nil
}

// runAppender appends from several goroutines, says what was acknowledged, compacts now and then, and returns only if
// something fails.
func runAppender(dir string) int {
	err := appendForEver(dir)
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

func appendForEver(dir string) error {
	leader, err := Lock(context.Background(), filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	var have sums
	j, err := Open(filepath.Join(dir, "journal"), have.note)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(os.Stdout, "leader", leader.Generation())
	errs := make(chan error, appenders)
	var gate sync.RWMutex
	for who := range appenders {
		go func() {
			for {
				gate.RLock()
				number := have[who] + 1
				err := j.Append("pair", [2]int{who, number})
				have[who] = number
				gate.RUnlock()
				if err != nil {
					errs <- err
					return
				}
				_, _ = fmt.Fprintln(os.Stdout, "acknowledged", who, number)
				if number%10 == 0 {
					gate.Lock()
					err = errors.Join(j.Compact("snapshot", have), leader.Check())
					gate.Unlock()
				}
				if err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	return <-errs
}

// A process that is killed at any moment, within a write and within a compaction, leaves all that it acknowledged, and
// gives its lock back.
func TestKilledAppender(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	dir := t.TempDir()
	kills := 0
	generation := int64(0)
	for range 12 {
		acknowledged, leader := killAppender(t, dir)
		if leader == 0 {
			continue
		}
		kills++
		assert.Greater(t, leader, generation)
		generation = leader
		var have sums
		j, err := Open(filepath.Join(dir, "journal"), have.note)
		require.NoError(t, err)
		require.NoError(t, j.Close())
		for who := range appenders {
			assert.GreaterOrEqual(t, have[who], acknowledged[who])
			assert.LessOrEqual(t, have[who], acknowledged[who]+1, "one more may be there, unacknowledged")
		}
	}
	assert.Greater(t, kills, 6)
}

// killAppender lets a process append, kills it, and returns what it said before.
func killAppender(t *testing.T, dir string) (acknowledged sums, generation int64) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), appenderDir+"="+dir)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var start sums
	if text, err := os.Open(filepath.Join(dir, "journal")); err == nil {
		_, _ = Read(text, start.note)
		require.NoError(t, text.Close())
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 2 && words[0] == "leader":
			generation, err = strconv.ParseInt(words[1], 10, 64)
			require.NoError(t, err)
			time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		case len(words) == 3 && words[0] == "acknowledged":
			var who, number int
			_, err := fmt.Sscan(words[1]+" "+words[2], &who, &number)
			require.NoError(t, err)
			acknowledged[who] = number
		}
	}
	require.Error(t, cmd.Wait(), "it ends by the kill only")
	assert.Empty(t, complaint.String())
	for who := range appenders {
		acknowledged[who] = max(acknowledged[who], start[who])
	}
	return acknowledged, generation
}
