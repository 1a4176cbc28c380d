package lifecycle_test

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// disk keeps the last JSON of each record, as long as the record holds anything.
type disk struct {
	mu    sync.Mutex
	texts map[string][]byte
	// forget, if it is set, are the tasks that the disk loses: for tests of the tests.
	forget func(lifecycle.Task) bool
}

func newDisk() *disk { return &disk{texts: map[string][]byte{}} }

func (d *disk) save(record lifecycle.Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var stored *lifecycle.Record
	if text := d.texts[record.Instance()]; text != nil {
		stored = &lifecycle.Record{}
		if err := json.Unmarshal(text, stored); err != nil {
			return err
		}
	}
	if err := record.Supersedes(stored); err != nil {
		return err
	}
	if !record.Holds() {
		delete(d.texts, record.Instance())
		return nil
	}
	if o := record.Operation; o != nil && d.forget != nil {
		o.Undo, o.Todo = slices.DeleteFunc(o.Undo, d.forget), slices.DeleteFunc(o.Todo, d.forget)
	}
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	d.texts[record.Instance()] = text
	return nil
}

// load reads an instance's record as a new process would.
func (d *disk) load(instance string) (record lifecycle.Record, found bool) {
	d.mu.Lock()
	text, found := d.texts[instance]
	d.mu.Unlock()
	if !found {
		return lifecycle.Record{}, false
	}
	if err := json.Unmarshal(text, &record); err != nil {
		panic(err) // what save wrote
	}
	return record, true
}

// all reads all records, by instance.
func (d *disk) all() []lifecycle.Record {
	d.mu.Lock()
	instances := slices.Sorted(maps.Keys(d.texts))
	d.mu.Unlock()
	var records []lifecycle.Record
	for _, instance := range instances {
		if record, found := d.load(instance); found {
			records = append(records, record)
		}
	}
	return records
}
