package cyborgclient_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

type traceKey struct{}

func TestHook(t *testing.T) {
	t.Parallel()
	slow := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			next(w, r)
		}
	}
	answers := func(list ...http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			next := list[0]
			list = list[1:]
			next(w, r)
		}
	}
	devices := func(ctx context.Context, c *cyborgclient.Client) error {
		_, err := c.Devices(ctx, cyborgclient.DeviceFilter{})
		return err
	}
	arqs := func(ctx context.Context, c *cyborgclient.Client) error {
		_, err := c.ARQs(ctx, cyborgclient.ARQFilter{})
		return err
	}
	tests := []struct {
		name   string
		server http.HandlerFunc
		call   func(context.Context, *cyborgclient.Client) error
		kind   error
		want   []cyborgclient.Call
	}{
		{
			name: "success", server: slow(respond(200, `{"arqs": []}`)), call: arqs,
			want: []cyborgclient.Call{{Operation: "list ARQs", Method: "GET", Status: 200, Attempts: 1, RequestID: "req-1", Duration: time.Second}},
		},
		{
			name: "repeated", server: slow(answers(respond(503, ""), respond(200, `{"arqs": []}`))), call: arqs,
			want: []cyborgclient.Call{{Operation: "list ARQs", Method: "GET", Status: 200, Attempts: 2, RequestID: "req-1", Duration: 2500 * time.Millisecond}},
		},
		{
			name: "with the version document", server: slow(answers(respond(200, v2Document), respond(200, `{"devices": []}`))), call: devices,
			want: []cyborgclient.Call{
				{Operation: "read versions", Method: "GET", Status: 200, Attempts: 1, RequestID: "req-1", Duration: time.Second},
				{Operation: "list devices", Method: "GET", Status: 200, Attempts: 1, RequestID: "req-1", Duration: time.Second},
			},
		},
		{
			name: "refused", server: respond(403, ""), call: deleteARQs, kind: cyborgclient.ErrForbidden,
			want: []cyborgclient.Call{{Operation: "delete ARQs of an instance", Method: "DELETE", Status: 403, Attempts: 1, RequestID: "req-1"}},
		},
		{
			name: "unusable answer", server: respond(200, `{}`), call: arqs, kind: cyborgclient.ErrInvalidAnswer,
			want: []cyborgclient.Call{{Operation: "list ARQs", Method: "GET", Status: 200, Attempts: 1, RequestID: "req-1"}},
		},
		{
			name: "nothing sent", kind: cyborgclient.ErrInvalid,
			call: func(ctx context.Context, c *cyborgclient.Client) error { return c.Bind(ctx, nil) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var got []cyborgclient.Call
				hook := func(ctx context.Context, call cyborgclient.Call) {
					assert.Equal(t, "trace", ctx.Value(traceKey{}))
					got = append(got, call)
				}
				client, _ := newClient(t, tt.server, cyborgclient.WithHook(hook))
				err := tt.call(context.WithValue(t.Context(), traceKey{}, "trace"), client)
				require.ErrorIs(t, err, tt.kind)
				assert.Empty(t, cmp.Diff(tt.want, got, cmpopts.IgnoreFields(cyborgclient.Call{}, "Service", "Start", "Err")))
				for _, call := range got {
					assert.Equal(t, "accelerator", call.Service)
					assert.False(t, call.Start.IsZero())
					require.ErrorIs(t, call.Err, tt.kind)
				}
			})
		})
	}
}

// A call that nobody answers is told too.
func TestHookWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []cyborgclient.Call
		transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://cyborg.example"), cyborgclient.WithTransport(transport),
			cyborgclient.WithHook(func(_ context.Context, call cyborgclient.Call) { got = append(got, call) }))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = client.ARQs(ctx, cyborgclient.ARQFilter{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, got, 1)
		assert.Zero(t, got[0].Status)
		assert.Equal(t, time.Minute, got[0].Duration)
		require.ErrorIs(t, got[0].Err, context.DeadlineExceeded)
	})
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
