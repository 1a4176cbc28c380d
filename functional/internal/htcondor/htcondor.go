// Package htcondor starts a real HTCondor for tests: the scripts of functional/condor run it in a chroot, on loopback.
package htcondor

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Host is a central manager and a schedd. Its workers are started by up.sh.
type Host struct {
	Name     string   // of the pool; the schedd is central.<Name>
	Scripts  string   // folder of up.sh, down.sh and exec.sh
	Settings []string // their environment variables
	Base     string   // folder of this HTCondor, seen from outside the chroot
	Inside   string   // the same folder, seen from inside
}

// Start starts HTCondor out of the chroot that NOVACYBORG_CONDOR names, without it the one in the user's cache, and
// ends it with the test. settings are further environment variables of the scripts. It is for tests in a folder beside
// functional/condor, or in that one.
//
// Where there is no chroot, or without root, the test is skipped: .ci/htcondor.sh makes it and lets nothing be skipped.
func Start(t *testing.T, name string, settings ...string) *Host {
	t.Helper()
	dir := chroot(t)
	alone(t, filepath.Join(dir, name+".lock"))
	scripts, err := filepath.Abs("../condor")
	require.NoError(t, err)
	h := &Host{
		Name: name, Scripts: scripts, Inside: "/var/lib/elasticpool/" + name,
		Settings: append([]string{
			"NOVACYBORG_CONDOR=" + dir, "CONDOR_POOL=" + name, "CONDOR_PORT=" + freePort(t), "CONDOR_QUEUES=juno lhaaso cepc besiii hxmt",
		}, settings...),
	}
	h.Script(t, "down.sh") // of a run that was cut off
	t.Cleanup(func() {
		out, err := h.Try(context.WithoutCancel(t.Context()), "down.sh")
		assert.NoError(t, err, out)
	})
	h.Script(t, "up.sh")
	roots, err := filepath.Glob(filepath.Join(dir, "*", h.Inside))
	require.NoError(t, err)
	require.Len(t, roots, 1)
	h.Base = roots[0]
	return h
}

// chroot returns the folder with the chroot that bootstrap.sh made.
func chroot(t *testing.T) string {
	t.Helper()
	named, peers := os.Getenv("NOVACYBORG_CONDOR"), os.Getenv("NOVACYBORG_PEERS")
	missing := func(why string) {
		t.Helper()
		if named != "" || peers == "required" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	if peers == "none" || named == "none" {
		t.Skip("HTCondor is left alone, by NOVACYBORG_PEERS or NOVACYBORG_CONDOR")
	}
	if os.Getuid() != 0 {
		missing("a chroot with HTCondor needs root")
	}
	dir := named
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		dir = filepath.Join(cache, "novacyborg", "condor")
	}
	if masters, _ := filepath.Glob(filepath.Join(dir, "*", "usr", "sbin", "condor_master")); len(masters) == 0 {
		missing("no HTCondor in " + dir + ": functional/condor/bootstrap.sh puts it there")
	}
	return dir
}

// alone waits until no other test process has this HTCondor.
func alone(t *testing.T, path string) {
	t.Helper()
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // beside the chroot that the user named
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, lock.Close()) })
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

// With returns the same HTCondor with further settings of its scripts.
func (h *Host) With(settings ...string) *Host {
	other := *h
	other.Settings = append(slices.Clone(h.Settings), settings...)
	return &other
}

// Script runs a script, and returns what it printed.
func (h *Host) Script(t *testing.T, script string, args ...string) string {
	t.Helper()
	out, err := h.Try(t.Context(), script, args...)
	require.NoError(t, err, "%s %s: %s", script, args, out)
	return out
}

// Try runs a script, and returns with an error all that it printed.
func (h *Host) Try(ctx context.Context, script string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", append([]string{filepath.Join(h.Scripts, script)}, args...)...) //nolint:gosec // a script of ours
	cmd.Env = append(os.Environ(), h.Settings...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String() + errs.String(), err
	}
	return strings.TrimSpace(out.String()), nil
}

// Tool runs one of HTCondor's tools as the administrator.
func (h *Host) Tool(t *testing.T, args ...string) string {
	t.Helper()
	return h.Script(t, "exec.sh", args...)
}

// Submit submits jobs as the queue's user and returns their cluster. lines say what the jobs do, and what else differs
// from a small job in the queue's group.
func (h *Host) Submit(t *testing.T, queue string, count int, lines ...string) string {
	t.Helper()
	description := append([]string{
		"request_memory = 64", "request_disk = 1024", "accounting_group = group_" + queue, "accounting_group_user = " + queue,
	}, lines...)
	description = append(description, "queue "+strconv.Itoa(count), "")
	args := append([]string{"-u", queue, "/bin/sh", "-c", `printf '%s\n' "$@" | condor_submit -terse -`, "sh"}, description...)
	cluster, _, _ := strings.Cut(h.Tool(t, args...), ".")
	require.NotEmpty(t, cluster)
	return cluster
}

// Until waits for something to become so, as long as that may take on a machine with much else to do.
func Until(t *testing.T, patience time.Duration, what string, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !so(); time.Sleep(200 * time.Millisecond) {
		require.True(t, time.Now().Before(limit), "not in time: %s", what)
	}
}
