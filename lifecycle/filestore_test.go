package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement"
)

func newFileStore(t *testing.T, dir string) *FileStore {
	t.Helper()
	s, err := NewFileStore(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// The store is a map of records, also for one that opens it later.
func TestFileStoreKeepsWhatWasSavedLast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, model, removed := newFileStore(t, dir), map[string]Record{}, 0
	ids := []string{"00000000-0000-4000-8000-000000000003", "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"}
	for seed := range 40 {
		record := anyRecord.Example(seed)
		if seed%7 > 4 {
			record = Record{Version: RecordVersion, State: StateNone}
		}
		record.Consumer.UUID = ids[seed%len(ids)]
		record.Claim.Consumer = record.Consumer
		require.NoError(t, s.Save(t.Context(), record))
		model[record.Instance()] = record
		if !record.Holds() {
			delete(model, record.Instance())
			removed++
		}
		if seed%9 == 0 {
			require.NoError(t, s.Close())
			s = newFileStore(t, dir)
		}
		all, err := s.All()
		require.NoError(t, err)
		want := slices.SortedFunc(maps.Values(model), func(a, b Record) int { return strings.Compare(a.Instance(), b.Instance()) })
		require.Empty(t, cmp.Diff(want, all, cmpopts.EquateEmpty()))
		for _, id := range ids {
			got, err := s.Load(id)
			want, there := model[id]
			require.Equal(t, !there, errors.Is(err, fs.ErrNotExist))
			require.Empty(t, sameRecord(want, got))
		}
	}
	assert.Positive(t, removed)
}

func TestFileStoreIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "records")
	s, record := newFileStore(t, dir), sampleRecord()
	require.NoError(t, s.Save(t.Context(), record))
	for name, want := range map[string]fs.FileMode{"": fs.ModeDir | 0o700, record.Instance() + ".json": 0o600, ".lock": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode(), name)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
}

func TestFileStoreHasOneUserAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := newFileStore(t, dir)
	_, err := NewFileStore(dir)
	require.ErrorIs(t, err, ErrStoreInUse)
	require.EqualError(t, err, "record store "+dir+": in use by another process")
	require.NoError(t, first.Save(t.Context(), sampleRecord()), "the one that has it goes on")
	held, ok := first.open[len(first.open)-1].(lock)
	require.True(t, ok)
	copied, err := syscall.Dup(int(held.Fd())) // as a child has it that is being started
	require.NoError(t, err)
	defer func() { _ = syscall.Close(copied) }()
	require.NoError(t, first.Close())
	require.ErrorIs(t, first.Save(t.Context(), sampleRecord()), fs.ErrClosed)
	newFileStore(t, dir)
}

func TestNewFileStoreRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := NewFileStore(file)
	require.ErrorContains(t, err, "record store "+file)
	_, err = NewFileStore(filepath.Join(dir, "absent", "records"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Only a uuid is a name, so that nothing outside the directory can be meant; links do not lead out of it either.
func TestFileStoreStaysInItsDirectory(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	s := newFileStore(t, dir)
	for _, name := range []string{"", ".", "..", "../victim", outside, "a", strings.ToUpper(uuid.NewString()), "{" + uuid.NewString() + "}", uuid.NewString() + "/../x"} {
		_, err := s.Load(name)
		require.ErrorContains(t, err, "uuid", "%q", name)
		require.ErrorContains(t, s.Save(t.Context(), Record{State: StateActive, Consumer: placement.Consumer{UUID: name}}), "uuid", "%q", name)
		require.ErrorContains(t, s.Save(t.Context(), Record{State: StateNone, Consumer: placement.Consumer{UUID: name}}), "uuid", "%q", name)
	}
	record := sampleRecord()
	text, err := json.Marshal(record)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(outside, text, 0o600))
	link := filepath.Join(dir, record.Instance()+".json")
	require.NoError(t, os.Symlink(outside, link))
	_, err = s.Load(record.Instance())
	require.ErrorContains(t, err, "escapes")
	_, err = s.All()
	require.ErrorContains(t, err, "escapes")

	record.Now.Domain = "new"
	require.NoError(t, s.Save(t.Context(), record))
	unchanged, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, text, unchanged)
	got, err := s.Load(record.Instance())
	require.NoError(t, err)
	assert.Equal(t, "new", got.Now.Domain)
}

// What a killed process left is no record and goes; a broken file hides no other, and is no reason to think that its
// instance does not exist.
func TestFileStoreWithBrokenFiles(t *testing.T) {
	t.Parallel()
	dir, record, other := t.TempDir(), sampleRecord(), sampleRecord()
	other.Consumer.UUID = "ffffffff-0000-4000-8000-000000000000"
	other.Claim.Consumer = other.Consumer
	text, err := json.Marshal(record)
	require.NoError(t, err)
	const half, stray, gone = "11111111-0000-4000-8000-000000000000.json", "22222222-0000-4000-8000-000000000000.json", "33333333-0000-4000-8000-000000000000.json"
	for name, content := range map[string]string{
		".new-1": "{", half: string(text[:40]), stray: string(text), "copy of a record.json": string(text), "notes.txt": "x",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	require.NoError(t, os.Symlink("nothing", filepath.Join(dir, gone)))
	s := newFileStore(t, dir)
	assert.NoFileExists(t, filepath.Join(dir, ".new-1"))
	require.NoError(t, s.Save(t.Context(), record))
	require.NoError(t, s.Save(t.Context(), other))

	all, err := s.All()
	require.Len(t, all, 2)
	assert.Empty(t, sameRecord(record, all[0]))
	assert.Empty(t, sameRecord(other, all[1]))
	for _, want := range []string{
		half + ": read the record: byte 40: unexpected end of JSON input", stray + ": the record in it is that of " + record.Instance() + ".json",
		"copy of a record.json: ", gone + ": no such file",
	} {
		require.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "notes")
	assert.Equal(t, 4, strings.Count(err.Error(), "record store "+dir))
	_, err = s.Load(strings.TrimSuffix(half, ".json"))
	require.ErrorContains(t, err, half)
	require.NotErrorIs(t, err, fs.ErrNotExist)
}

func TestFileStoreSaveThatFails(t *testing.T) {
	t.Parallel()
	dir, record := t.TempDir(), sampleRecord()
	s := newFileStore(t, dir)
	ended, end := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	end(reason)
	require.ErrorIs(t, s.Save(ended, record), reason)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, record.Instance()+".json", "full"), 0o700))
	require.ErrorContains(t, s.Save(t.Context(), record), "record store "+dir)
	require.Error(t, s.Save(t.Context(), Record{Consumer: record.Consumer, State: StateNone}))
	unfinished, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	require.NoError(t, err)
	assert.Empty(t, unfinished)
}

func TestFileStoreTogether(t *testing.T) {
	t.Parallel()
	s := newFileStore(t, t.TempDir())
	var savers sync.WaitGroup
	for range 8 {
		record := sampleRecord()
		record.Consumer.UUID = uuid.NewString()
		record.Claim.Consumer = record.Consumer
		savers.Go(func() {
			for range 10 {
				assert.NoError(t, s.Save(t.Context(), record)) //nolint:testifylint // require must not end another goroutine
				all, err := s.All()
				assert.NoError(t, err) //nolint:testifylint // as above
				assert.NotEmpty(t, all)
				assert.NoError(t, s.Save(t.Context(), Record{Consumer: record.Consumer, State: StateNone}))
			}
		})
	}
	savers.Wait()
	all, err := s.All()
	require.NoError(t, err)
	assert.Empty(t, all)
}

func BenchmarkFileStoreSave(b *testing.B) {
	dir := b.TempDir()
	s, err := NewFileStore(dir)
	require.NoError(b, err)
	defer func() { _ = s.Close() }()
	record := sampleRecord()
	for b.Loop() {
		require.NoError(b, s.Save(b.Context(), record))
	}
}

// TestFileStoreKeepsTheFirstOfTwoInstances: an instance that begins takes the place of none.
func TestFileStoreKeepsTheFirstOfTwoInstances(t *testing.T) {
	t.Parallel()
	store, err := NewFileStore(t.TempDir())
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	begun := Record{Version: RecordVersion, Revision: 1, State: StateNone, Operation: &Operation{Op: OpCreate}}
	begun.Consumer.UUID = uuid.NewString()
	require.NoError(t, store.Save(t.Context(), begun))
	require.ErrorIs(t, store.Save(t.Context(), begun), ErrExists)
	begun.Revision = 2
	require.NoError(t, store.Save(t.Context(), begun), "one that goes on takes its own place")
	require.ErrorIs(t, store.Save(t.Context(), begun), ErrStale)
	gone := Record{Version: RecordVersion, Revision: 3, State: StateNone, Consumer: begun.Consumer}
	require.NoError(t, store.Save(t.Context(), gone))
	begun.Revision = 4
	require.ErrorIs(t, store.Save(t.Context(), begun), ErrStale, "what was deleted stays so")
}
