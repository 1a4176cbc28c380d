package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

const (
	onlyOwner  = 0o600
	unfinished = ".new" // ends the name of a file that is not whole yet
)

// file is what is done to an open journal file.
type file interface {
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// Journal is an append-only file that survives crashes. It is safe for concurrent use within one process; [Lock] keeps
// other processes away.
type Journal struct {
	path string
	torn *Torn

	queue sync.Mutex // guards next
	next  *batch     // what the next write will write

	disk    sync.Mutex // guards all below
	file    file
	seq     int64 // of the last entry
	size    int64
	compact int64 // size after the last compaction
	broken  error // why nothing can be appended
}

// batch is what one write writes.
type batch struct {
	entries []Entry
	done    bool
	err     error
}

// Open opens a journal, and makes it if it is not there; its directory must be. It gives each entry to replay, in order,
// and stops with the error that replay returns. Torn tells what it cut off.
func Open(path string, replay func(Entry) error) (*Journal, error) {
	j := &Journal{path: path, next: new(batch)}
	if err := j.open(replay); err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, explain(err))
	}
	return j, nil
}

func (j *Journal) open(replay func(Entry) error) (err error) {
	if err := os.Remove(j.path + unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, onlyOwner)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	j.file = file
	if err := file.Chmod(onlyOwner); err != nil {
		return err
	}
	if err := j.load(file, replay); err != nil {
		return err
	}
	// What was read may be in memory only, written by a process that was killed before its fsync.
	if err := file.Sync(); err != nil {
		return err
	}
	return syncDirectory(j.path)
}

// load reads the file and cuts off what is torn.
func (j *Journal) load(file *os.File, replay func(Entry) error) error {
	torn, err := Read(file, func(entry Entry) error {
		j.seq = entry.Seq
		return replay(entry)
	})
	if damage, ok := errors.AsType[*DamageError](err); ok {
		damage.Path = j.path
	}
	if err != nil {
		return err
	}
	if torn != nil {
		j.torn, j.size = torn, torn.Offset
		return file.Truncate(torn.Offset)
	}
	j.size, err = file.Seek(0, io.SeekEnd)
	return err
}

// Torn returns what Open cut off, or nil.
func (j *Journal) Torn() *Torn { return j.torn }

// Append adds an entry with the JSON of v. When it returns without an error, the entry is on the disk. With an error the
// entry is not in the journal, but after a crash that follows a failed fsync (ErrBroken) it may be.
func (j *Journal) Append(kind string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("append %s to journal %s: %w", kind, j.path, err)
	}
	j.queue.Lock()
	mine := j.next
	mine.entries = append(mine.entries, Entry{Kind: kind, Data: data})
	j.queue.Unlock()

	j.disk.Lock()
	defer j.disk.Unlock()
	if !mine.done { // otherwise one that waited with this one has written both
		j.queue.Lock()
		j.next = new(batch)
		j.queue.Unlock()
		mine.err, mine.done = j.write(mine.entries), true
	}
	if mine.err != nil {
		return fmt.Errorf("append %s to journal %s: %w", kind, j.path, explain(mine.err))
	}
	return nil
}

// write writes entries behind each other, and returns when they are on the disk.
func (j *Journal) write(entries []Entry) error {
	if j.broken != nil {
		return j.broken
	}
	text, err := encode(entries, j.seq+1)
	if err != nil {
		return err
	}
	if _, err := j.file.WriteAt(text, j.size); err != nil {
		if cut := j.file.Truncate(j.size); cut != nil {
			j.broken = fmt.Errorf("%w: %w", ErrBroken, errors.Join(err, cut))
		}
		return err
	}
	if err := j.file.Sync(); err != nil {
		j.broken = fmt.Errorf("%w: %w", ErrBroken, err)
		return j.broken
	}
	j.seq += int64(len(entries))
	j.size += int64(len(text))
	return nil
}

// encode returns the text of entries that are written at once, the first of them with the given sequence number.
func encode(entries []Entry, first int64) (text []byte, err error) {
	for i, entry := range entries {
		entry.Seq = first + int64(i)
		if text, err = appendLine(text, line{Entry: entry, Batch: first}); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// Close closes the file. Appends that follow fail with ErrClosed.
func (j *Journal) Close() error {
	j.disk.Lock()
	defer j.disk.Unlock()
	if errors.Is(j.broken, ErrClosed) {
		return nil
	}
	j.broken = ErrClosed
	return j.file.Close()
}

// syncDirectory makes the names in the directory of a file survive a crash.
func syncDirectory(path string) error {
	dir, err := os.Open(filepath.Dir(path)) //nolint:gosec // the path is for the caller to choose
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// explain says what can be done about an error of the file system.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: make room, then it goes on; nothing that was acknowledged is lost", err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: mount it for writing, or choose another directory", err)
	default:
		return err
	}
}
