package journal

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func lead(t *testing.T, path string) *Leader {
	t.Helper()
	leader, err := Lock(t.Context(), path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, leader.Close()) })
	return leader
}

func TestOneLeaderAtATime(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first := lead(t, path)
	assert.Equal(t, int64(1), first.Generation())
	require.NoError(t, first.Check())

	_, err := Lock(t.Context(), path)
	require.ErrorIs(t, err, ErrLocked)
	locked, ok := errors.AsType[*LockedError](err)
	require.True(t, ok)
	host, hostErr := os.Hostname()
	require.NoError(t, hostErr)
	assert.Equal(t, os.Getpid(), locked.PID)
	assert.Equal(t, host, locked.Host)
	assert.WithinDuration(t, time.Now(), locked.Since, time.Minute)
	require.ErrorContains(t, err, "process "+strconv.Itoa(os.Getpid())+" on "+host+" since 20")

	require.NoError(t, first.Close())
	require.ErrorIs(t, first.Check(), ErrFenced)
	second := lead(t, path)
	assert.Equal(t, int64(2), second.Generation())
	require.NoError(t, second.Check())
	assert.ErrorIs(t, first.Check(), ErrFenced)
}

func TestHolderThatIsNotWrittenYet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	lead(t, path)
	require.NoError(t, os.Remove(path+".holder"))
	_, err := Lock(t.Context(), path)
	require.ErrorIs(t, err, ErrLocked)
	assert.ErrorContains(t, err, "has not been written yet")
}

func TestFencing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		act  func(t *testing.T, path string)
		want string
	}{
		{"removed", func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Remove(path))
		}, "no such file"},
		{"replaced", func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.WriteFile(path+"2", nil, 0o600))
			require.NoError(t, os.Rename(path+"2", path))
		}, "is another file now"},
		{"removed, and another leads", func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Remove(path))
			lead(t, path)
		}, "is another file now"},
		{"another holder", func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.WriteFile(path+".holder", []byte(`{"generation":7,"pid":5,"host":"h","since":"2026-01-01T00:00:00Z"}`), 0o600))
		}, "process 5 on h leads since 2026-01-01T00:00:00Z (generation 7; this is 1)"},
		{"no holder", func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Remove(path+".holder"))
		}, "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "lock")
			leader := lead(t, path)
			test.act(t, path)
			err := leader.Check()
			require.ErrorIs(t, err, ErrFenced)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestGenerationGrows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	leader := lead(t, path)
	require.NoError(t, leader.Advance(0))
	assert.Equal(t, int64(1), leader.Generation())
	require.NoError(t, leader.Advance(41))
	assert.Equal(t, int64(42), leader.Generation())
	require.NoError(t, leader.Check())
	require.ErrorContains(t, leader.Advance(math.MaxInt64), "has no successor")
	require.NoError(t, leader.Close())
	assert.Equal(t, int64(43), lead(t, path).Generation())
}

func TestDamagedHolderIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"generation":0}`, `{"generation":-4}`} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "lock")
			require.NoError(t, os.WriteFile(path+".holder", []byte(text), 0o600))
			_, err := Lock(t.Context(), path)
			require.ErrorContains(t, err, path+".holder: damaged")
			require.NoError(t, os.WriteFile(path+".holder", []byte(`{"generation": 9}`), 0o600))
			assert.Equal(t, int64(10), lead(t, path).Generation())
		})
	}
}

func TestLockErrors(t *testing.T) {
	t.Parallel()
	_, err := Lock(t.Context(), filepath.Join(t.TempDir(), "absent", "lock"))
	require.ErrorIs(t, err, os.ErrNotExist)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Lock(ended, filepath.Join(t.TempDir(), "lock"))
	assert.ErrorIs(t, err, context.Canceled)
}

// Of many who want the lock one has it, and no generation is given twice.
func TestRaceForTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	var inside, leaders atomic.Int64
	var given sync.Map
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				leader, err := Lock(t.Context(), path)
				if err != nil {
					if !errors.Is(err, ErrLocked) {
						t.Error(err)
					}
					continue
				}
				assert.Equal(t, int64(1), inside.Add(1))
				if err := leader.Check(); err != nil {
					t.Error(err)
				}
				_, twice := given.LoadOrStore(leader.Generation(), true)
				assert.False(t, twice)
				leaders.Add(1)
				inside.Add(-1)
				assert.NoError(t, leader.Close())
			}
		})
	}
	group.Wait()
	assert.Equal(t, leaders.Load()+1, lead(t, path).Generation())
}
