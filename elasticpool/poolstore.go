package elasticpool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/novacyborg/novacyborg/elasticpool/journal"
	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// journalLimit is the size in bytes above which a journal is compacted.
const journalLimit = 16 << 20

// journalFile is what a pool needs of a journal.
type journalFile interface {
	Append(kind string, v any) error
	Compact(kind string, v any) error
	Due(limit int64) bool
	Close() error
}

// poolStore is a journal and what it says.
type poolStore struct {
	gate sync.RWMutex // whoever appends holds it for reading; compaction keeps all of them away

	journal journalFile

	mu     sync.Mutex // guards record
	record poolRecord
}

// openStore opens the journal of a pool.
func openStore(path string) (*poolStore, *journal.Torn, error) {
	s := &poolStore{record: newPoolRecord()}
	j, err := journal.Open(path, func(entry journal.Entry) error { return s.record.apply(entry.Kind, entry.Data) })
	if err != nil {
		return nil, nil, err
	}
	s.journal = j
	return s, j.Torn(), nil
}

// readStore returns a store without a journal of its own.
func readStore() *poolStore { return &poolStore{record: newPoolRecord(), journal: noJournal{}} }

// reload makes the store say what the journal of a pool says that may be running.
func (s *poolStore) reload(path string) error {
	text, err := os.ReadFile(path) //nolint:gosec // the path is for the caller to choose
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	record := newPoolRecord()
	_, err = journal.Read(bytes.NewReader(text), func(entry journal.Entry) error { return record.apply(entry.Kind, entry.Data) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = record
	return err
}

// noJournal forgets.
type noJournal struct{}

func (noJournal) Append(string, any) error  { return nil }
func (noJournal) Compact(string, any) error { return nil }
func (noJournal) Due(int64) bool            { return false }
func (noJournal) Close() error              { return nil }

// append adds an entry to the journal and to what it says.
func (s *poolStore) append(kind string, entry any) error {
	data, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	if err := s.journal.Append(kind, json.RawMessage(data)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.apply(kind, data)
}

// read calls fn with what the journal says; fn must not keep it.
func (s *poolStore) read(fn func(*poolRecord)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(&s.record)
}

// compact makes the journal small. The ledger is kept from leasing meanwhile.
func (s *poolStore) compact(ledger *quota.Ledger) error {
	return ledger.Checkpoint(func(leases quota.Snapshot) error {
		s.gate.Lock()
		defer s.gate.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		next := s.record
		next.Leases, next.Leasing = leases, nil
		if err := s.journal.Compact(entrySnapshot, next); err != nil {
			return err
		}
		s.record = next
		return nil
	})
}

// Close closes the journal.
func (s *poolStore) Close() error { return s.journal.Close() }
