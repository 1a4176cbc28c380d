package pool_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

// daemon is an elasticpool run with a cloud of its own.
type daemon struct {
	h      *host
	pool   string
	dir    string // configuration, states of pool and cloud, logs
	state  string // the pool's journal, lock and socket
	cmd    *exec.Cmd
	ended  chan error
	client *console.Client
}

// settings are what a story's pool has that others have not.
type settings struct {
	pool    string
	queues  []map[string]any
	classes []map[string]any
	max     string // limits of the cloud
	delay   time.Duration
	control map[string]any
}

// class returns a class with a number of CPUs, and what else its worker offers.
func class(name string, cpus int, devices map[string]int) map[string]any {
	slot := map[string]any{"cpus": cpus, "memory_mb": 1024, "disk_mb": 100}
	takes := map[string]any{"cpus": cpus, "memory_mb": 1024}
	for device, n := range devices {
		slot[device], takes[device] = n, n
	}
	c := map[string]any{"name": name, "cloud": "here", "slot": slot, "takes": takes}
	if devices["gpus"] > 0 {
		c["devices"] = map[string]any{"gpus": map[string]any{"Capability": 8.0, "DeviceName": "Test GPU", "GlobalMemoryMb": 40960}}
	}
	return c
}

func queues(names ...string) []map[string]any {
	var list []map[string]any
	for _, name := range names {
		list = append(list, map[string]any{"name": name})
	}
	return list
}

// newDaemon writes a configuration. Nothing runs yet; what will have run is ended with the test.
func (h *host) newDaemon(t *testing.T, s settings) *daemon {
	t.Helper()
	d := &daemon{h: h, pool: s.pool, dir: filepath.Join(h.programs, s.pool)}
	require.NoError(t, os.Mkdir(d.dir, 0o700))
	d.configure(t, s, "state")
	t.Cleanup(func() {
		if d.cmd != nil {
			d.kill(t)
		}
		d.endCommands(t)
	})
	return d
}

// configure writes the configuration, with a folder for the pool's state.
func (d *daemon) configure(t *testing.T, s settings, state string) {
	t.Helper()
	d.state = filepath.Join(d.dir, state)
	d.client = console.NewSocketClient(filepath.Join(d.state, "control.sock"))
	here, err := os.Getwd()
	require.NoError(t, err)
	control := map[string]any{
		"cycle": "2s", "idle_time": "4s", "cooldown": "1s", "stale_after": 10, "orphan_grace": "1s",
		"timeouts": map[string]any{"request": "1m", "boot": "2m", "join": "1m", "lost": "1m"}, "backoff": map[string]any{"first": "1s"},
	}
	maps.Copy(control, s.control)
	text, err := json.MarshalIndent(map[string]any{ // which is YAML too
		"pool": d.pool, "state": d.state, "queues": s.queues, "classes": s.classes, "control": control,
		"decision_log": map[string]any{"path": d.file("decisions")},
		"clouds": []any{map[string]any{"name": "here", "exec": map[string]any{"timeout": "1m", "command": []string{
			filepath.Join(d.h.programs, "localworkers"), "-state", d.file("cloud"), "-faults", d.file("faults"), "-boot-delay", s.delay.String(),
			"-max", s.max, "-env", "WORKER_POOL={{.Pool}}", "-env", "WORKER_WAIT=0",
			"-start", "bash " + filepath.Join(here, "worker.sh") + " " + d.file("started") + " {{.VM}} {{.CPUs}} {{.MemoryMB}} {{.GPUs}} {{.FPGAs}}",
			"-stop", "bash " + filepath.Join(d.h.Scripts, "down.sh") + " {{.VM}}",
		}}}},
		"htcondor": map[string]any{
			"command": []string{"bash", filepath.Join(d.h.Scripts, "exec.sh")}, "schedds": []string{"central." + name}, "pool": d.pool,
			"prefix": "group_", "runtime": "MaxWallTimeMins", "runtime_unit": "1m", "interval": "4s", "factory_every": 1,
		},
	}, "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(d.file("pool.yaml"), text, 0o600))
}

func (d *daemon) file(name string) string { return filepath.Join(d.dir, name) }

// start starts the daemon.
func (d *daemon) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(d.file("log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer log.Close()
	d.cmd = exec.Command(filepath.Join(d.h.programs, "elasticpool"), "run", "-config", d.file("pool.yaml")) //nolint:noctx // it was built here, and the test ends it
	d.cmd.Env = append(os.Environ(), d.h.Settings...)
	d.cmd.Stdout, d.cmd.Stderr = log, log
	require.NoError(t, d.cmd.Start())
	d.ended = make(chan error, 1)
	go func(cmd *exec.Cmd, ended chan<- error) { ended <- cmd.Wait() }(d.cmd, d.ended)
}

// kill ends the daemon at once.
func (d *daemon) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, d.cmd.Process.Kill())
	<-d.ended //nolint:errcheck // it was killed
	d.cmd = nil
}

// stop asks the daemon to end.
func (d *daemon) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-d.ended)
	d.cmd = nil
}

// restart kills the daemon and starts it again.
func (d *daemon) restart(t *testing.T) {
	t.Helper()
	d.kill(t)
	d.start(t)
}

// endCommands waits for commands of the cloud that are under way, so that none of them starts a worker after the
// test's end.
func (d *daemon) endCommands(t *testing.T) {
	t.Helper()
	marker := []byte("\x00ELASTICPOOL_FILES=" + d.file("cloud"))
	until(t, "the cloud's commands have ended", func() bool {
		environments, err := filepath.Glob("/proc/[0-9]*/environ")
		require.NoError(t, err)
		return !slices.ContainsFunc(environments, func(path string) bool {
			text, _ := os.ReadFile(path)
			return bytes.Contains(append([]byte{0}, text...), marker)
		})
	})
}

// do gives a command.
func (d *daemon) do(t *testing.T, command elasticpool.Command) {
	t.Helper()
	require.NoError(t, d.client.Do(t.Context(), command))
}

// until waits for the pool to become so, and returns its status then.
func (d *daemon) until(t *testing.T, what string, so func(elasticpool.Status) bool) elasticpool.Status {
	t.Helper()
	var s elasticpool.Status
	for limit := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		var err error
		if s, err = d.client.Status(t.Context()); err == nil && s.Cycles > 0 && so(s) {
			t.Logf("%s %s: %s", time.Now().Format("15:04:05"), d.pool, what)
			return s
		}
		select {
		case ended := <-d.ended:
			d.ended <- ended
			t.Fatalf("%s: elasticpool has ended: %v\n%s", what, ended, d.lastWords())
		default:
		}
		if time.Now().After(limit) {
			t.Fatalf("not in time: %s (%v)\n%s\n%s", what, err, tell(s), d.lastWords())
		}
	}
}

// one waits for a VM of the pool to become so, and returns it.
func (d *daemon) one(t *testing.T, what string, so func(elasticpool.VM) bool) elasticpool.VM {
	t.Helper()
	var found elasticpool.VM
	d.until(t, what, func(s elasticpool.Status) bool {
		i := slices.IndexFunc(s.VMs, so)
		if i >= 0 {
			found = s.VMs[i]
		}
		return i >= 0
	})
	return found
}

// tell writes what counts of a status.
func tell(s elasticpool.Status) string {
	var text strings.Builder
	for _, q := range s.Decision.Queues {
		fmt.Fprintf(&text, "%+v\n", q)
	}
	for _, vm := range s.VMs {
		fmt.Fprintf(&text, "%s %s %s %s for %s: %s %v\n", vm.ID, vm.Class, vm.Queue, vm.State, s.Now.Sub(vm.Since), vm.Why, vm.Jobs)
	}
	for _, reason := range append(slices.Clone(s.Decision.Frozen), s.Decision.Blind...) {
		fmt.Fprintln(&text, reason)
	}
	return text.String() + s.Error
}

// lastWords returns the end of the daemon's log.
func (d *daemon) lastWords() string {
	text, err := os.ReadFile(d.file("log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}

// started returns the VMs that the cloud has started, each as often as it was.
func (d *daemon) started(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(d.file("started"))
	require.NoError(t, err)
	return strings.Fields(string(text))
}

// replaced returns how many VMs were given up because they did not come to life in time, or not whole.
func (d *daemon) replaced(t *testing.T) int {
	t.Helper()
	n := 0
	for _, decision := range d.decisions(t) {
		for _, event := range decision.Events {
			if event.VM != "" && (event.To == elasticpool.Failed || event.To == elasticpool.Degraded) {
				n++
			}
		}
	}
	return n
}

// servers returns the VMs whose servers are there.
func (d *daemon) servers(t *testing.T) []string {
	t.Helper()
	records, err := filepath.Glob(d.file("cloud/*.json"))
	require.NoError(t, err)
	for i, record := range records {
		records[i] = strings.TrimSuffix(filepath.Base(record), ".json")
	}
	return records
}

// decisions returns the decision log.
func (d *daemon) decisions(t *testing.T) []elasticpool.Decision {
	t.Helper()
	file, err := os.Open(d.file("decisions"))
	require.NoError(t, err)
	defer file.Close()
	var all []elasticpool.Decision
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct {
			Decision *elasticpool.Decision `json:"decision"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		if line.Decision != nil {
			all = append(all, *line.Decision)
		}
	}
	require.NoError(t, lines.Err())
	return all
}

// leaves waits until all VMs have left, and checks that no server and no worker is left over.
func (d *daemon) leaves(t *testing.T) {
	t.Helper()
	d.until(t, "all VMs have left", func(s elasticpool.Status) bool { return len(s.VMs) == 0 })
	assert.Empty(t, d.servers(t))
	for _, vm := range d.started(t) {
		assert.NoFileExists(t, filepath.Join(d.h.Base, vm, "config"), "its worker is gone")
	}
}

// queue returns a queue of a status.
func queue(s elasticpool.Status, name string) elasticpool.QueueView {
	for _, q := range s.Decision.Queues {
		if q.Name == name {
			return q
		}
	}
	return elasticpool.QueueView{}
}

// count returns how many VMs of a status are so.
func count(s elasticpool.Status, so func(elasticpool.VM) bool) int {
	n := 0
	for _, vm := range s.VMs {
		if so(vm) {
			n++
		}
	}
	return n
}
