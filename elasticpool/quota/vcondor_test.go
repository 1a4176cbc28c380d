package quota_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// dialed is the client's end of a connection that a Server answers.
type dialed struct {
	net.Conn

	lines *bufio.Reader
}

// connect has the server answer one in-memory connection; it ends with the test.
func connect(t *testing.T, s *quota.Server) dialed {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.ServeConn(ctx, theirs) }()
	t.Cleanup(func() { cancel(); _ = ours.Close(); <-done })
	return wrap(ours)
}

func wrap(conn net.Conn) dialed { return dialed{Conn: conn, lines: bufio.NewReader(conn)} }

// say sends a line and returns the answer.
func (d dialed) say(t *testing.T, line string) string {
	t.Helper()
	_, err := d.Write([]byte(line + "\n"))
	require.NoError(t, err)
	answer, err := d.lines.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(answer)
}

// newServer returns a server over a pool of 1000 with the slides' queues.
func newServer(t *testing.T, opts ...quota.ServerOption) (*quota.Server, *quota.Ledger) {
	t.Helper()
	l := newLedger(t, 1000, map[string]quota.Usage{"LHAASO": {Running: 20, Fair: 70}, "juno": {Fair: 50}})
	s, err := quota.NewServer(l, opts...)
	require.NoError(t, err)
	return s, l
}

// oldClientAccepts is the check of VCondor's client: every key that its configuration names is there with exactly the
// type that it names; other keys do not matter.
func oldClientAccepts(t *testing.T, answer string) map[string]any {
	t.Helper()
	var message map[string]any
	d := json.NewDecoder(strings.NewReader(answer))
	d.UseNumber()
	require.NoError(t, d.Decode(&message))
	for key, kind := range map[string]string{"ResID": "unicode", "MIN": "int", "AVAILABLE": "int"} {
		require.Contains(t, message, key)
		switch kind {
		case "unicode":
			require.IsType(t, "", message[key])
		case "int":
			number, ok := message[key].(json.Number)
			require.True(t, ok, "%s is %T", key, message[key])
			require.NotContains(t, number.String(), ".", "Python would read a float")
			_, err := number.Int64()
			require.NoError(t, err)
		}
	}
	return message
}

func TestOldClientOfVCondor(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	c := connect(t, s)
	for _, line := range []string{`{"ResID": "juno"}`, `{"ResID": "nobody"}`, `null`, `{`, `{"ResID": "juno", "WANT": 3}`} {
		oldClientAccepts(t, c.say(t, line))
	}
	message := oldClientAccepts(t, c.say(t, `{"ResID": "juno"}`))
	assert.Equal(t, "JUNO", message["ResID"], "the queue comes back in upper case")
	assert.Equal(t, json.Number("100"), message["MIN"])
	assert.Equal(t, json.Number("47"), message["AVAILABLE"])
}

func TestVCondorUnknownQueueBlocksForEver(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	c := connect(t, s)
	assert.JSONEq(t, `{"ResID":"HXMT","MIN":0,"AVAILABLE":0,"MAX":0,"USED":0,"FAIR":0,
		"ERROR":"query the quota for queue \"hxmt\": no such queue"}`, c.say(t, `{"ResID":"hxmt"}`))
}

func TestVCondorSecondRequestTypeError(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	c := connect(t, s)
	first := c.say(t, `{"ResID":"LHAASO"}`)
	assert.Equal(t, first, c.say(t, `{"ResID":"LHAASO"}`), "the same connection")
	assert.Equal(t, first, connect(t, s).say(t, `{"ResID":"LHAASO"}`), "another connection")
}

func TestVCondorArrayForm(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	c := connect(t, s)
	assert.Equal(t, "["+c.say(t, `{"ResID":"juno"}`)+"]", c.say(t, `[{"ResID":"juno"}]`))
	assert.JSONEq(t, `[{"ResID":"","MIN":0,"AVAILABLE":0,"MAX":0,"USED":0,"FAIR":0,
		"ERROR":"request is not understood: the array has 0 elements instead of one"}]`, c.say(t, `[]`))
}

func TestVCondorBadRequestDropsTheConnection(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	c := connect(t, s)
	for _, line := range []string{`null`, `{"ResID":`, `7`, `{"ResID":["juno"]}`} {
		message := oldClientAccepts(t, c.say(t, line))
		assert.Contains(t, message["ERROR"], "request is not understood")
	}
	assert.Contains(t, c.say(t, `{"ResID":"juno"}`), `"AVAILABLE":50`, "the connection still serves")
}

func TestVCondorUpperThresholdNeverSent(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	assert.JSONEq(t, `{"ResID":"LHAASO","MIN":100,"AVAILABLE":50,"MAX":400,"USED":20,"FAIR":70}`, connect(t, s).say(t, `{"ResID":"lhaaso"}`))
}

func TestVCondorEmptyLineCloses(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	c := connect(t, s)
	_, err := c.Write([]byte(" \r\n"))
	require.NoError(t, err)
	_, err = c.lines.ReadByte()
	assert.Error(t, err)
}

// VCondor's client never closes, and its service waits for ever: one thread leaked with each round.
func TestVCondorSilentClientsPileUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := newServer(t)
		c := connect(t, s)
		c.say(t, `{"ResID":"juno"}`)
		begin := time.Now()
		_, err := c.lines.ReadByte()
		require.Error(t, err, "the service hangs up")
		assert.Equal(t, 30*time.Second, time.Since(begin))
	})
}

func TestLeasesOnALine(t *testing.T) {
	t.Parallel()
	s, l := newServer(t)
	c := connect(t, s)
	var r quota.Response
	require.NoError(t, json.Unmarshal([]byte(c.say(t, `{"ResID":"juno","WANT":9,"CLASS":"gpu","TTL":60}`)), &r))
	assert.Equal(t, quota.Response{ResID: "JUNO", Min: 100, Available: 9, Max: 400, Fair: 50, Lease: r.Lease, TTL: 60}, r)
	require.Len(t, l.Leases(), 1)
	assert.Equal(t, "gpu", l.Leases()[0].Class)
	assert.Equal(t, r.Lease, l.Leases()[0].ID)

	assert.Contains(t, c.say(t, `{"ResID":"juno","RELEASE":2}`), `"AVAILABLE":43`)
	assert.Contains(t, c.say(t, `{"ResID":"juno","RELEASE":"`+r.Lease+`"}`), `"AVAILABLE":43`, "not before the next observation")
	assert.Contains(t, c.say(t, `{"ResID":"juno","RELEASE":"`+r.Lease+`"}`), `no such lease in force`)
	assert.Contains(t, c.say(t, `{"ResID":"nobody","RELEASE":1}`), `no such queue`)
	assert.Contains(t, c.say(t, `{"ResID":"nobody","WANT":1}`), `no such queue`)

	full := c.say(t, `{"ResID":"LHAASO","WANT":99}`)
	assert.Contains(t, full, `"AVAILABLE":50`)
	none := c.say(t, `{"ResID":"LHAASO","WANT":1}`)
	assert.Contains(t, none, `"AVAILABLE":0`)
	assert.NotContains(t, none, "LEASE")
}
