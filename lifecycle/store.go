package lifecycle

import "context"

// Store keeps the records of instances. The Manager calls Save before each request that changes something, with what is
// about to happen, and after it, with what came of it, so that [Manager.Resume] can go on from whatever was saved last.
// An error of Save ends the operation, which is then taken back. Save is called by one goroutine at a time for one
// instance, and may keep the record. A record that [Record.Holds] nothing may be removed. What does not
// supersede the stored record must be refused: [Record.Supersedes].
//
// [FileStore] keeps each record in a file.
type Store interface {
	Save(ctx context.Context, record Record) error
}

// forgetful is the Store of a Manager without one.
type forgetful struct{}

func (forgetful) Save(context.Context, Record) error { return nil }
