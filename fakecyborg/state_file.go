package fakecyborg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// WithStateFile keeps the state in that file. When the file is there the server
// starts with it and the seed is not looked at; otherwise it starts with the seed
// and makes the file. What it holds survives exactly: ids, times, attach
// handles and who has them, attributes made through the API, what was loaded into devices,
// the seed that a reset goes back to, cards that no report has found yet, and the
// setting of the clock. What Go code does to a [driver.Machine] is in it with the next
// operation, report, or question for health. An operation
// is answered, and Nova is told of it, once it is in the file, so that a process
// that is killed loses nothing that anybody was told. While the file cannot be
// written every operation is answered with 500, no Nova is told of anything, and
// /_fake/health is 503; each tries to write it again. The file is replaced as a whole;
// it does not outlive the machine's power.
//
// Not in it: the journal, rules of faults but for those of the seed, and what goes
// on in the background. Requests whose device was being programmed stay in BindStarted. Two servers
// must not have the same file.
func WithStateFile(path string) Option {
	return func(c *config) error {
		if path == "" {
			return errors.New("with state file: no path")
		}
		c.stateFile = path
		return nil
	}
}

// keeper keeps the state of a server in a file; a nil keeper keeps nothing.
type keeper struct {
	server *Server
	path   string

	// mu lets one write run at a time. Who waits for it mostly finds that his
	// change was written by another meanwhile.
	mu sync.Mutex
	// kept is the count of changes that the file holds.
	kept uint64
	// failed says that the file does not hold what it should.
	failed bool
}

// keep writes what has changed. While it fails nobody may be told of anything.
func (k *keeper) keep() error {
	if k == nil {
		return nil
	}
	changes := k.server.store.mu.writes.Load()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept >= changes && !k.failed {
		return nil
	}
	return k.try()
}

// keepAll writes also what changes are not counted of: seed and clock.
func (k *keeper) keepAll() error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.try()
}

// try writes, and logs that it failed; the caller holds mu.
func (k *keeper) try() error {
	err := k.write()
	k.failed = err != nil
	if err != nil {
		err = fmt.Errorf("the state is not kept: %w", err)
		k.server.logger.Error(err.Error())
	}
	return err
}

// write replaces the file; the caller holds mu.
func (k *keeper) write() error {
	data, changes, err := k.server.encodeState()
	if err != nil {
		return err
	}
	fresh := k.path + ".new"
	if err := os.WriteFile(fresh, data, 0o600); err != nil {
		return err
	}
	if err := os.Rename(fresh, k.path); err != nil {
		return err
	}
	k.kept = changes
	return nil
}

// behindLinks is the file behind symbolic links, which stay when it is replaced; it
// need not be there.
func behindLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	target, err := os.Readlink(path)
	if err != nil {
		return path
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return target
}

// keepState takes the state from the file, if it is there, and keeps it there
// from now on.
func (s *Server) keepState(path string) error {
	if path == "" {
		return nil
	}
	path = behindLinks(path)
	data, err := os.ReadFile(path) //nolint:gosec // the caller names the file
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read state: %w", err)
	default:
		if err := s.restore(data); err != nil {
			return fmt.Errorf("read state %s: %w", path, err)
		}
	}
	if s.store.seedText == "" {
		if s.store.seedText, err = s.store.seed.text(); err != nil {
			return fmt.Errorf("keep state: %w", err)
		}
	}
	s.keeper = &keeper{server: s, path: path}
	if err := s.keeper.write(); err != nil {
		return fmt.Errorf("keep state: %w", err)
	}
	return nil
}

// restore replaces everything by what a state file has.
func (s *Server) restore(data []byte) error {
	state, err := decodeState(data)
	if err != nil {
		return err
	}
	kept, err := restoreRows(state)
	if err != nil {
		return err
	}
	kept.seedText, kept.progress = state.Seed, s.newProgress(true)
	if kept.seed, kept.place, err = parseSeed("seed", []byte(state.Seed), ""); err != nil {
		return err
	}
	if err := kept.seed.checkKinds(s.release, kept.place); err != nil {
		return err
	}
	if err := kept.equip(s.release, s.store.changed); err != nil {
		return err
	}
	for _, saved := range state.Cards {
		if err := kept.insertCard(s.release, saved.Hostname, saved.Card.Address, saved.Card); err != nil {
			return err
		}
	}
	s.store.rows = kept
	s.store.clock.set(state.ClockFixed, state.ClockOffset)
	return nil
}

// checkKinds refuses the cards of a seed that the release has no driver for, to which
// no reset could go back.
func (s Seed) checkKinds(release Release, place func(string) string) error {
	for i, host := range s.Hosts {
		for j, card := range host.Devices {
			if _, err := release.kind(card.Driver); err != nil {
				return &SeedError{Place: place(fmt.Sprintf("hosts[%d].devices[%d].driver", i, j)), Err: err}
			}
		}
	}
	return nil
}
