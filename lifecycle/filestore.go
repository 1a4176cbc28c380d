package lifecycle

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
)

// ErrStoreInUse says that another process, or another [FileStore] of this one, has the directory.
var ErrStoreInUse = errors.New("in use by another process")

// FileStore is a [Store] that keeps the record of each instance in a file of its own, INSTANCE.json, in one directory.
// A Save that has returned survives a crash of the process and of the machine. One that a crash interrupted leaves the
// record as it was before or as it was to be, never anything between. One FileStore at a time has a directory. It is safe
// for concurrent use.
type FileStore struct {
	name   string
	dir    *os.Root // nothing outside it can be reached, not by links either
	handle *os.File // of the directory, to sync it
	open   []io.Closer
}

const (
	recordSuffix = ".json"
	lockFile     = ".lock"
	unfinished   = ".new-" // begins the name of a file that is not whole yet
	onlyOwner    = 0o600
)

// NewFileStore opens a directory, and makes it if it is not there; its parent must be. Files that a killed process left
// half written are removed. It fails with [ErrStoreInUse] if another one has the directory.
func NewFileStore(dir string) (*FileStore, error) {
	s := &FileStore{name: dir}
	err := s.take()
	if err == nil {
		err = s.clean()
	}
	if err != nil {
		return nil, s.fault(errors.Join(err, s.Close()))
	}
	return s, nil
}

func (s *FileStore) fault(err error) error { return fmt.Errorf("record store %s: %w", s.name, err) }

// take opens the directory and locks it.
func (s *FileStore) take() (err error) {
	if err := makeDirectory(s.name); err != nil {
		return err
	}
	if s.dir, err = os.OpenRoot(s.name); err != nil {
		return err
	}
	s.open = append(s.open, s.dir)
	if s.handle, err = s.dir.Open("."); err != nil {
		return err
	}
	s.open = append(s.open, s.handle)
	file, err := s.dir.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, onlyOwner)
	if err != nil {
		return err
	}
	s.open = append(s.open, lock{file})
	return lock{file}.take()
}

// makeDirectory makes a directory that survives a crash of the machine.
func makeDirectory(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	parent, err := os.Open(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// clean removes what a killed process left half written.
func (s *FileStore) clean() error {
	names, err := s.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, unfinished) {
			err = errors.Join(err, s.dir.Remove(name))
		}
	}
	return err
}

// names are those of all files, in order.
func (s *FileStore) names() ([]string, error) {
	entries, err := fs.ReadDir(s.dir.FS(), ".")
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}

// Close gives the directory to others. The store must not be used afterwards.
func (s *FileStore) Close() error {
	var errs []error
	for _, part := range s.open {
		errs = append(errs, part.Close())
	}
	return errors.Join(errs...)
}

// Save implements [Store]. A record that holds nothing is removed.
func (s *FileStore) Save(ctx context.Context, record Record) error {
	if err := checkUUID(record.Instance()); err != nil {
		return s.fault(err)
	}
	if ctx.Err() != nil {
		return s.fault(context.Cause(ctx))
	}
	write := s.replace
	if !record.Holds() {
		write = s.remove
	}
	err := record.Supersedes(s.stored(record.Instance()))
	if err == nil {
		err = write(record)
	}
	if err != nil {
		return s.fault(err)
	}
	return nil
}

// stored is the record of an instance, as far as it can be read; nil if there is none.
func (s *FileStore) stored(instance string) *Record {
	text, err := s.dir.ReadFile(instance + recordSuffix)
	if err != nil {
		return nil
	}
	var record Record
	_ = json.Unmarshal(text, &record) // a broken one has no revision that would be lost
	return &record
}

// replace writes the record to another file, which then takes the place of the one before.
func (s *FileStore) replace(record Record) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	name := unfinished + uuid.NewString()
	file, err := s.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, onlyOwner)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(cmp.Or(err, file.Sync()), file.Close()); err == nil {
		err = s.dir.Rename(name, record.Instance()+recordSuffix)
	}
	if err != nil {
		return errors.Join(err, s.dir.Remove(name))
	}
	return s.handle.Sync()
}

func (s *FileStore) remove(record Record) error {
	err := s.dir.Remove(record.Instance() + recordSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.handle.Sync()
}

// Load returns the record of an instance. The error has [fs.ErrNotExist] in its chain if there is none.
func (s *FileStore) Load(instance string) (Record, error) {
	err := checkUUID(instance)
	if err != nil {
		return Record{}, s.fault(err)
	}
	record, err := s.read(instance + recordSuffix)
	if err != nil {
		return Record{}, s.fault(err)
	}
	return record, nil
}

// read reads a record that stands where it belongs.
func (s *FileStore) read(name string) (Record, error) {
	text, err := s.dir.ReadFile(name)
	if err != nil {
		return Record{}, err
	}
	record, err := ParseRecord(text)
	if err != nil {
		return Record{}, fmt.Errorf("%s: %w", name, err)
	}
	if want := record.Instance() + recordSuffix; name != want {
		return Record{}, fmt.Errorf("%s: the record in it is that of %s", name, want)
	}
	return record, nil
}

// All returns the records of all instances, in the order of their uuids. If there is an error, it names every file that
// could not be read, and the records are those of the others: they may be shown, and each can be worked on, but
// nothing may be concluded from what is missing. [Manager.Reconcile], which takes what no record names for an orphan, must
// not be given them.
func (s *FileStore) All() ([]Record, error) {
	names, err := s.names()
	if err != nil {
		return nil, s.fault(err)
	}
	var records []Record
	var faults []error
	for _, name := range names {
		if filepath.Ext(name) != recordSuffix {
			continue
		}
		record, err := s.read(name)
		switch {
		case err == nil:
			records = append(records, record)
		case !s.removed(name):
			faults = append(faults, s.fault(err))
		}
	}
	return records, errors.Join(faults...)
}

// removed says that a file is not there any more, and that not merely what it links to is missing.
func (s *FileStore) removed(name string) bool {
	_, err := s.dir.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}
