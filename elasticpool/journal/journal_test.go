package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reopen opens the journal and returns what it replayed.
func reopen(t testing.TB, path string) (*Journal, []Entry) {
	t.Helper()
	var entries []Entry
	j, err := Open(path, func(entry Entry) error {
		entries = append(entries, entry)
		return nil
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, j.Close()) })
	return j, entries
}

// fill makes a journal with n entries, whose data is their number from 1, and returns its text.
func fill(t testing.TB, path string, n int) string {
	t.Helper()
	j, _ := reopen(t, path)
	for i := range n {
		require.NoError(t, j.Append("number", i+1))
	}
	require.NoError(t, j.Close())
	return read(t, path)
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// numbers are the data of entries that fill has made.
func numbers(t testing.TB, entries []Entry) []int {
	t.Helper()
	list := make([]int, len(entries))
	for i, entry := range entries {
		require.NoError(t, json.Unmarshal(entry.Data, &list[i]))
	}
	return list
}

func TestWhatWasAppendedIsReplayed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	j, entries := reopen(t, path)
	assert.Empty(t, entries)
	require.NoError(t, j.Append("create", map[string]string{"vm": "line\nfeed <&>"}))
	require.NoError(t, j.Append("end", nil))
	require.NoError(t, j.Close())

	j, entries = reopen(t, path)
	assert.Nil(t, j.Torn())
	want := []Entry{
		{Seq: 1, Kind: "create", Data: json.RawMessage(`{"vm":"line\nfeed \u003c\u0026\u003e"}`)},
		{Seq: 2, Kind: "end", Data: json.RawMessage(`null`)},
	}
	assert.Empty(t, cmp.Diff(want, entries))

	require.NoError(t, j.Append("more", 3))
	_, entries = reopen(t, path)
	assert.Equal(t, int64(3), entries[2].Seq, "numbers go on")
}

func TestFileIsTheOwnersAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(path, nil, 0o644)) // what an administrator may have made
	j, _ := reopen(t, path)
	for _, when := range []string{"opened", "compacted"} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), when)
		require.NoError(t, j.Compact("all", 1))
	}
}

// A crash cuts the last write anywhere.
func TestTornEndIsCutOffAndTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	text := fill(t, path, 3)
	start := len(text) - len(text[strings.LastIndex(text[:len(text)-1], "\n")+1:])
	for cut := start; cut < len(text); cut++ {
		require.NoError(t, os.WriteFile(path, []byte(text[:cut]), 0o600))
		j, entries := reopen(t, path)
		require.Equal(t, []int{1, 2}, numbers(t, entries))
		if cut == start {
			require.Nil(t, j.Torn())
		} else {
			want := &Torn{Line: 3, Offset: int64(start), Bytes: int64(cut - start), Reason: "it is not a whole line"}
			require.Empty(t, cmp.Diff(want, j.Torn()))
		}
		require.NoError(t, j.Append("number", 4))
		require.NoError(t, j.Close())
		_, entries = reopen(t, path)
		require.Equal(t, []int{1, 2, 4}, numbers(t, entries))
	}
}

func TestTornEndKeepsItsZeros(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	text := fill(t, path, 2)
	require.NoError(t, os.WriteFile(path, []byte(text+strings.Repeat("\x00", 5000)+"\n\n"), 0o600))
	j, entries := reopen(t, path)
	assert.Equal(t, []int{1, 2}, numbers(t, entries))
	assert.Equal(t, int64(5002), j.Torn().Bytes)
}

func TestDamagedLineIsRefused(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(strings.TrimSuffix(fill(t, filepath.Join(t.TempDir(), "journal"), 5), "\n"), "\n")
	lines[4] += "\n"
	for _, test := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"changed", []string{lines[0], strings.Replace(lines[1], `"data":2`, `"data":7`, 1), lines[2]}, ":2: damaged journal: its checksum is wrong"},
		{"the first", []string{"x\n", lines[1]}, ":1: damaged journal: it is not a whole line"},
		{"empty", []string{lines[0], "\n", lines[1]}, ":2: damaged journal: it is not a whole line"},
		{"left out", []string{lines[0], lines[1], lines[3], lines[4]}, ":3: damaged journal: sequence number 4 follows 2"},
		{"twice", []string{lines[0], lines[1], lines[1]}, ":3: damaged journal: sequence number 2 follows 2"},
		{"two became one", []string{lines[0], strings.TrimSuffix(lines[1], "\n"), lines[2], lines[3]}, ":2: damaged journal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal")
			text := strings.Join(test.lines, "")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := Open(path, func(Entry) error { return nil })
			require.ErrorIs(t, err, ErrDamaged)
			require.ErrorContains(t, err, path+test.want)
			require.ErrorContains(t, err, "restore the file from a backup")
			assert.Equal(t, text, read(t, path), "it is left as it is")
		})
	}
}

func TestReplayCanRefuse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	fill(t, path, 3)
	refusal := errors.New("unknown kind")
	_, err := Open(path, func(Entry) error { return refusal })
	require.ErrorIs(t, err, refusal)
	assert.ErrorContains(t, err, path)
}

// faultyFile fails where it is told to.
type faultyFile struct {
	*os.File
	room  int // bytes of a write that succeed before errWrite
	write error
	sync  error
	cut   error
	syncs int
	// syncing is called in each sync.
	syncing func()
}

func (f *faultyFile) WriteAt(text []byte, offset int64) (int, error) {
	if f.write == nil {
		return f.File.WriteAt(text, offset)
	}
	n, err := f.File.WriteAt(text[:min(f.room, len(text))], offset)
	return n, errors.Join(f.write, err)
}

func (f *faultyFile) Sync() error {
	f.syncs++
	if f.syncing != nil {
		f.syncing()
	}
	return errors.Join(f.sync, f.File.Sync())
}

func (f *faultyFile) Truncate(size int64) error { return errors.Join(f.cut, f.File.Truncate(size)) }

// makeFaulty puts a file that can fail in place of the journal's.
func makeFaulty(t *testing.T, j *Journal) *faultyFile {
	t.Helper()
	file, ok := j.file.(*os.File)
	require.True(t, ok)
	faulty := &faultyFile{File: file}
	j.file = faulty
	return faulty
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	j, _ := reopen(t, path)
	require.NoError(t, j.Append("number", 1))
	file := makeFaulty(t, j)

	file.write, file.room = syscall.ENOSPC, 20
	err := j.Append("number", 2)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.EqualError(t, err, "append number to journal "+path+": no space left on device: make room, then it goes on; nothing that was acknowledged is lost")

	file.write = nil
	require.NoError(t, j.Append("number", 3), "there is room again")
	_, entries := reopen(t, path)
	assert.Equal(t, []int{1, 3}, numbers(t, entries))
}

func TestFailedSyncBreaksUntilCompaction(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(*faultyFile)
	}{
		{"fsync", func(f *faultyFile) { f.sync = syscall.EIO }},
		{"write and truncate", func(f *faultyFile) { f.write, f.cut = syscall.EIO, syscall.EIO }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal")
			j, _ := reopen(t, path)
			require.NoError(t, j.Append("number", 1))
			file := makeFaulty(t, j)
			test.fault(file)
			require.ErrorIs(t, j.Append("number", 2), syscall.EIO)
			file.sync, file.write, file.cut = nil, nil, nil
			require.ErrorIs(t, j.Append("number", 3), ErrBroken, "nobody knows what is on the disk")

			require.NoError(t, j.Compact("number", 10))
			require.NoError(t, j.Append("number", 11))
			_, entries := reopen(t, path)
			assert.Equal(t, []int{10, 11}, numbers(t, entries))
		})
	}
}

func TestReadOnlyFileSystemSaysWhatToDo(t *testing.T) {
	t.Parallel()
	require.EqualError(t, explain(&os.PathError{Op: "open", Path: "x", Err: syscall.EROFS}),
		"open x: read-only file system: mount it for writing, or choose another directory")
	_, err := Open(filepath.Join(t.TempDir(), "absent", "journal"), func(Entry) error { return nil })
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestValueThatIsNoJSON(t *testing.T) {
	t.Parallel()
	j, _ := reopen(t, filepath.Join(t.TempDir(), "journal"))
	require.ErrorContains(t, j.Append("bad", func() {}), "append bad to journal")
	require.ErrorContains(t, j.Compact("bad", func() {}), "compact journal")
	assert.Zero(t, j.Size())
}

func TestClosedJournalRefuses(t *testing.T) {
	t.Parallel()
	j, _ := reopen(t, filepath.Join(t.TempDir(), "journal"))
	require.NoError(t, j.Close())
	require.NoError(t, j.Close(), "twice")
	require.ErrorIs(t, j.Append("number", 1), ErrClosed)
	require.ErrorIs(t, j.Compact("number", 1), ErrClosed)
}

// Appends that come while the disk is busy share one fsync, and all are told of its failure.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{nil, syscall.EIO} {
		t.Run(fmt.Sprint(fault), func(t *testing.T) {
			t.Parallel()
			const writers = 20
			j, _ := reopen(t, filepath.Join(t.TempDir(), "journal"))
			file := makeFaulty(t, j)
			syncing, goOn := make(chan struct{}), make(chan struct{})
			file.syncing = func() {
				syncing <- struct{}{}
				<-goOn
			}
			first := make(chan error)
			go func() { first <- j.Append("number", 0) }()
			<-syncing
			errs := make([]error, writers)
			var group sync.WaitGroup
			for i := range writers {
				group.Go(func() { errs[i] = j.Append("number", i) })
			}
			for queued(j) < writers {
				time.Sleep(time.Millisecond)
			}
			goOn <- struct{}{}
			require.NoError(t, <-first)
			<-syncing
			file.sync = fault
			goOn <- struct{}{}
			group.Wait()
			for _, err := range errs {
				require.ErrorIs(t, err, fault)
			}
			assert.Equal(t, 2, file.syncs)
		})
	}
}

// queued is how many entries wait for the next write.
func queued(j *Journal) int {
	j.queue.Lock()
	defer j.queue.Unlock()
	return len(j.next.entries)
}

func TestCompaction(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	fill(t, path, 50)
	j, _ := reopen(t, path)
	before := j.Size()
	assert.True(t, j.Due(100))
	assert.False(t, j.Due(before))
	require.NoError(t, j.Compact("sum", 1275))
	assert.Less(t, j.Size(), before/10)
	assert.False(t, j.Due(10), "a snapshot is not compacted again before as much has come after it")
	require.NoError(t, j.Append("number", 51))
	require.NoError(t, j.Close())

	j, entries := reopen(t, path)
	assert.Equal(t, []int{1275, 51}, numbers(t, entries))
	assert.Equal(t, int64(51), entries[0].Seq, "numbers go on")
	assert.Nil(t, j.Torn())
}

func TestUnfinishedCompactionIsForgotten(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"", "half a li", "{\"sum\":\"00000000\",\"entry\":{}}\n"} {
		t.Run(strconv.Itoa(len(left)), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal")
			fill(t, path, 2)
			require.NoError(t, os.WriteFile(path+".new", []byte(left), 0o600))
			_, entries := reopen(t, path)
			assert.Equal(t, []int{1, 2}, numbers(t, entries))
			assert.NoFileExists(t, path+".new")
		})
	}
}

func TestFailedCompactionChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal")
	fill(t, path, 2)
	j, _ := reopen(t, path)
	require.NoError(t, os.Mkdir(path+".new", 0o700)) // in the way of the new file
	require.ErrorContains(t, j.Compact("number", 9), "compact journal "+path)
	require.NoError(t, j.Append("number", 3))
	require.NoError(t, os.Remove(path+".new"))
	_, entries := reopen(t, path)
	assert.Equal(t, []int{1, 2, 3}, numbers(t, entries))
}
