package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Size returns the size of the file in bytes.
func (j *Journal) Size() int64 {
	j.disk.Lock()
	defer j.disk.Unlock()
	return j.size
}

// Due says whether Compact is worth it: the file is larger than limit, in bytes, and twice as large as the last snapshot.
func (j *Journal) Due(limit int64) bool {
	j.disk.Lock()
	defer j.disk.Unlock()
	return j.size > limit && j.size > 2*j.compact
}

// Compact replaces all entries by one that says the same. The caller sees to it that nothing is appended meanwhile which
// v does not know. After an error the journal is as it was. It also mends a journal that is broken.
func (j *Journal) Compact(kind string, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		j.disk.Lock()
		defer j.disk.Unlock()
		err = j.replace(Entry{Kind: kind, Data: data})
	}
	if err != nil {
		return fmt.Errorf("compact journal %s: %w", j.path, explain(err))
	}
	return nil
}

// replace puts a new file with one entry in place of the file.
func (j *Journal) replace(entry Entry) error {
	if errors.Is(j.broken, ErrClosed) {
		return j.broken
	}
	text, err := encode([]Entry{entry}, j.seq+1)
	if err != nil {
		return err
	}
	next, err := writeFile(j.path+unfinished, text)
	if err != nil {
		return err
	}
	if err := os.Rename(j.path+unfinished, j.path); err != nil { //nolint:gosec // the path is for the caller to choose
		return errors.Join(err, next.Close())
	}
	_ = j.file.Close() // its name and its content are gone
	j.file, j.broken = next, nil
	j.seq++
	j.size, j.compact = int64(len(text)), int64(len(text))
	if err := syncDirectory(j.path); err != nil {
		j.broken = fmt.Errorf("%w: %w", ErrBroken, err) // a crash could bring the old file back
		return j.broken
	}
	return nil
}

// writeFile makes a file whose content is on the disk.
func writeFile(path string, text []byte) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, onlyOwner) //nolint:gosec // the path is for the caller to choose
	if err != nil {
		return nil, err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path)) //nolint:gosec // the path is for the caller to choose
	}
	return file, nil
}
