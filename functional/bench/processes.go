package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// startFake builds cmd/fakecyborg and runs it in a process of its own, until what it returns is called.
func startFake(ctx context.Context) (c *cyborgSide, stop func() error, err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	stop = func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, stop())
		}
	}()
	program, seed, address := filepath.Join(dir, "fakecyborg"), filepath.Join(dir, "seed.yaml"), filepath.Join(dir, "address")
	if err := os.WriteFile(seed, seedText, 0o600); err != nil {
		return nil, nil, err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/fakecyborg").CombinedOutput(); err != nil { //nolint:gosec // the folder is our own
		return nil, nil, fmt.Errorf("go build: %w: %s", err, out)
	}
	fake := exec.CommandContext(ctx, program, "-listen", "127.0.0.1:0", "-address-file", address, "-seed", seed, "-log-level", "error") //nolint:gosec // it was just built
	fake.Stderr = os.Stderr
	fake.Cancel = func() error { return fake.Process.Signal(os.Interrupt) }
	fake.WaitDelay = 10 * time.Second
	if err := fake.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() error {
		err := errors.Join(fake.Process.Signal(os.Interrupt), fake.Wait())
		return errors.Join(err, os.RemoveAll(dir))
	}
	base, err := waitForFile(ctx, address)
	return &cyborgSide{base: base, pids: []int{fake.Process.Pid}}, stop, err
}

// errNotReady is what waitForFile gives up with.
var errNotReady = errors.New("fakecyborg was not ready within a minute")

// waitForFile returns a file's text, once it has one.
func waitForFile(ctx context.Context, path string) (string, error) {
	for range 600 {
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 { //nolint:gosec // it is in a folder of our own
			return strings.TrimSpace(string(text)), nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return "", errNotReady
}

// processes are the daemons of the cloud by these names, with their children.
func (p *realPeers) processes(names ...string) ([]int, error) {
	var pids []int
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(p.folder, "run", name+".pid")) //nolint:gosec // the folder is the caller's
		if err != nil {
			return nil, err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pids = append(pids, pid)
	}
	for i := 0; i < len(pids); i++ { // it grows: children of children
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pids[i], pids[i])) // none where it is gone
		for child := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(child); err == nil && !slices.Contains(pids, pid) {
				pids = append(pids, pid)
			}
		}
	}
	return pids, nil
}

// memoryOf adds up what processes have in memory, in bytes; pages that they share count in parts (the kernel's Pss).
func memoryOf(pids []int) (int64, error) {
	var total int64
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return 0, err
		}
		size, err := parsePss(string(text))
		if err != nil {
			return 0, fmt.Errorf("process %d: %w", pid, err)
		}
		total += size
	}
	return total, nil
}

// errNoPss is what parsePss finds on a kernel without it.
var errNoPss = errors.New("smaps_rollup has no Pss")

// parsePss reads the proportional set size.
func parsePss(text string) (int64, error) {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "Pss:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errNoPss
}

func megabytes(bytes int64) string { return significant(float64(bytes)/1e6) + " MB" }
