package virtdriver_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestReceiverAnswersRealCyborg plays what real Cyborgs sent to real Novas, whose instances had no host yet: the answers
// are Nova's in status, headers and body.
func TestReceiverAnswersRealCyborg(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/nova-wire-events.jsonl")
	require.NoError(t, err)
	defer file.Close()
	receiver := newReceiver(t, virtdriver.WithInstances(func(string) virtdriver.InstanceState { return virtdriver.InstanceWithoutHost }))
	count := 0
	for lines := bufio.NewScanner(file); lines.Scan(); count++ {
		var exchange struct {
			Request, Response struct {
				Path, Body string
				Headers    [][2]string
				Status     int
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &exchange))
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, exchange.Request.Path, strings.NewReader(exchange.Request.Body))
		for _, header := range exchange.Request.Headers {
			req.Header.Add(header[0], header[1])
		}
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, req)
		assert.Equal(t, exchange.Response.Status, answer.Code)
		assert.JSONEq(t, exchange.Response.Body, answer.Body.String())
		headers := http.Header{}
		for _, header := range exchange.Response.Headers {
			headers.Add(header[0], header[1])
		}
		assert.Equal(t, headers, answer.Header())
	}
	assert.Equal(t, 8, count)
}

// TestBugLogNothingLeftToWaitFor: a wait for ARQs that are all Bound at its start ends at once (time-outs in a healthy
// system: the set of what was waited for was too wide), and so does one with an ARQ that failed, naming it.
func TestBugLogNothingLeftToWaitFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		got := wait(t, t.Context(), newCyborg(arq(arqA, cyborgclient.StateBound), arq(arqB, cyborgclient.StateBound)), r, want(arqA, arqB))
		require.NoError(t, got.err)
		assert.Zero(t, got.took)
		got = wait(t, t.Context(), newCyborg(arq(arqA, cyborgclient.StateBindStarted), arq(arqB, cyborgclient.StateBindFailed)), r, want(arqA, arqB))
		require.ErrorContains(t, got.err, "ARQ "+arqB+" is not bound (state BindFailed)")
		assert.Zero(t, got.took)
	})
}

// TestBugLogTagsWithDashes: tags are uuids and hold dashes; two waits that are ended together both are.
func TestBugLogTagsWithDashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		c := newCyborg(arq(arqA, cyborgclient.StateBindStarted), arq(arqB, cyborgclient.StateBindStarted))
		ended := make(chan error, 2)
		for _, uuid := range []string{arqA, arqB} {
			w, err := virtdriver.NewWaiter(c, virtdriver.WithReceiver(r))
			require.NoError(t, err)
			go func() {
				_, err := w.Wait(t.Context(), want(uuid))
				ended <- err
			}()
		}
		synctest.Wait()
		assert.Equal(t, 2, r.Waiting())
		require.NoError(t, r.Close())
		for range 2 {
			require.ErrorIs(t, <-ended, virtdriver.ErrReceiverClosed)
		}
		assert.Zero(t, r.Waiting())
	})
}

// TestBugLogEventName: the event's name has hyphens, whatever release notes print, and needs compute 2.82.
func TestBugLogEventName(t *testing.T) {
	t.Parallel()
	body := `{"events":[` + event(server, arqA, "completed") + `]}`
	assert.Equal(t, 200, post(t, newReceiver(t), eventPath, "compute 2.82", body).Code)
	assert.Equal(t, 400, post(t, newReceiver(t), eventPath, "compute 2.81", body).Code)
	assert.Equal(t, 400, post(t, newReceiver(t), eventPath, "compute 2.82", strings.ReplaceAll(body, "request-bound", "request_bound")).Code)
}

// TestBugLogEventBeforeTheHost: Cyborg's event comes while the instance has no host, is refused with 422 and not sent
// again; the wait finds the ARQ bound all the same, at its start or with its next poll.
func TestBugLogEventBeforeTheHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		placed := false
		r := newReceiver(t, virtdriver.WithInstances(func(string) virtdriver.InstanceState {
			return map[bool]virtdriver.InstanceState{false: virtdriver.InstanceWithoutHost, true: virtdriver.InstanceOnHost}[placed]
		}))
		body := `{"events":[` + event(server, arqA, "completed") + `]}`
		c := newCyborg(arq(arqA, cyborgclient.StateBindStarted))
		c.after(3*time.Second, func() {
			c.set(arq(arqA, cyborgclient.StateBound))()
			assert.Equal(t, 207, post(t, r, eventPath, "compute 2.82", body).Code)
		})
		got := wait(t, t.Context(), c, r, want(arqA))
		require.NoError(t, got.err)
		assert.Equal(t, 10*time.Second, got.took)
		placed = true
		assert.Equal(t, 200, post(t, r, eventPath, "compute 2.82", body).Code, "nobody waits any more")
		got = wait(t, t.Context(), c, r, want(arqA))
		require.NoError(t, got.err)
		assert.Zero(t, got.took)
	})
}
