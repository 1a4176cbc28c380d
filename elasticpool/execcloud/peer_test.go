package execcloud

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testLine is how long a line may be in these tests.
const testLine = 100_000

// peer is a plugin without a process, that follows a script.
type peer struct {
	t    *testing.T
	in   *lineReader
	out  io.Writer
	runs int // how often a plugin was started before
}

// hello answers the handshake.
func (p *peer) hello() bool {
	asked, ok := p.next()
	if ok {
		p.say(`{"id":%d,"result":{"protocol":1,"methods":["servers","limits","create","delete","stop","start"]}}`, asked.ID)
	}
	return ok
}

// next returns the next request; it is false when there is none any more.
func (p *peer) next() (request, bool) {
	line, err := p.in.next()
	if err != nil {
		return request{}, false
	}
	var asked request
	require.NoError(p.t, json.Unmarshal(line, &asked))
	return asked, true
}

// say writes a line.
func (p *peer) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", args...) // the other side may have gone
}

// created gives the right answer to a create of that VM.
func (p *peer) created(id int64, vm string) {
	p.say(`{"id":%d,"result":{"server":{"id":"s-%s","vm":"%s","pool":"farm","class":"cpu","status":"active"}}}`, id, vm, vm)
}

// scripted returns a Plugin whose processes follow a script, and what it logs. A process ends with its script.
func scripted(t *testing.T, script func(p *peer), options ...Option) (*Plugin, *journal) {
	t.Helper()
	logged := &journal{}
	c := defaults()
	c.line = testLine
	c.log = slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, option := range options {
		require.NoError(t, option(&c))
	}
	runs := 0
	plugin := newPlugin("scripted", c, func() (link, error) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		p := &peer{t: t, in: newLineReader(inR, maxLine), out: outW, runs: runs}
		runs++
		done := make(chan struct{})
		go func() {
			defer close(done)
			script(p)
			_ = inR.Close()
			_ = outW.Close()
		}()
		return link{in: inW, out: outR, stop: func(bool) string {
			_, _, _, _ = inR.Close(), inW.Close(), outR.Close(), outW.Close()
			return "exit status 0"
		}}, nil
	})
	t.Cleanup(func() { require.NoError(t, plugin.Close()) })
	return plugin, logged
}

// journal is a log that a test can read at any time.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// await waits until the log has a text, and returns the rest of its line.
func (j *journal) await(t *testing.T, text string) string {
	t.Helper()
	var rest string
	require.Eventually(t, func() bool {
		_, after, found := strings.Cut(j.String(), text)
		rest, _, _ = strings.Cut(after, "\n")
		return found
	}, 10*time.Second, 5*time.Millisecond, "log without %q", text)
	return rest
}
