package journal_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/novacyborg/novacyborg/elasticpool/journal"
)

// A program becomes the leader of a directory, reads what the last one meant to do, and writes what it does itself.
func Example() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		panic(err)
	}
	for range 2 {
		if err := work(dir); err != nil {
			panic(err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	// Output:
	// generation 1
	// generation 2
	// entry 1: create "vm-1"
}

func work(dir string) error {
	leader, err := journal.Lock(context.Background(), filepath.Join(dir, "lock"))
	if err != nil {
		return err
	}
	defer func() { _ = leader.Close() }()
	fmt.Println("generation", leader.Generation())
	j, err := journal.Open(filepath.Join(dir, "journal"), func(entry journal.Entry) error {
		fmt.Printf("entry %d: %s %s\n", entry.Seq, entry.Kind, entry.Data)
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	if err := leader.Check(); err != nil {
		return err
	}
	return j.Append("create", "vm-1")
}
