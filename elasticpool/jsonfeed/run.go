package jsonfeed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// document reads what is at a place.
func (f *Feed) document(ctx context.Context, from From) (*document, error) {
	text, err := f.text(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("jsonfeed: %s: %w", from, err)
	}
	return parse(text, from.String())
}

func (f *Feed) text(ctx context.Context, from From) ([]byte, error) {
	switch {
	case from.File != "":
		file, err := os.Open(from.File)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return f.limited(file)
	case from.URL != "":
		return f.get(ctx, from.URL)
	}
	out := &bounded{left: f.config.MaxSize}
	if err := f.run(ctx, from.Command, nil, out); err != nil {
		return nil, err
	}
	return out.text.Bytes(), nil
}

func (f *Feed) get(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := f.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answer is %s", response.Status)
	}
	return f.limited(response.Body)
}

var errTooLarge = errors.New("the document is too large")

// limited reads a document that may not be larger than it may.
func (f *Feed) limited(from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, f.config.MaxSize+1))
	if err == nil && int64(len(text)) > f.config.MaxSize {
		err = errTooLarge
	}
	return text, err
}

// bounded keeps what is written to it, up to a limit.
type bounded struct {
	text bytes.Buffer
	left int64
}

func (b *bounded) Write(text []byte) (int, error) {
	if b.left -= int64(len(text)); b.left < 0 {
		return 0, errTooLarge
	}
	return b.text.Write(text)
}

// run runs a command and ends all of its processes when its time is over.
func (f *Feed) run(ctx context.Context, command []string, stdin io.Reader, stdout io.Writer) error {
	timed, cancel := context.WithTimeout(ctx, f.config.Timeout.D())
	defer cancel()
	cmd := exec.CommandContext(timed, command[0], command[1:]...) //nolint:gosec // the commands that the configuration names
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	stderr := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case timed.Err() != nil:
		return fmt.Errorf("took more than %s", f.config.Timeout)
	case err != nil && stderr.String() != "":
		return fmt.Errorf("%w: %s", err, stderr)
	}
	return err
}

// tail keeps the last words that are written to it.
type tail struct{ kept []byte }

func (t *tail) Write(text []byte) (int, error) {
	const most = 400
	t.kept = append(t.kept, text...)
	t.kept = t.kept[max(0, len(t.kept)-most):]
	return len(text), nil
}

func (t *tail) String() string { return strings.ToValidUTF8(strings.TrimSpace(string(t.kept)), "") }

// action is something that is done to a worker.
type action struct {
	name     string
	command  []string
	worker   elasticpool.Worker
	queue    string
	onlyIdle bool
}

// Exit codes of commands.
const (
	exitBusy     = 3
	exitNoWorker = 4
)

// act runs an action's command.
func (f *Feed) act(ctx context.Context, a action) error {
	op := "jsonfeed: " + a.name + " " + a.worker.Name
	if len(a.command) == 0 {
		return fmt.Errorf("%s: there is no command for it: %w", op, elasticpool.ErrUnsupported)
	}
	stdin, err := json.Marshal(a.worker)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	fill := strings.NewReplacer("{vm}", a.worker.VM, "{name}", a.worker.Name, "{queue}", a.queue, "{only_idle}", strconv.FormatBool(a.onlyIdle))
	command := make([]string, len(a.command))
	for i, argument := range a.command {
		command[i] = fill.Replace(argument)
	}
	err = f.run(ctx, command, bytes.NewReader(stdin), io.Discard)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		switch exit.ExitCode() {
		case exitBusy:
			return fmt.Errorf("%s: %w: %w", op, elasticpool.ErrBusy, err)
		case exitNoWorker:
			return fmt.Errorf("%s: %w: %w", op, elasticpool.ErrNoWorker, err)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return nil
}
