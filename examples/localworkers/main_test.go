package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
)

// asPlugin makes the test binary the plugin itself.
const asPlugin = "LOCALWORKERS_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) == "" {
		os.Exit(m.Run())
	}
	main()
}

// worker is a server that runs until it is ended, and tells what it got. A file stops it from starting.
const worker = `#!/bin/sh
echo "$@" >>"$OUT/$ELASTICPOOL_VM.args"
env | grep ^ELASTICPOOL_ >"$OUT/$ELASTICPOOL_VM.env"
[ ! -e "$OUT/broken" ] || { echo "it is broken"; exit 3; }
while [ ! -e "$OUT/$ELASTICPOOL_VM.end" ]; do sleep 0.02; done
echo "power off"
`

// upDown is a server that is started and ended by commands, and is there in between.
const upDown = `#!/bin/sh
echo "$@" >>"$OUT/calls"
[ ! -e "$OUT/broken" ] || { echo "cannot $1"; exit 4; }
case $1 in up) : >"$OUT/$2.up" ;; down) rm -f "$OUT/$2.up" ;; esac
`

// world is a folder for a test, with a program that workers are.
type world struct{ dir, state, out, program, faults string }

func newWorld(t *testing.T, program string) world {
	t.Helper()
	dir := t.TempDir()
	w := world{dir, filepath.Join(dir, "state"), filepath.Join(dir, "out"), filepath.Join(dir, "worker.sh"), filepath.Join(dir, "faults.json")}
	require.NoError(t, os.Mkdir(w.out, 0o700))
	require.NoError(t, os.WriteFile(w.program, []byte(program), 0o700))
	t.Cleanup(func() { // whatever a test has left running
		store, err := openStore(context.Background(), w.state, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		defer store.close()
		records, _, err := store.list()
		require.NoError(t, err)
		for _, r := range records {
			assert.NoError(t, store.end(context.Background(), r, 0))
		}
	})
	return w
}

func (w world) flags(more ...string) []string {
	return append([]string{"-state", w.state, "-start", w.program + " {{.VM}} {{.CPUs}}", "-env", "OUT=" + w.out, "-faults", w.faults}, more...)
}

// open returns the cloud in this process.
func (w world) open(t *testing.T, more ...string) *faulty {
	t.Helper()
	c, err := parseFlags(w.flags(more...), io.Discard)
	require.NoError(t, err)
	store, err := openStore(t.Context(), c.state, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(store.close)
	return &faulty{cloud: newCloud(c, store, slog.New(slog.DiscardHandler)), file: c.faults}
}

// plugin returns the cloud as a process.
func (w world) plugin(t *testing.T, more ...string) *execcloud.Plugin {
	t.Helper()
	plugin, err := execcloud.New(append([]string{os.Args[0]}, w.flags(more...)...),
		execcloud.WithEnv(append(os.Environ(), asPlugin+"=1")...), execcloud.WithBackoff(time.Millisecond, time.Second))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, plugin.Close()) })
	return plugin
}

func spec(pool, vm string) elasticpool.ServerSpec {
	return elasticpool.ServerSpec{
		Pool: pool, VM: vm, Name: elasticpool.ServerName(pool, vm), Queue: "juno", Generation: 4,
		Class: elasticpool.Class{
			Name: "cpu2", Slot: elasticpool.Resources{"cpus": 2, "memory_mb": 4096, "gpus": 1}, UserData: "a secret",
			Takes: elasticpool.Resources{"cpus": 3}, Extra: map[string]string{"colour": "red"},
		},
	}
}

// await waits until a server has a status, and returns it.
func await(t *testing.T, p elasticpool.Provider, vm string, want elasticpool.ServerStatus) elasticpool.Server {
	t.Helper()
	var last elasticpool.Server
	require.Eventually(t, func() bool {
		list, complete, err := p.Servers(t.Context(), "farm")
		require.NoError(t, err)
		require.True(t, complete)
		for _, last = range list {
			if last.VM == vm {
				return last.Status == want
			}
		}
		return false
	}, 10*time.Second, 10*time.Millisecond, "%s is not %s", vm, want)
	return last
}

func vms(t *testing.T, p elasticpool.Provider, pool string) []string {
	t.Helper()
	list, complete, err := p.Servers(t.Context(), pool)
	require.NoError(t, err)
	require.True(t, complete)
	names := []string{}
	for _, server := range list {
		names = append(names, server.VM)
	}
	return names
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(text)
}

func TestServerIsAProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	cloud := w.open(t, "-boot-delay", "300ms")
	began := time.Now()
	made, err := cloud.Create(t.Context(), spec("farm", "A1"))
	require.NoError(t, err)
	assert.Equal(t, elasticpool.ServerBuilding, made.Status)
	assert.Equal(t, []any{"A1", "A1", "farm", "cpu2", "juno", int64(4)}, []any{made.ID, made.VM, made.Pool, made.Class, made.Queue, made.Generation})
	again, err := cloud.Create(t.Context(), spec("farm", "A1"))
	require.NoError(t, err)
	assert.Equal(t, made.ID, again.ID)

	await(t, cloud, "A1", elasticpool.ServerActive)
	assert.GreaterOrEqual(t, time.Since(began), 300*time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(w.out, "A1.env"))
		return err == nil && strings.Contains(read(t, w.out, "A1.env"), "TAGS")
	}, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, "A1 2\n", read(t, w.out, "A1.args"), "started once")
	for _, line := range []string{
		"VM=A1", "NAME=ep-farm-A1", "POOL=farm", "QUEUE=juno", "CLASS=cpu2", "CPUS=2", "MEMORY_MB=4096", "GPUS=1", "FPGAS=0",
		`TAGS={"elasticpool.class":"cpu2","elasticpool.controller":"4","elasticpool.pool":"farm","elasticpool.queue":"juno","elasticpool.vm":"A1"}`,
	} {
		assert.Contains(t, read(t, w.out, "A1.env"), "ELASTICPOOL_"+line+"\n")
	}
	assert.NotContains(t, read(t, w.state, "A1.json"), "a secret")

	pid, _ := cloud.cloud.store.pid("A1")
	require.NotZero(t, pid)
	require.NoError(t, cloud.Delete(t.Context(), made))
	assert.Empty(t, vms(t, cloud, "farm"))
	require.NoError(t, cloud.Delete(t.Context(), made), "again")
	left, err := filepath.Glob(filepath.Join(w.state, "*A1*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestServerIsStartedAndEndedByCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, upDown)
	cloud := w.open(t, "-start", w.program+" up {{.VM}}", "-stop", w.program+" down {{.VM}} {{.Extra.colour}}")
	made, err := cloud.Create(t.Context(), spec("farm", "A1"))
	require.NoError(t, err)
	await(t, cloud, "A1", elasticpool.ServerActive)
	require.NoError(t, cloud.Stop(t.Context(), made))
	await(t, cloud, "A1", elasticpool.ServerStopped)
	require.NoError(t, cloud.Start(t.Context(), made))
	await(t, cloud, "A1", elasticpool.ServerActive)
	require.NoError(t, cloud.Start(t.Context(), made), "it is on")

	require.NoError(t, os.WriteFile(filepath.Join(w.out, "broken"), nil, 0o600))
	err = cloud.Delete(t.Context(), made)
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	require.ErrorContains(t, err, "exit status 4: cannot down")
	await(t, cloud, "A1", elasticpool.ServerDeleting)
	require.NoError(t, os.Remove(filepath.Join(w.out, "broken")))
	require.NoError(t, cloud.Delete(t.Context(), made))
	assert.Empty(t, vms(t, cloud, "farm"))
	assert.Equal(t, "up A1\ndown A1 red\nup A1\ndown A1 red\ndown A1 red\n", read(t, w.out, "calls"))
}

func TestServerThatFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, w world, cloud *faulty)
		fault  string
	}{
		{"does not start", func(t *testing.T, w world, _ *faulty) {
			require.NoError(t, os.WriteFile(filepath.Join(w.out, "broken"), nil, 0o600))
		}, "its command has ended with exit code 3: it is broken"},
		{"powers itself off", func(t *testing.T, w world, _ *faulty) {
			require.NoError(t, os.WriteFile(filepath.Join(w.out, "A1.end"), nil, 0o600))
		}, "its command has ended with exit code 0: power off"},
		{"has no program", func(t *testing.T, w world, _ *faulty) {
			require.NoError(t, os.Remove(w.program))
		}, "its command has ended with exit code 127: "},
		{"is killed", func(t *testing.T, _ world, cloud *faulty) {
			go func() {
				for pid := 0; pid == 0; pid, _ = cloud.cloud.store.pid("A1") {
					time.Sleep(10 * time.Millisecond)
				}
				assert.NoError(t, killGroup(cloud, "A1"))
			}()
		}, "its command was killed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worker)
			cloud := w.open(t)
			test.damage(t, w, cloud)
			_, err := cloud.Create(t.Context(), spec("farm", "A1"))
			require.NoError(t, err)
			failed := await(t, cloud, "A1", elasticpool.ServerError)
			assert.Contains(t, failed.Fault, test.fault)
			require.NoError(t, cloud.Delete(t.Context(), failed))
		})
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	cloud := newWorld(t, worker).open(t, "-max", "vms=3,cpus=7", "-max", "memory_mb=9000")
	for _, vm := range []string{"A1", "A2"} {
		_, err := cloud.Create(t.Context(), spec("farm", vm))
		require.NoError(t, err)
	}
	limits, err := cloud.Limits(t.Context())
	require.NoError(t, err)
	assert.Equal(t, elasticpool.Resources{"vms": 3, "cpus": 7, "memory_mb": 9000}, limits.Total)
	assert.Equal(t, elasticpool.Resources{"vms": 1, "cpus": 1, "memory_mb": 9000}, limits.Free)
	_, err = cloud.Create(t.Context(), spec("farm", "A3"))
	require.ErrorIs(t, err, elasticpool.ErrQuota)
	require.ErrorContains(t, err, "cpus: 6 of 7 are in use, 3 more were asked for")
	_, err = cloud.Create(t.Context(), spec("farm", "A1"))
	require.NoError(t, err, "it is there")
}

// Two pools with one cloud, and names that look alike: each sees and touches its own servers only.
func TestForeignServersAreNeverTouched(t *testing.T) {
	t.Parallel()
	cloud := newWorld(t, worker).open(t)
	mine, err := cloud.Create(t.Context(), spec("farm", "A1"))
	require.NoError(t, err)
	theirs, err := cloud.Create(t.Context(), spec("farm2", "A1-2"))
	require.NoError(t, err)
	_, err = cloud.Create(t.Context(), spec("farm", "A1-2"))
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
	assert.Equal(t, []string{"A1"}, vms(t, cloud, "farm"))

	theirs.Pool = "farm"
	require.NoError(t, cloud.Delete(t.Context(), theirs), "there is no such server of this pool")
	require.ErrorIs(t, cloud.Stop(t.Context(), theirs), elasticpool.ErrInvalid)
	assert.Equal(t, []string{"A1-2"}, vms(t, cloud, "farm2"))
	require.NoError(t, cloud.Delete(t.Context(), elasticpool.Server{ID: "../A1", Pool: "farm"}))
	require.NoError(t, cloud.Delete(t.Context(), mine))
	assert.Equal(t, []string{"A1-2"}, vms(t, cloud, "farm2"))
}

// Three deletes at once are three deletes.
func TestDeletesAtTheSameTime(t *testing.T) {
	t.Parallel()
	cloud := newWorld(t, worker).plugin(t)
	var wait sync.WaitGroup
	for i := range 5 {
		_, err := cloud.Create(t.Context(), spec("farm", fmt.Sprint("A", i)))
		require.NoError(t, err)
	}
	for i := range 3 {
		wait.Go(func() {
			assert.NoError(t, cloud.Delete(t.Context(), elasticpool.Server{ID: fmt.Sprint("A", i), Pool: "farm"}))
		})
	}
	wait.Wait()
	assert.Equal(t, []string{"A3", "A4"}, vms(t, cloud, "farm"))
}

func TestBadNames(t *testing.T) {
	t.Parallel()
	cloud := newWorld(t, worker).open(t)
	for _, vm := range []string{"", "..", "a/b", "-rf", "a.json", strings.Repeat("a", 65), "a\n"} {
		_, err := cloud.Create(t.Context(), spec("farm", vm))
		require.ErrorIs(t, err, elasticpool.ErrInvalid, "%q", vm)
	}
	_, err := cloud.Create(t.Context(), spec("", "A1"))
	require.ErrorIs(t, err, elasticpool.ErrInvalid)
}

// kill -9 of the plugin neither loses nor doubles a server, whatever it was doing, and no more does another plugin's start.
func TestServersOutliveThePlugin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	first := w.plugin(t, "-boot-delay", "1500ms")
	_, err := first.Create(t.Context(), spec("farm", "A1"))
	require.NoError(t, err)
	killPlugin(t, w)
	var again elasticpool.Server
	require.Eventually(t, func() bool {
		again, err = first.Create(t.Context(), spec("farm", "A1"))
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, elasticpool.ServerBuilding, again.Status, "its boot goes on")
	await(t, first, "A1", elasticpool.ServerActive)
	require.NoError(t, first.Close())

	second := w.plugin(t)
	await(t, second, "A1", elasticpool.ServerActive)
	assert.Equal(t, "A1 2\n", read(t, w.out, "A1.args"), "started once")
	require.NoError(t, second.Delete(t.Context(), again))
	assert.Empty(t, vms(t, second, "farm"))
}

// A record whose plugin died before it could start the command is a server that failed, not one that builds for ever.
func TestRecordWithoutCommand(t *testing.T) {
	t.Parallel()
	cloud := newWorld(t, worker).open(t)
	for vm, age := range map[string]time.Duration{"A1": 0, "A2": patience} {
		s := spec("farm", vm)
		require.NoError(t, cloud.cloud.store.save(record{Spec: s, Phase: on, Launched: time.Now().Add(-age)}))
	}
	await(t, cloud, "A1", elasticpool.ServerBuilding)
	assert.Equal(t, "its command has not been started", await(t, cloud, "A2", elasticpool.ServerError).Fault)
}

// A delete waits for a command that was just started and has not told its process id: it would run on for ever.
func TestDeleteOfAServerThatIsBeingStarted(t *testing.T) {
	t.Parallel()
	cloud := newWorld(t, worker).open(t)
	s := spec("farm", "A1")
	require.NoError(t, cloud.cloud.store.save(record{Spec: s, Phase: on, Launched: time.Now()}))
	began := time.Now()
	launched := make(chan error, 1)
	time.AfterFunc(300*time.Millisecond, func() { launched <- cloud.cloud.store.launch("A1", 0, []string{"sleep", "3600"}, nil) })
	require.NoError(t, cloud.Delete(t.Context(), elasticpool.Server{ID: "A1", VM: "A1", Pool: "farm"}))
	assert.GreaterOrEqual(t, time.Since(began), 300*time.Millisecond)
	require.NoError(t, <-launched)
	assert.Empty(t, vms(t, cloud, "farm"))
}

// A record that cannot be read makes the list short, and does not hide the others.
func TestBrokenRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	cloud := w.open(t)
	_, err := cloud.Create(t.Context(), spec("farm", "A1"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(w.state, "A2.json"), []byte(`{"spec"`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(w.state, "A3.json"), []byte(`{"spec":{"vm":"A1","pool":"farm"}}`), 0o600))
	list, complete, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.False(t, complete)
	assert.Len(t, list, 1)
}

func TestOnePluginAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	w.open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := openStore(ctx, w.state, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "is in use by process "+strconv.Itoa(os.Getpid()))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	cloud := w.plugin(t)
	create := func(vm string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := cloud.Create(ctx, spec("farm", vm))
		return err
	}
	for _, vm := range []string{"A1", "A2"} {
		_, err := cloud.Create(t.Context(), spec("farm", vm))
		require.NoError(t, err)
	}
	inject(t, w, injected{Method: "create", Do: refuse, Class: "capacity", Detail: "no host", Times: 2, Kind: "cpu2"},
		injected{Method: "create", Do: refuse, Class: "quota", Kind: "gpu"})
	require.ErrorIs(t, create("A3"), elasticpool.ErrCapacity)
	require.ErrorIs(t, create("A3"), elasticpool.ErrCapacity)
	require.NoError(t, create("A3"), "the fault is used up")

	inject(t, w, injected{Method: "create", Do: loseReply, VM: "A4", Times: 1})
	require.ErrorIs(t, create("A4"), elasticpool.ErrUnknownOutcome)
	assert.Contains(t, vms(t, cloud, "farm"), "A4", "it was made")
	inject(t, w, injected{Method: "create", Do: hang, Times: 1})
	require.ErrorIs(t, create("A5"), elasticpool.ErrUnknownOutcome)
	assert.NotContains(t, vms(t, cloud, "farm"), "A5")

	inject(t, w, injected{Method: "servers", Do: incomplete, Times: 1}, injected{Method: "servers", Do: refuse, Class: "transient", Times: 1},
		injected{Method: "servers", Do: vanish, VM: "A2", Times: 1})
	list, complete, err := cloud.Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.False(t, complete)
	assert.Len(t, list, 3)
	_, _, err = cloud.Servers(t.Context(), "farm")
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	assert.Equal(t, []string{"A1", "A3", "A4"}, vms(t, cloud, "farm"), "A2 is lost")

	inject(t, w, injected{Method: "delete", Do: refuse, Class: "transient", VM: "A1", Times: 1})
	require.Error(t, cloud.Delete(t.Context(), elasticpool.Server{ID: "A1", VM: "A1", Pool: "farm"}))
	require.NoError(t, cloud.Delete(t.Context(), elasticpool.Server{ID: "A1", VM: "A1", Pool: "farm"}))
	require.NoError(t, os.WriteFile(w.faults, []byte("[{"), 0o600))
	_, err = cloud.Limits(t.Context())
	require.ErrorContains(t, err, "faults file")
	inject(t, w, injected{Method: "limits", Do: "explode"})
	_, err = cloud.Limits(t.Context())
	require.ErrorContains(t, err, `cannot "explode"`)
}

func inject(t *testing.T, w world, faults ...injected) {
	t.Helper()
	text, err := json.Marshal(faults)
	require.NoError(t, err)
	require.NoError(t, writeFile(w.faults, text))
}

// A plugin that only reads looks on beside the one that has the folder, at once, and needs none.
func TestReadOnlyBesideAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	look := func() *execcloud.Plugin {
		plugin, err := execcloud.New(append([]string{os.Args[0]}, w.flags()...),
			execcloud.WithEnv(append(os.Environ(), asPlugin+"=1")...), execcloud.WithReadOnly())
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, plugin.Close()) })
		return plugin
	}
	servers, whole, err := look().Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.True(t, whole)
	assert.Empty(t, servers)
	assert.NoDirExists(t, w.state)

	_, err = w.plugin(t).Create(t.Context(), spec("farm", "a"))
	require.NoError(t, err)
	servers, whole, err = look().Servers(t.Context(), "farm")
	require.NoError(t, err)
	assert.True(t, whole)
	assert.Len(t, servers, 1)
}
