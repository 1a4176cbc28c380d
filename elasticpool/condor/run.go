package condor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// call is one run of a tool.
type call struct {
	op    string // for errors
	tool  string
	args  []string
	stdin string
	read  func(io.Reader) error // reads what it prints; nil: it is only kept for errors
}

// argv returns the command line of a call.
func (p *Pool) argv(c call) []string {
	argv := append([]string{path.Join(p.config.Bin, c.tool)}, c.args...)
	if p.config.Shell {
		for i, argument := range argv {
			argv[i] = shellQuote(argument)
		}
	}
	return append(append([]string(nil), p.config.Command...), argv...)
}

// run runs a tool. Nothing that it printed counts unless it ended well.
func (p *Pool) run(ctx context.Context, c call) error {
	timed, cancel := context.WithTimeout(ctx, p.config.Timeout.D())
	defer cancel()
	cmd := p.command(timed, c)
	var stderr, said head
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return &Error{Op: c.op, Class: ErrFailed, Err: err}
	}
	// Not even a child that has left the group holds the pipe for ever.
	stop := context.AfterFunc(timed, func() {
		time.AfterFunc(cmd.WaitDelay, func() { _ = stdout.Close() })
	})
	defer stop()
	readErr := consume(&limited{from: io.TeeReader(stdout, &said), left: p.config.MaxOutput}, c.read)
	if errors.Is(readErr, ErrTooLarge) {
		cancel()
	}
	waitErr := cmd.Wait()
	switch {
	case errors.Is(readErr, ErrTooLarge):
		return &Error{Op: c.op, Class: ErrTooLarge, Detail: fmt.Sprintf("more than %d bytes", p.config.MaxOutput)}
	case ctx.Err() != nil:
		return &Error{Op: c.op, Class: ErrFailed, Err: context.Cause(ctx)}
	case timed.Err() != nil:
		return &Error{Op: c.op, Class: ErrTimeout, Detail: "more than " + p.config.Timeout.String()}
	case waitErr != nil:
		return failure(c.op, waitErr, stderr.String()+"\n"+said.String())
	case complaint.MatchString(stderr.String()):
		return failure(c.op, errors.New("it ended with 0 but complains"), stderr.String())
	case readErr != nil:
		return &Error{Op: c.op, Class: ErrOutput, Err: readErr, Detail: shorten(said.String())}
	}
	return nil
}

// command returns the process of a call. When its time is over all of its processes are ended: a prefix such as a
// script has children, which hold the pipes open.
func (p *Pool) command(ctx context.Context, c call) *exec.Cmd {
	argv := p.argv(c)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // the tools that the configuration names
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	cmd.Stdin = strings.NewReader(c.stdin)
	return cmd
}

// complaint is what a tool that met an error prints on its standard error; warnings and banners differ.
var complaint = regexp.MustCompile(`(?im)^\s*error\b`)

// consume lets read have the output, and reads the rest so that the tool can end by itself.
func consume(output io.Reader, read func(io.Reader) error) error {
	var err error
	if read != nil {
		err = read(output)
	}
	if _, drained := io.Copy(io.Discard, output); err == nil || errors.Is(drained, ErrTooLarge) {
		err = drained
	}
	return err
}

// failure is the error of a tool that ended badly, with the class that its words tell.
func failure(op string, cause error, said string) error {
	class := ErrFailed
	switch {
	case strings.Contains(said, "error code 10003"): // "Draining check expression is false": see CA_DRAINING_CHECK_FAILED
		class = elasticpool.ErrBusy
	case noDaemon.MatchString(said):
		class = elasticpool.ErrNoWorker
	}
	return &Error{Op: op, Class: class, Err: cause, Detail: shorten(said)}
}

var noDaemon = regexp.MustCompile(`Can't find address for (startd|master|this startd|this master)\b`)

// limited ends with ErrTooLarge after left bytes.
type limited struct {
	from io.Reader
	left int64
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.from.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

// head keeps the first bytes that are written to it.
type head struct{ kept bytes.Buffer }

func (h *head) Write(b []byte) (int, error) {
	const most = 16 << 10
	h.kept.Write(b[:min(len(b), most-min(most, h.kept.Len()))])
	return len(b), nil
}

func (h *head) String() string { return h.kept.String() }
