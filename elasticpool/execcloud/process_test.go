package execcloud

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// child returns a Plugin whose process is this test binary in that role, and what it logs.
func child(t testing.TB, role string, options ...Option) (*Plugin, *journal) {
	t.Helper()
	logged := &journal{}
	log := slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	plugin, err := New([]string{os.Args[0]},
		append([]Option{WithEnv(roleVariable+"="+role, "SECRET=sesame"), WithLogger(log), WithGrace(100 * time.Millisecond)}, options...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plugin.Close()) })
	return plugin, logged
}

// A plugin that may run beside that of a pool is asked for nothing that changes something, and is told so.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	plugin, logged := child(t, "serve", WithReadOnly(), WithGrace(10*time.Second))
	_, err := plugin.Create(t.Context(), spec("a"))
	require.ErrorIs(t, err, elasticpool.ErrUnsupported)
	server := elasticpool.Server{ID: "id-a", VM: "a", Pool: "farm"}
	for _, change := range []func(context.Context, elasticpool.Server) error{plugin.Delete, plugin.Stop, plugin.Start} {
		require.ErrorIs(t, change(t.Context(), server), elasticpool.ErrUnsupported)
	}
	_, _, err = plugin.Servers(t.Context(), "farm")
	require.NoError(t, err)
	_, err = plugin.Limits(t.Context())
	require.NoError(t, err)
	require.NoError(t, plugin.Close())
	assert.Contains(t, logged.String(), "it reads only")

	plugin, logged = child(t, "serve", WithGrace(10*time.Second))
	_, err = plugin.Limits(t.Context())
	require.NoError(t, err)
	require.NoError(t, plugin.Close())
	assert.NotContains(t, logged.String(), "it reads only")
}

// The end that was asked for is no warning; every other one is.
func TestEndIsLogged(t *testing.T) {
	t.Parallel()
	plugin, logged := child(t, "serve", WithGrace(10*time.Second))
	_, err := plugin.Limits(t.Context())
	require.NoError(t, err)
	require.NoError(t, plugin.Close())
	assert.Contains(t, logged.String(), `level=DEBUG msg="plugin is gone"`)
	assert.NotContains(t, logged.String(), "level=WARN")

	plugin, logged = child(t, "dies")
	_, _, err = plugin.Servers(t.Context(), "farm")
	require.Error(t, err)
	require.NoError(t, plugin.Close())
	assert.Contains(t, logged.String(), `level=WARN msg="plugin is gone"`)
}

func TestProcessDoesWhatIsAsked(t *testing.T) {
	t.Parallel()
	plugin, _ := child(t, "serve", WithGrace(10*time.Second))
	ctx := t.Context()
	first, err := plugin.Create(ctx, spec("a"))
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Server{
		ID: "id-a", VM: "a", Pool: "farm", Class: "cpu", Queue: "juno", Generation: 3, Status: elasticpool.ServerActive,
	}, first)
	_, err = plugin.Create(ctx, spec("b"))
	require.NoError(t, err)
	_, err = plugin.Create(ctx, spec("c"))
	require.ErrorIs(t, err, elasticpool.ErrQuota)
	require.EqualError(t, err, "create server ep-farm-c with plugin execcloud.test: quota reached: two are enough")

	require.NoError(t, plugin.Stop(ctx, first))
	list, complete, err := plugin.Servers(ctx, "farm")
	require.NoError(t, err)
	assert.True(t, complete)
	require.Len(t, list, 2)
	assert.Equal(t, elasticpool.ServerStopped, list[0].Status)
	require.NoError(t, plugin.Start(ctx, first))
	require.NoError(t, plugin.Delete(ctx, first))
	list, _, err = plugin.Servers(ctx, "farm")
	require.NoError(t, err)
	assert.Len(t, list, 1)
	list, _, err = plugin.Servers(ctx, "barn")
	require.NoError(t, err)
	assert.Empty(t, list)
	limits, err := plugin.Limits(ctx)
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Limits{Total: elasticpool.Resources{"vms": 2}, Free: elasticpool.Resources{}}, limits)

	slow := spec("d")
	slow.Class.Name = "slow"
	_, err = plugin.Create(short(t, 50*time.Millisecond), slow)
	require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
}

func TestProcessThatDies(t *testing.T) {
	t.Parallel()
	plugin, logged := child(t, "dies", WithBackoff(time.Hour, time.Hour))
	_, err := plugin.Create(t.Context(), spec("a"))
	require.ErrorIs(t, err, elasticpool.ErrUnknownOutcome)
	require.ErrorContains(t, err, "exit status 7")
	logged.await(t, `line="out of memory, code 7"`)
	require.NotContains(t, logged.String(), "cloud-config", "what a request holds is not logged")
	_, _, err = plugin.Servers(t.Context(), "farm")
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	require.ErrorContains(t, err, "it is started again in ")
	require.ErrorContains(t, err, ": it has ended: exit status 7")
}

// The pipe to a plugin that reads nothing fills up, and the pool goes on.
func TestProcessThatReadsNothing(t *testing.T) {
	t.Parallel()
	plugin, _ := child(t, "deaf", WithTimeout(300*time.Millisecond))
	began := time.Now()
	_, err := plugin.Create(t.Context(), spec("a"))
	require.ErrorIs(t, err, elasticpool.ErrTransient, "it has not even shaken hands")

	huge := spec("b")
	huge.Class.UserData = strings.Repeat("x", 1<<20) // more than a pipe takes
	s := newSession(must(startProcess([]string{os.Args[0]}, plugin.config)), plugin.config.log, 2*time.Second, maxLine)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run()
	}()
	for _, want := range []bool{true, false} { // a part of the first one is in the pipe
		_, sent, err := s.ask(short(t, time.Minute), MethodCreate, createParams{Spec: huge})
		require.ErrorContains(t, err, "it has not read a request for 2s")
		assert.Equal(t, want, sent)
	}
	<-done
	assert.Less(t, time.Since(began), 50*time.Second)
}

func must(l link, err error) link {
	if err != nil {
		panic(err)
	}
	return l
}

func TestStubbornProcessIsKilledWithItsGroup(t *testing.T) {
	t.Parallel()
	plugin, logged := child(t, "stubborn")
	_, err := plugin.Limits(t.Context())
	require.NoError(t, err)
	grandchild, err := strconv.Atoi(strings.Trim(logged.await(t, "child "), `"`))
	require.NoError(t, err)
	require.True(t, runs(grandchild))
	leader := pidOf(t, grandchild)

	began := time.Now()
	require.NoError(t, plugin.Close())
	assert.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond, "it had two graces to end")
	_, err = os.Stat(fmt.Sprintf("/proc/%d", leader))
	require.ErrorIs(t, err, os.ErrNotExist, "no zombie is left")
	assert.Eventually(t, func() bool { return !runs(grandchild) }, 5*time.Second, 10*time.Millisecond)
}

// A child that a plugin leaves behind ends with it, also when the plugin itself ends well.
func TestGroupEndsWithItsLeader(t *testing.T) {
	t.Parallel()
	plugin, logged := child(t, "parent", WithGrace(time.Hour))
	_, err := plugin.Limits(t.Context())
	require.NoError(t, err)
	grandchild, err := strconv.Atoi(strings.Trim(logged.await(t, "child "), `"`))
	require.NoError(t, err)
	require.NoError(t, plugin.Close())
	assert.Eventually(t, func() bool { return !runs(grandchild) }, 5*time.Second, 10*time.Millisecond)
}

// pidOf returns the process group of a process, which is the plugin's process id.
func pidOf(t *testing.T, pid int) int {
	t.Helper()
	group, err := syscall.Getpgid(pid)
	require.NoError(t, err)
	return group
}

// runs tells whether a process runs; one that waits to be reaped does not.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestProcessMayEndByItself(t *testing.T) {
	t.Parallel()
	plugin, _ := child(t, "serve", WithGrace(time.Hour))
	_, err := plugin.Limits(t.Context())
	require.NoError(t, err)
	require.NoError(t, plugin.Close(), "it ends with its input, without a signal")
}

func TestProcessGetsSIGTERM(t *testing.T) {
	t.Parallel()
	plugin, logged := child(t, "polite", WithGrace(1500*time.Millisecond))
	l, err := startProcess([]string{os.Args[0]}, plugin.config)
	require.NoError(t, err)
	logged.await(t, "ready")
	assert.Equal(t, "exit status 0", l.stop(true))
	assert.Equal(t, "exit status 0", l.stop(false), "again")
	require.NoError(t, l.out.Close())
	logged.await(t, "bye")
}

// Credentials reach a plugin by its environment; VCondor had them in the arguments, for all users to read.
func TestEnvironmentIsWhatWasSet(t *testing.T) {
	t.Parallel()
	plugin, logged := child(t, "secret")
	l, err := startProcess([]string{os.Args[0]}, plugin.config)
	require.NoError(t, err)
	assert.Equal(t, ` 1 secret sesame home "`, logged.await(t, "arguments"))
	l.stop(true)
	require.NoError(t, l.out.Close())
}

func TestStandardErrorIsBounded(t *testing.T) {
	t.Parallel()
	logged := &journal{}
	text := strings.Repeat("x", 3*maxLogLine) + "\n" + strings.Repeat("line\n", 2*maxLogLines)
	logLines(strings.NewReader(text), slog.New(slog.NewTextHandler(logged, nil)))
	lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
	assert.Len(t, lines, maxLogLines)
	assert.Less(t, len(lines[0]), maxLogLine+200)
}
