package execcloud

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestServeAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, asked, want string }{
		{
			"handshake", `{"id":1,"method":"capabilities","params":{"protocols":[1,2]}}`,
			`{"id":1,"result":{"protocol":1,"methods":["servers","limits","create","delete","stop","start"]}}`,
		},
		{
			"other protocols", `{"id":1,"method":"capabilities","params":{"protocols":[2]}}`,
			`{"id":1,"error":{"class":"unsupported","detail":"not supported: protocols [2]; this plugin speaks 1"}}`,
		},
		{"servers", `{"id":2,"method":"servers","params":{"pool":"farm"}}`, `{"id":2,"result":{"servers":[],"complete":true}}`},
		{"limits", `{"id":3,"method":"limits","timeout_ms":1000,"params":{}}`, `{"id":3,"result":{"total":{"vms":2},"free":{}}}`},
		{
			"create", `{"id":4,"method":"create","params":{"spec":{"pool":"farm","vm":"a","class":{"name":"cpu"}}}}`,
			`{"id":4,"result":{"server":{"id":"id-a","vm":"a","pool":"farm","class":"cpu","status":"active"}}}`,
		},
		{"delete of what is gone", `{"id":5,"method":"delete","params":{"server":{"id":"id-z"}}}`, `{"id":5,"result":{}}`},
		{
			"slow create", `{"id":6,"method":"create","timeout_ms":1,"params":{"spec":{"pool":"farm","vm":"b","class":{"name":"slow"}}}}`,
			`{"id":6,"error":{"class":"unknown_outcome","detail":"context deadline exceeded"}}`,
		},
		{"no such method", `{"id":7,"method":"explode","params":{}}`, `{"id":7,"error":{"class":"unsupported","detail":"not supported: method \"explode\""}}`},
		{"no params", `{"id":8,"method":"create"}`, `{"id":8,"error":{"class":"invalid","detail":"invalid class: params are missing"}}`},
		{
			"params of wrong type", `{"id":9,"method":"delete","params":{"server":7}}`,
			`{"id":9,"error":{"class":"invalid","detail":"invalid class: params: json: cannot unmarshal number into Go struct field serverParams.server of type elasticpool.Server"}}`,
		},
		{"no method", `{"id":10}`, `{"id":10,"error":{"class":"invalid","detail":"request 10 has no method"}}`},
		{"no id", `{"method":"limits"}`, `{"id":0,"error":{"class":"invalid","detail":"request with id 0: must be above 0"}}`},
		{"negative time", `{"id":11,"method":"limits","timeout_ms":-1}`, `{"id":11,"error":{"class":"invalid","detail":"request 11: timeout_ms is negative"}}`},
		{"no JSON", `hello`, `{"id":0,"error":{"class":"invalid","detail":"not a request: invalid character 'h' looking for beginning of value"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.NoError(t, Serve(t.Context(), strings.NewReader(test.asked+"\n"), &out, newMemory()))
			assert.Equal(t, test.want+"\n", out.String())
		})
	}
}

// What has been asked is done and answered though no more can be asked.
func TestServeFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		asked := strings.Repeat(`{"id":1,"method":"create","timeout_ms":60000,"params":{"spec":{"pool":"farm","vm":"a"}}}`+"\n", 3*parallel)
		slow := &sleeper{memory: newMemory(), sleep: time.Second}
		began := time.Now()
		require.NoError(t, Serve(t.Context(), strings.NewReader(asked+`{"id":2,"meth`), &out, slow))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		assert.Len(t, lines, 3*parallel, "and the half of a line is no request")
		assert.Equal(t, 3*time.Second, time.Since(began), "so many at the same time")
		assert.Equal(t, 3*parallel, count(lines, `{"id":1,"result":{"server":{"id":"id-a","vm":"a","pool":"farm","class":"","status":"active"}}}`))
	})
}

func count(lines []string, want string) int {
	return len(lines) - len(slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == want }))
}

// sleeper takes its time for a create.
type sleeper struct {
	*memory
	sleep time.Duration
}

func (s *sleeper) Create(ctx context.Context, spec elasticpool.ServerSpec) (elasticpool.Server, error) {
	select {
	case <-time.After(s.sleep):
		return s.memory.Create(ctx, spec)
	case <-ctx.Done():
		return elasticpool.Server{}, ctx.Err()
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, feed := io.Pipe()
		var out bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, in, &out, &sleeper{memory: newMemory(), sleep: time.Hour}) }()
		_, err := io.WriteString(feed, `{"id":1,"method":"create","params":{"spec":{"pool":"farm","vm":"a"}}}`+"\n")
		require.NoError(t, err)
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		assert.JSONEq(t, `{"id":1,"error":{"class":"unknown_outcome","detail":"context canceled"}}`, out.String())
		_, err = io.WriteString(feed, "late\n")
		require.NoError(t, err)
		require.NoError(t, feed.Close())
		synctest.Wait()
		assert.NotContains(t, out.String(), "late", "nothing is written after the end")
	})
}

func TestServeEndsWhenNobodyHears(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	defer feed.Close()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), in, deafWriter{}, newMemory()) }()
	_, err := io.WriteString(feed, `{"id":1,"method":"limits","params":{}}`+"\n")
	require.NoError(t, err)
	require.ErrorContains(t, <-ended, "write answers: nobody is there")
}

type deafWriter struct{}

func (deafWriter) Write([]byte) (int, error) { return 0, errors.New("nobody is there") }

func TestServeTellsOfABrokenInput(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	require.NoError(t, feed.CloseWithError(errors.New("torn")))
	require.EqualError(t, Serve(t.Context(), in, io.Discard, newMemory()), "read requests: torn")
}

// The detail of an error is the cloud's own words; class and operation are not said twice.
func TestErrorsOnTheWire(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	cloud := func(class error, detail string, err error) error {
		return &elasticpool.CloudError{Op: "create x", Class: class, Detail: detail, Err: err}
	}
	for _, test := range []struct {
		name   string
		ctx    context.Context
		method string
		err    error
		want   wireError
	}{
		{"detail", t.Context(), MethodCreate, cloud(elasticpool.ErrQuota, "full", io.EOF), wireError{"quota", "full"}},
		{"cause", t.Context(), MethodCreate, cloud(elasticpool.ErrCapacity, "", io.EOF), wireError{"capacity", "EOF"}},
		{"class alone", t.Context(), MethodCreate, cloud(elasticpool.ErrInvalid, "", nil), wireError{"invalid", ""}},
		{"any", t.Context(), MethodCreate, io.EOF, wireError{"transient", "EOF"}},
		{"create out of time", over, MethodCreate, io.EOF, wireError{"unknown_outcome", "EOF"}},
		{"list out of time", over, MethodServers, io.EOF, wireError{"transient", "EOF"}},
		{"create out of time, surely not done", over, MethodCreate, cloud(elasticpool.ErrTransient, "", nil), wireError{"transient", ""}},
		{"long", t.Context(), MethodStop, errors.New(strings.Repeat("é", maxDetail)), wireError{"transient", strings.Repeat("é", maxDetail/2) + " …"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, *errorOf(test.ctx, test.method, test.err))
		})
	}
}
