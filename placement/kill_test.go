package placement

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// reporterJob names the variable that makes the test program a reporter; its value is the file with the job.
const reporterJob = "NOVACYBORG_TEST_REPORTER_JOB"

// job is what a reporter in a process of its own does.
type job struct {
	Endpoint, OwnedFile string
	Tree                Tree
}

// The exit status of a reporter when the report is done, but for what is in use or what others have.
const (
	inUse       = 3
	foreignLeft = 4
)

// runReporter does a job and returns the exit status.
func runReporter(file string) int {
	var j job
	err := readJSON(file, &j)
	if err == nil {
		err = j.run()
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrInUse):
		return inUse
	case errors.Is(err, ErrForeign):
		return foreignLeft
	}
	_, _ = os.Stderr.WriteString(err.Error())
	return 1
}

func (j job) run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := New(ctx, WithEndpoint(j.Endpoint))
	if err != nil {
		return err
	}
	var owned Owned
	if err := readJSON(j.OwnedFile, &owned); err != nil {
		return err
	}
	store := func(owned Owned) error { return writeJSON(j.OwnedFile, owned) }
	owned, err = c.ReportAndSave(ctx, j.Tree, owned, store)
	return errors.Join(err, store(owned))
}

func readJSON(file string, to any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// writeJSON replaces a file as a whole.
func writeJSON(file string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = os.WriteFile(file+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	return err
}

// victim is a process to be killed; started and dead are closed when it is.
type victim struct {
	*exec.Cmd

	started, dead chan struct{}
}

// killer is the way to Placement that kills the process at the other end when its write of a number comes in.
type killer struct {
	next   http.Handler
	after  bool         // the write is carried out first
	left   atomic.Int64 // writes until then
	victim atomic.Pointer[victim]
	// killed tells that there was a write of that number.
	killed atomic.Bool
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	victim := k.victim.Load()
	if victim == nil || r.Method == http.MethodGet || k.left.Add(-1) >= 0 {
		k.next.ServeHTTP(w, r)
		return
	}
	if k.after {
		k.next.ServeHTTP(httptest.NewRecorder(), r)
	}
	k.killed.Store(true)
	<-victim.started
	_ = victim.Process.Kill()
	<-victim.dead
	panic(http.ErrAbortHandler)
}

// run runs the job in a process of its own, and returns its exit status: -1 if it was killed.
func (k *killer) run(t *testing.T, file string, kill bool) int {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), reporterJob+"="+file)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	v := &victim{Cmd: cmd, started: make(chan struct{}), dead: make(chan struct{})}
	if kill {
		k.victim.Store(v)
	}
	require.NoError(t, cmd.Start())
	close(v.started)
	err = cmd.Wait()
	k.victim.Store(nil)
	close(v.dead)
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		require.NoError(t, err)
	}
	if status := cmd.ProcessState.ExitCode(); status < 1 || status == inUse || status == foreignLeft {
		return status
	}
	t.Fatal(complaint.String())
	return 0
}

// A reporter that is killed at any of its writes, right before or after it, leaves behind nothing that the next process
// cannot finish and take back, and touches nothing of others.
func TestKilledReporter(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after the write is %v", after), func(t *testing.T) {
			t.Parallel()
			writes := 0
			for killReporter(t, writes, after) {
				writes++
			}
			assert.Greater(t, writes, 10)
		})
	}
}

// killReporter kills a reporter at its write of that number. It returns false when it makes fewer.
func killReporter(t *testing.T, at int, after bool) bool {
	t.Helper()
	server, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(t, err)
	k := &killer{next: server, after: after}
	k.left.Store(int64(at))
	front := httptest.NewServer(k)
	defer front.Close()
	plain := newClient(t, WithEndpoint(server.URL()), WithTransport(server.Transport()))

	s := newScene()
	idle := TreeProvider{UUID: uuid.NewString(), Name: "idle-" + s.Tag, Inventories: map[string]Inventory{s.FPGA: {Total: 1}}, Traits: []string{s.Fast}}
	mustReport(t, plain, Tree{Providers: []TreeProvider{s.Host}}, nil)
	owned := mustReport(t, plain, s.under(s.Cards[0]), nil)
	claim := claimOne(t, plain, request(devices(0, s.FPGA, 1))) // the first card is withdrawn
	maps.Copy(owned, mustReport(t, plain, s.under(s.Cards[1], s.Cards[2], idle), nil))
	foreign(t, plain, s.Cards[2].UUID, "CUSTOM_MAINTENANCE", "CUSTOM_NIC", 7) // the last one stays, bare
	host := contentOf(t, plain, s.Host.UUID)

	moved := s.Cards[1]
	moved.Traits, moved.Inventories = []string{s.Fast, "CUSTOM_NEW"}, map[string]Inventory{s.GPU: {Total: 1}, "CUSTOM_NEW": {Total: 1}}
	numa := TreeProvider{UUID: uuid.NewString(), Name: "numa-" + s.Tag, Children: []TreeProvider{moved}}
	next := TreeProvider{UUID: uuid.NewString(), Name: "next-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 1}}, Traits: []string{s.Fast}}
	j := job{Endpoint: front.URL, OwnedFile: filepath.Join(t.TempDir(), "owned"), Tree: s.under(numa, next)}
	file := filepath.Join(t.TempDir(), "job")
	require.NoError(t, writeJSON(j.OwnedFile, owned))
	require.NoError(t, writeJSON(file, j))

	status := k.run(t, file, true)
	unharmed := func() {
		assert.Equal(t, host, contentOf(t, plain, s.Host.UUID))
		got := contentOf(t, plain, s.Cards[2].UUID)
		assert.Contains(t, got.Traits, "CUSTOM_MAINTENANCE")
		assert.Equal(t, 7, got.Inventories["CUSTOM_NIC"].Total)
	}
	unharmed()
	if !k.killed.Load() {
		assert.Equal(t, inUse, status, "the first card is claimed")
		return false
	}
	assert.Equal(t, -1, status)
	require.NoError(t, plain.Release(t.Context(), claim))
	assert.Equal(t, foreignLeft, k.run(t, file, false), "only what others have is left, at write %d", at)
	unharmed()
	assert.Equal(t, wantContent(moved, numa.UUID), contentOf(t, plain, moved.UUID))
	assert.Equal(t, wantContent(next, s.Host.UUID), contentOf(t, plain, next.UUID))
	for _, gone := range []string{s.Cards[0].UUID, idle.UUID} {
		_, err := plain.Provider(t.Context(), gone)
		require.ErrorIs(t, err, ErrNotFound)
	}
	assert.Len(t, contentOf(t, plain, s.Cards[2].UUID).Traits, 1)

	require.NoError(t, readJSON(j.OwnedFile, &owned))
	_, err = plain.Report(t.Context(), s.under(), owned) // all was its own
	require.ErrorIs(t, err, ErrForeign)
	unharmed()
	left, err := plain.ProvidersInTree(t.Context(), s.Host.UUID)
	require.NoError(t, err)
	assert.Len(t, left, 2, "the host, and the card in which others have something")
	return true
}
