package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// script runs a server's command. It, and not the plugin, notes its process id and the exit code, so that they are
// known even if the plugin dies. Its arguments: the server's files without their ends, the boot delay, the command.
const script = `
umask 077
files=$1; delay=$2; shift 2
echo $$ >"$files.pid.new" && mv "$files.pid.new" "$files.pid" || exit 125
[ -e "$files.json" ] || exit 0
trap ended=1 TERM
sleep "$delay"
[ -z "$ended" ] || exit 0
: >"$files.up"
"$@"
echo $? >"$files.exit.new" && mv "$files.exit.new" "$files.exit"
`

// marker is the variable by which a process is known as one of a server: process ids come back.
const marker = "ELASTICPOOL_FILES"

// launch starts the command of a server, in a session of its own, which outlives the plugin.
func (s *store) launch(vm string, delay time.Duration, command, env []string) error {
	files := s.file(vm, "")
	files = files[:len(files)-1]
	seconds := strconv.FormatFloat(delay.Seconds(), 'f', -1, 64)
	run, done, err := s.command(vm, append([]string{"/bin/sh", "-c", script, "sh", files, seconds}, command...),
		append(env, marker+"="+files))
	if err != nil {
		return err
	}
	defer done()
	if err := run.Start(); err != nil {
		return err
	}
	go func() { _ = run.Wait() }() // how it ended is in its file
	return nil
}

// command returns a command that writes to the server's log, in a session of its own; done closes the log.
func (s *store) command(vm string, command, env []string) (run *exec.Cmd, done func(), err error) {
	out, err := os.OpenFile(s.file(vm, "log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	run = exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // the operator's own command, which lives longer than a request
	run.Stdout, run.Stderr = out, out
	run.Env = append(os.Environ(), env...)
	run.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return run, func() { _ = out.Close() }, nil
}

// finish runs a command to its end, which comes with ctx at the latest.
func (s *store) finish(ctx context.Context, vm string, command, env []string) error {
	run, done, err := s.command(vm, command, env)
	if err != nil {
		return err
	}
	defer done()
	if err := run.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = syscall.Kill(-run.Process.Pid, syscall.SIGKILL)
		<-ended //nolint:errcheck // it was killed
		err = context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, s.lastWords(vm))
	}
	return err
}

// pid returns the process that runs a server's command; 0: none does.
func (s *store) pid(vm string) (pid int, began bool) {
	text, err := os.ReadFile(s.file(vm, "pid"))
	if err != nil {
		return 0, !errors.Is(err, fs.ErrNotExist)
	}
	pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		return 0, true
	}
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	files := s.file(vm, "")
	if err != nil || !strings.Contains("\x00"+string(environment), "\x00"+marker+"="+files[:len(files)-1]+"\x00") {
		return 0, true
	}
	return pid, true
}

// exit returns the exit code of a server's command; ended is false if it has none.
func (s *store) exit(vm string) (code int, ended bool) {
	text, err := os.ReadFile(s.file(vm, "exit"))
	if err != nil {
		return 0, false
	}
	code, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return code, err == nil
}

// booted tells whether the boot delay of a server is over.
func (s *store) booted(vm string) bool {
	_, err := os.Stat(s.file(vm, "up"))
	return err == nil
}

// end ends the process group of a server's command: by SIGTERM, and after the grace by SIGKILL. A command that has just been
// started is waited for.
func (s *store) end(ctx context.Context, r record, grace time.Duration) error {
	var killed time.Time
	for {
		pid, began := s.pid(r.Spec.VM)
		switch {
		case pid == 0 && (began || time.Since(r.Launched) > patience):
			return nil
		case pid == 0:
		case killed.IsZero():
			killed = time.Now().Add(grace)
			_ = syscall.Kill(-pid, syscall.SIGTERM)
		case time.Now().After(killed):
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lastWords returns the last line of a server's log.
func (s *store) lastWords(vm string) string {
	text, err := os.ReadFile(s.file(vm, "log"))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := lines[len(lines)-1]
	return last[:min(len(last), 500)]
}
