package cyborgclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{
			name: "fault with traceback", status: 404,
			body: `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"Deployable not found with resource provider uuid=x\\nTraceback (most recent call last):\\n  File\\n\", \"debuginfo\": null}"}`,
			want: "list ARQs: 404 Deployable not found with resource provider uuid=x (request req-1)",
		},
		{
			name: "service token", status: 403,
			body: `{"error_message": "{\"faultstring\": \"This operation requires a service token. Use the Compute API to manage instance accelerators.\"}"}`,
			want: "list ARQs: 403 This operation requires a service token. Use the Compute API to manage instance accelerators. (the server demands a service token; make the client with one, for example WithServiceCloud) (request req-1)",
		},
		{name: "routing", status: 405, body: `{"error_message": "{\"code\": 405, \"title\": \"Method Not Allowed\", \"description\": \"\"}"}`, want: "list ARQs: 405 Method Not Allowed (this Cyborg does not have the operation at that path: look at the endpoint) (request req-1)"},
		{name: "description", status: 400, body: `{"error_message": "{\"code\": 400, \"title\": \"Bad Request\", \"description\": \"bad bytes\"}"}`, want: "list ARQs: 400 bad bytes (request req-1)"},
		{name: "plain text inside", status: 406, body: `{"error_message": "The format is not acceptable"}`, want: "list ARQs: 406 The format is not acceptable (request req-1)"},
		{name: "page inside", status: 406, body: `{"error_message": "<html><body>no</body></html>"}`, want: "list ARQs: 406 Not Acceptable (request req-1)"},
		{name: "null inside", status: 423, body: `{"error_message": "null"}`, want: "list ARQs: 423 Locked (request req-1)"},
		{name: "not wrapped into a string", status: 400, body: `{"error_message": {"faultstring": "flat"}}`, want: "list ARQs: 400 flat (request req-1)"},
		{name: "Keystone", status: 401, body: `{"error": {"code": 401, "title": "Unauthorized", "message": "log in"}}`, want: "list ARQs: 401 log in (request req-1)"},
		{name: "a proxy's page", status: 500, body: `<html>`, want: "list ARQs: 500 Internal Server Error (request req-1)"},
		{name: "a proxy's text", status: 500, body: "upstream is gone\n", want: "list ARQs: 500 upstream is gone (request req-1)"},
		{name: "nothing", status: 500, want: "list ARQs: 500 Internal Server Error (request req-1)"},
		{name: "a list", status: 500, body: `[]`, want: "list ARQs: 500 [] (request req-1)"},
		{name: "success that is no JSON", status: 200, body: `<html>`, want: "list ARQs: invalid answer: invalid character '<' looking for beginning of value"},
		{name: "success of another service", status: 200, body: `{}`, want: `list ARQs: invalid answer: it has no "arqs": is this the endpoint of Cyborg?`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, _ := newClient(t, respond(tt.status, tt.body))
			_, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
			require.EqualError(t, err, tt.want)
		})
	}
}

func FuzzFaultText(f *testing.F) {
	for _, seed := range []string{
		`{"error_message": "{\"faultstring\": \"x\\nTraceback (most recent call last):\"}"}`, `{"error_message": "null"}`,
		`{"error_message": null}`, `{"error": "x"}`, `{"error": {"message": 1}}`, `null`, `"x"`, `<html>`, "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		client, _ := newClient(t, respond(http.StatusBadRequest, body))
		_, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
		var failure *cyborgclient.Error
		require.ErrorAs(t, err, &failure)
		assert.NotEmpty(t, failure.Fault)
		assert.NotContains(t, failure.Fault, "Traceback (most recent call last)")
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed at once
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://"+listener.Addr().String()),
		cyborgclient.WithRetries(1, time.Millisecond, time.Millisecond))
	require.NoError(t, err)
	_, err = client.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.ErrorIs(t, err, cyborgclient.ErrUnreachable)
	var op *net.OpError
	require.ErrorAs(t, err, &op, "the cause must be reachable")
}

func TestCancelledCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		client, server := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "45")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, cyborgclient.WithRetries(5, time.Second, time.Hour))
		start := time.Now()
		_, err := client.ARQs(ctx, cyborgclient.ARQFilter{})
		require.Equal(t, http.StatusServiceUnavailable, failure(t, err, cyborgclient.ErrUnavailable).StatusCode, "a wait beyond the deadline is not begun")
		require.NotErrorIs(t, err, cyborgclient.ErrUnreachable)
		assert.Equal(t, 45*time.Second, time.Since(start))
		assert.Len(t, server.sent, 2)

		client, _ = newClient(t, nil, cyborgclient.WithTransport(roundTripFunc(hang)))
		_, err = client.ARQs(ctx, cyborgclient.ARQFilter{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, cyborgclient.ErrUnreachable)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

// An answer that only says "not now" has its own kind.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 502, 503, 504} {
		client, _ := newClient(t, respond(status, "<html>"), cyborgclient.WithRetries(1, 0, 0))
		for _, err := range []error{only(client.ARQs(t.Context(), cyborgclient.ARQFilter{})), bindOne(t.Context(), client)} {
			assert.Equal(t, status, failure(t, err, cyborgclient.ErrUnavailable).StatusCode)
			assert.False(t, failure(t, err, cyborgclient.ErrUnavailable).RetryElsewhere())
		}
	}
}

// An error's text stays readable, whatever the answer was.
func TestLongFaults(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, respond(http.StatusBadRequest, strings.Repeat("é", 5000)))
	err := only(client.ARQs(t.Context(), cyborgclient.ARQFilter{}))
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 1100)
	assert.True(t, utf8.ValidString(err.Error()))
}

// The bind is repeated with the same body, and only where it surely did not run.
func TestBindIsRepeatedOnlyWhenItDidNotRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		status     int
		retryAfter string
		sent       int
	}{
		{name: "503 with Retry-After", status: 503, retryAfter: "5", sent: 2},
		{name: "503", status: 503, sent: 1},
		{name: "504", status: 504, sent: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet { // the client looks what a failed bind left behind
						respond(http.StatusOK, `{"arqs": []}`)(w, r)
						return
					}
					if calls++; calls > 1 {
						w.WriteHeader(http.StatusAccepted)
						return
					}
					w.Header().Set("Retry-After", tt.retryAfter)
					w.WriteHeader(tt.status)
				})
				err := client.Bind(t.Context(), []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance}})
				require.Equal(t, tt.sent, calls)
				if tt.sent == 1 {
					require.Error(t, err)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, server.sent[0].Body, server.sent[1].Body)
			})
		})
	}
}

func TestConnectError(t *testing.T) {
	t.Parallel()
	_, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("nowhere"))
	var failure *cyborgclient.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, "connect to Cyborg", failure.Op)
	require.ErrorContains(t, err, "the endpoint of WithEndpoint is no http or https URL")
}

func TestRetryElsewhere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  cyborgclient.Error
		want bool
	}{
		{name: "unknown provider", err: cyborgclient.Error{StatusCode: 404, Fault: "Deployable not found with resource provider uuid=x"}, want: true},
		{name: "unknown provider, in Train", err: cyborgclient.Error{StatusCode: 500, Fault: "No row was found for one()"}, want: true},
		{name: "no device free", err: cyborgclient.Error{StatusCode: 404, Fault: "AttachHandle not found Matching deployable_id 1"}, want: true},
		{name: "agent silent", err: cyborgclient.Error{StatusCode: 500, Fault: "Remote error: MessagingTimeout Timed out"}, want: true},
		{name: "programming failed", err: cyborgclient.Error{StatusCode: 500, Fault: "FPGA programming failed with return False."}, want: true},
		{name: "unknown ARQ", err: cyborgclient.Error{StatusCode: 404, Fault: "ExtArq not found with uuid=x"}},
		{name: "instance has ARQs", err: cyborgclient.Error{StatusCode: 400, Fault: "already has accelerator requests"}},
		{name: "no answer", err: cyborgclient.Error{Err: errors.ErrUnsupported}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, tt.err.RetryElsewhere())
		})
	}
}

// A large answer arrives whole although both contexts have deadlines.
func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	arqs := make([]cyborgclient.ARQ, 4000)
	for i := range arqs {
		arqs[i] = cyborgclient.ARQ{UUID: arq1, State: cyborgclient.StateInitial, DeviceProfileGroupID: i}
	}
	body, err := json.Marshal(map[string]any{"arqs": arqs})
	require.NoError(t, err)
	require.Greater(t, len(body), 1<<20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, _ := newClient(t, respond(http.StatusOK, string(body)))
	got, err := client.ARQs(ctx, cyborgclient.ARQFilter{})
	require.NoError(t, err)
	require.Len(t, got, len(arqs))
	assert.Equal(t, len(arqs)-1, got[len(arqs)-1].DeviceProfileGroupID)
}
