package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// phase is what is wanted of a server.
type phase string

const (
	on       phase = "on"
	stopping phase = "stopping"
	off      phase = "off"
	leaving  phase = "leaving"
)

// record is what is remembered of a server.
type record struct {
	Spec     elasticpool.ServerSpec `json:"spec"` // without user data
	Phase    phase                  `json:"phase"`
	Created  time.Time              `json:"created"`
	Launched time.Time              `json:"launched"` // its command
}

// store is the folder with all records. Files of a server: VM.json is the record; VM.pid, VM.up and VM.exit are written by the
// script that runs its command; VM.log is what that has printed.
type store struct {
	dir  string
	log  *slog.Logger
	lock *os.File
}

// openStore opens the folder, and makes it if need be. One plugin at a time may have it: it waits for another to end.
func openStore(ctx context.Context, dir string, log *slog.Logger) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator's folder
	if err != nil {
		return nil, err
	}
	for patience := 10 * time.Second; ; patience -= 20 * time.Millisecond {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			err = errors.Join(lock.Truncate(0), writePID(lock))
			return &store{dir: dir, log: log, lock: lock}, err
		case ctx.Err() != nil || patience <= 0 || !errors.Is(err, syscall.EWOULDBLOCK):
			holder, _ := io.ReadAll(lock)
			_ = lock.Close()
			return nil, fmt.Errorf("state folder %s is in use by process %s: %w", dir, holder, errors.Join(err, ctx.Err()))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// readStore looks into the folder of another plugin, which has it or will: it locks and makes nothing.
func readStore(_ context.Context, dir string, log *slog.Logger) (*store, error) {
	return &store{dir: dir, log: log}, nil
}

// writePID tells people who has the folder.
func writePID(lock *os.File) error {
	_, err := lock.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return err
}

func (s *store) close() {
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// file returns the path of a server's file.
func (s *store) file(vm, kind string) string { return filepath.Join(s.dir, vm+"."+kind) }

// save writes a record so that it is there as a whole or not at all, whatever dies meanwhile.
func (s *store) save(r record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(s.file(r.Spec.VM, "json"), text)
}

// writeFile replaces a file at once, and lasting.
func writeFile(path string, text []byte) error {
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // in the operator's folder
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// load reads a record; there is none if found is false.
func (s *store) load(vm string) (r record, found bool, err error) {
	text, err := os.ReadFile(s.file(vm, "json"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && r.Spec.VM != vm {
		err = fmt.Errorf("it speaks of VM %q", r.Spec.VM)
	}
	if err != nil {
		err = fmt.Errorf("record of server %s: %w", vm, err)
	}
	return r, true, err
}

// list returns all records. whole is false if one could not be read.
func (s *store) list() (records []record, whole bool, err error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) && s.lock == nil {
		return nil, true, nil // nobody has made one yet
	}
	whole = true
	for _, entry := range entries {
		vm, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if !isRecord {
			continue
		}
		r, found, err := s.load(vm)
		switch {
		case err != nil:
			s.log.Error("a record cannot be read", "err", err)
			whole = false
		case found:
			records = append(records, r)
		}
	}
	return records, whole, err
}

// clear removes what the last run of a server's command has left.
func (s *store) clear(vm string) error {
	return s.remove(vm, "pid", "up", "exit")
}

// forget removes all files of a server, the record last: as long as it is there, a delete is asked for again.
func (s *store) forget(vm string) error {
	return s.remove(vm, "pid", "up", "exit", "log", "json")
}

func (s *store) remove(vm string, kinds ...string) error {
	for _, kind := range kinds {
		if err := os.Remove(s.file(vm, kind)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
