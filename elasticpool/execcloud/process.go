package execcloud

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// afterlife is how long output of a process that is gone is still read. Only a process that has left its group can
// hold it open.
const afterlife = time.Second

// process is the plugin's process, the leader of a process group of its own.
type process struct {
	cmd   *exec.Cmd
	in    *os.File // our end of its standard input
	outs  []*os.File
	grace time.Duration
	read  sync.WaitGroup // reading of its standard error
	gone  chan struct{}  // closed when it is reaped, and its group killed
	state string         // how it ended; readable when gone is closed
	shut  sync.Once      // of outs
}

// startProcess starts the plugin.
func startProcess(command []string, c config) (link, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // the operator's own program; it lives longer than a request
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.reads {
		cmd.Env = append(cmd.Environ(), ReadOnlyVariable+"=1")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	theirs, ours, err := pipes()
	if err != nil {
		return link{}, fmt.Errorf("start it: %w", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err = cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return link{}, fmt.Errorf("start it: %w", err)
	}
	p := &process{cmd: cmd, in: ours[0], outs: ours[1:], grace: c.grace, gone: make(chan struct{})}
	p.read.Go(func() { logLines(ours[2], c.log) })
	go p.wait()
	return link{in: ours[0], out: ours[1], stop: p.stop}, nil
}

// pipes returns the plugin's and our ends of its standard input, output and error.
func pipes() (theirs, ours []*os.File, err error) {
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(theirs)
			closeAll(ours)
			return nil, nil, err
		}
		if i == 0 {
			r, w = w, r
		}
		theirs, ours = append(theirs, w), append(ours, r)
	}
	return theirs, ours, nil
}

func closeAll(files []*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}

// wait reaps the process, and kills what is left of its group.
func (p *process) wait() {
	err := p.cmd.Wait()
	p.signal(syscall.SIGKILL)
	p.state = p.cmd.ProcessState.String()
	if p.cmd.ProcessState == nil {
		p.state = fmt.Sprint(err)
	}
	close(p.gone)
}

// signal sends a signal to the whole group.
func (p *process) signal(signal syscall.Signal) {
	_ = syscall.Kill(-p.cmd.Process.Pid, signal) // it may be gone, which is what is wanted
}

// stop implements link.
func (p *process) stop(gently bool) string {
	_ = p.in.Close()
	if gently && !p.within(p.grace) {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.within(p.grace)
	}
	select {
	case <-p.gone:
	default:
		p.signal(syscall.SIGKILL)
		<-p.gone
	}
	p.shut.Do(p.drain)
	return p.state
}

// within waits so long for the end of the process.
func (p *process) within(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.gone:
		return true
	case <-timer.C:
		return false
	}
}

// drain lets the readers of the process read what it has left, and then closes what they read from.
func (p *process) drain() {
	until := time.Now().Add(afterlife)
	for _, out := range p.outs {
		_ = out.SetReadDeadline(until)
	}
	p.read.Wait()
	_ = p.outs[1].Close() // the other one is closed by its reader
}
