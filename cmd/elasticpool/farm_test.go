package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/execcloud"
)

// farm is a batch system and a cloud in a folder, as a program for scripts: what the pool asks of both is one process after
// another, as it is in life. The number of jobs of a queue is in a file; the first workers of the queue run them.
type farm struct{ dir string }

// machine is a server of the farm, with its worker.
type machine struct {
	Spec     elasticpool.ServerSpec `json:"spec"`
	Queue    string                 `json:"queue"`
	Joined   bool                   `json:"joined"`
	Draining bool                   `json:"draining"`
	Idle     time.Time              `json:"idle"`
	Job      string                 `json:"job"`
}

// farmMain is the program farm: cloud | jobs | workers | submit QUEUE N | join, bind, drain, undrain, free NAME [ARGUMENT].
func farmMain() {
	f := farm{dir: os.Getenv("FARM")}
	err := f.main(os.Args[1], os.Args[2:])
	switch {
	case errors.Is(err, elasticpool.ErrBusy):
		os.Exit(3)
	case errors.Is(err, elasticpool.ErrNoWorker), errors.Is(err, fs.ErrNotExist):
		os.Exit(4)
	case err != nil:
		fmt.Fprintln(os.Stderr, "farm:", err)
		os.Exit(1)
	}
}

func (f farm) main(verb string, args []string) error {
	switch verb {
	case "cloud":
		if !execcloud.ReadOnly() {
			if err := f.write("cloud-at-work", nil); err != nil {
				return err
			}
		}
		return execcloud.Serve(context.Background(), os.Stdin, os.Stdout, f)
	case "jobs":
		return f.jobs()
	case "workers":
		return f.workers()
	case "submit":
		return f.write("jobs-"+args[0], []byte(args[1]))
	case "boots":
		text, err := os.ReadFile(filepath.Join(f.dir, "boots"))
		fmt.Print(string(text))
		return err
	}
	return f.change(args[0], func(m *machine) error {
		switch verb {
		case "join", "bind":
			m.Queue, m.Joined, m.Draining, m.Idle = args[1], true, false, time.Now()
		case "undrain":
			m.Draining = false
		case "drain":
			if m.Job != "" && args[1] == "true" {
				return elasticpool.ErrBusy
			}
			m.Draining = true
		case "free":
			m.Joined = false
		}
		return nil
	})
}

// change changes a machine while nobody else does.
func (f farm) change(vm string, how func(*machine) error) error {
	return f.locked(func() error {
		m, err := f.machine(vm)
		if err == nil {
			err = how(&m)
		}
		if err != nil {
			return err
		}
		return f.save(m)
	})
}

func (f farm) locked(do func() error) error {
	lock, err := os.OpenFile(filepath.Join(f.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return do()
}

func (f farm) machine(vm string) (m machine, err error) {
	text, err := os.ReadFile(filepath.Join(f.dir, "vm-"+vm))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

func (f farm) save(m machine) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return f.write("vm-"+m.Spec.VM, text)
}

func (f farm) write(name string, text []byte) error {
	path := filepath.Join(f.dir, name)
	temporary := fmt.Sprintf("%s/.%s-%d", f.dir, name, os.Getpid())
	return errors.Join(os.WriteFile(temporary, text, 0o600), os.Rename(temporary, path))
}

func (f farm) machines() ([]machine, error) {
	paths, err := filepath.Glob(filepath.Join(f.dir, "vm-*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var list []machine
	for _, path := range paths {
		m, err := f.machine(strings.TrimPrefix(filepath.Base(path), "vm-"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// settle lets the first workers of each queue run its jobs.
func (f farm) settle() (list []machine, jobs map[string]int, err error) {
	jobs = map[string]int{"lhaaso": 0, "juno": 0}
	for queue := range jobs {
		if text, err := os.ReadFile(filepath.Join(f.dir, "jobs-"+queue)); err == nil {
			jobs[queue], _ = strconv.Atoi(string(text))
		}
	}
	list, err = f.machines()
	running := map[string]int{}
	for i := range list {
		m := &list[i]
		may := m.Joined && (!m.Draining || m.Job != "") && running[m.Queue] < jobs[m.Queue]
		switch {
		case may:
			running[m.Queue]++
			m.Job, m.Idle = fmt.Sprintf("%s.%s", m.Queue, m.Spec.VM[20:]), time.Time{}
		case m.Idle.IsZero():
			m.Job, m.Idle = "", time.Now()
		}
		if m.Draining && m.Job == "" {
			m.Joined, m.Draining = false, false
		}
		err = errors.Join(err, f.save(*m))
	}
	for queue, n := range running {
		jobs[queue] -= n
	}
	return list, jobs, err
}

func (f farm) jobs() error {
	return f.locked(func() error {
		list, waiting, err := f.settle()
		if err != nil {
			return err
		}
		groups := []map[string]any{}
		for _, queue := range []string{"juno", "lhaaso"} {
			running := 0
			for _, m := range list {
				if m.Job != "" && m.Queue == queue {
					running++
				}
			}
			groups = append(groups, map[string]any{
				"queue": queue, "request": map[string]int{"cpus": 1}, "idle": waiting[queue], "running": running, "jobs": []string{queue + ".waiting"}, "oldest": time.Now().Add(-time.Hour),
			})
		}
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"jobs": groups})
	})
}

func (f farm) workers() error {
	return f.locked(func() error {
		list, _, err := f.settle()
		if err != nil {
			return err
		}
		workers := []map[string]any{}
		for _, m := range list {
			w := map[string]any{"vm": m.Spec.VM, "name": m.Spec.VM, "heard": time.Now(), "joined": m.Joined, "draining": m.Draining, "queue": m.Queue}
			total := map[string]int{"cpus": 1, "memory_mb": 2048}
			if m.Job != "" {
				w["jobs"], w["total"], w["free"] = []map[string]any{{"id": m.Job, "queue": m.Queue}}, total, map[string]int{}
			} else {
				w["idle_since"], w["total"], w["free"] = m.Idle, total, total
			}
			workers = append(workers, w)
		}
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"workers": workers, "since": "48h", "interval": "1s"})
	})
}

// Servers implements elasticpool.Provider.
func (f farm) Servers(_ context.Context, pool string) ([]elasticpool.Server, bool, error) {
	list, err := f.machines()
	var servers []elasticpool.Server
	for _, m := range list {
		if server, ours := elasticpool.ServerOfTags(pool, m.Spec.Tags()); ours {
			server.ID, server.Status, server.Host = "id-"+m.Spec.VM, elasticpool.ServerActive, "host-1"
			servers = append(servers, server)
		}
	}
	return servers, true, err
}

// Limits implements elasticpool.Provider.
func (f farm) Limits(context.Context) (elasticpool.Limits, error) {
	list, err := f.machines()
	return elasticpool.Limits{Total: elasticpool.Resources{"vms": 6}, Free: elasticpool.Resources{"vms": int64(6 - len(list))}}, err
}

// Create implements elasticpool.Provider. It counts what it makes, so that a script sees what was made twice.
func (f farm) Create(_ context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	server := elasticpool.Server{ID: "id-" + spec.VM, VM: spec.VM, Pool: spec.Pool, Class: spec.Class.Name, Queue: spec.Queue, Status: elasticpool.ServerActive}
	return server, f.locked(func() error {
		log, err := os.OpenFile(filepath.Join(f.dir, "boots"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(log, spec.VM)
		return errors.Join(err, log.Close(), f.save(machine{Spec: spec, Idle: time.Now()}))
	})
}

// Delete implements elasticpool.Provider.
func (f farm) Delete(_ context.Context, server elasticpool.Server) error {
	return f.locked(func() error {
		err := os.Remove(filepath.Join(f.dir, "vm-"+server.VM))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// Stop implements elasticpool.Provider.
func (farm) Stop(context.Context, elasticpool.Server) error { return elasticpool.ErrUnsupported }

// Start implements elasticpool.Provider.
func (farm) Start(context.Context, elasticpool.Server) error { return elasticpool.ErrUnsupported }
