package cyborgclient_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// A bind stops in the middle, or works and is answered with an error: the error
// tells the state of each ARQ.
func TestFailedBindTellsTheStates(t *testing.T) {
	t.Parallel()
	bindings := []cyborgclient.Binding{
		{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance},
		{ARQ: arq2, Hostname: "cn1", DeviceRP: provider, Instance: instance},
		{ARQ: arq3, Hostname: "cn1", DeviceRP: provider, Instance: instance},
	}
	arq := func(uuid, state, host, rp string) string {
		return fmt.Sprintf(`{"uuid": %q, "state": %q, "hostname": %q, "device_rp_uuid": %q, "instance_uuid": %q, "device_profile_group_id": 0}`, uuid, state, host, rp, instance)
	}
	bound := func(uuid string) string { return arq(uuid, "Bound", "cn1", provider) }
	other := "11111111-1111-1111-1111-111111111111"
	const nova = "Bad API response from Nova for os-server-external-events API. Details: x"
	tests := []struct {
		name   string
		status int
		fault  string
		arqs   []string // as the server lists them
		read   int      // status of the list, 200 when 0
		states []string
		bound  bool
		text   string
	}{
		{
			name: "stopped in the middle", status: 404, fault: "AttachHandle not found", arqs: []string{bound(arq1), arq(arq2, "BindFailed", "cn1", provider)},
			states: []string{arq1 + " Bound", arq2 + " BindFailed", arq3 + " "}, text: "404 AttachHandle not found (1 of 3 ARQs are bound)",
		},
		{
			name: "unknown provider", status: 404, fault: "Deployable not found", arqs: []string{arq(arq1, "BindStarted", "cn1", provider)},
			states: []string{arq1 + " BindStarted", arq2 + " ", arq3 + " "}, text: "(0 of 3 ARQs are bound)",
		},
		{
			name: "Nova refused the event", status: 400, fault: nova, arqs: []string{bound(arq3), bound(arq1), bound(strings.ToUpper(arq2))},
			states: []string{arq1 + " Bound", strings.ToUpper(arq2) + " Bound", arq3 + " Bound"}, bound: true, text: "(3 of 3 ARQs are bound)",
		},
		{
			name: "bound elsewhere", status: 400, fault: nova, arqs: []string{bound(arq1), arq(arq2, "Bound", "cn2", provider), arq(arq3, "Bound", "cn1", other)},
			states: []string{arq1 + " Bound", arq2 + " Bound", arq3 + " Bound"}, text: "(1 of 3 ARQs are bound)",
		},
		{
			name: "the instance has others", status: 400, fault: "Couldn't apply patch. Reason: Instance i already has accelerator requests", arqs: []string{bound(other)},
			states: []string{arq1 + " ", arq2 + " ", arq3 + " ", other + " Bound"}, text: "(0 of 3 ARQs are bound)",
		},
		{name: "they cannot be read", status: 500, fault: "x", read: 500, text: "500 x (request req-1)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					respond(max(tt.read, http.StatusOK), `{"arqs": [`+strings.Join(tt.arqs, ",")+`]}`)(w, r)
					return
				}
				respond(tt.status, `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"`+tt.fault+`\"}"}`)(w, r)
			})
			var failure *cyborgclient.Error
			require.ErrorAs(t, client.Bind(t.Context(), bindings), &failure)
			assert.Equal(t, tt.status, failure.StatusCode)
			var states []string
			for _, arq := range failure.ARQs {
				states = append(states, arq.UUID+" "+string(arq.State))
			}
			assert.Equal(t, tt.states, states)
			assert.Equal(t, tt.bound, failure.AllBound())
			assert.Contains(t, failure.Error(), tt.text)
			assert.Equal(t, "GET /accelerator/v2/accelerator_requests?instance="+instance, server.lines()[1])
		})
	}
}

// The answer to a bind is lost, and the ARQ is bound.
func TestLostAnswerToABind(t *testing.T) {
	t.Parallel()
	s := &server{handler: respond(http.StatusOK, `{"arqs": [{"uuid": "`+arq1+`", "state": "Bound", "hostname": "cn1", "device_rp_uuid": "`+provider+`", "instance_uuid": "`+instance+`", "device_profile_group_id": 0}]}`)}
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://cyborg.example"),
		cyborgclient.WithTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPatch {
				return nil, io.ErrUnexpectedEOF
			}
			return s.RoundTrip(r)
		})))
	require.NoError(t, err)
	var failure *cyborgclient.Error
	require.ErrorAs(t, bindOne(t.Context(), client), &failure)
	require.ErrorIs(t, failure, cyborgclient.ErrUnreachable)
	assert.True(t, failure.AllBound())
}

// A failed unbind tells the states too, of ARQs of several instances.
func TestFailedUnbindTellsTheStates(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			respond(http.StatusOK, `{"arqs": [{"uuid": "`+arq2+`", "state": "Bound"}, {"uuid": "`+arq1+`", "state": "Unbound"}, {"uuid": "`+instance+`", "state": "Bound"}]}`)(w, r)
			return
		}
		respond(http.StatusInternalServerError, `{"error_message": "{\"faultcode\": \"Server\", \"faultstring\": \"'UnbindFailed'\"}"}`)(w, r)
	})
	var failed *cyborgclient.Error
	require.ErrorAs(t, client.Unbind(t.Context(), arq1, arq2, arq3), &failed)
	require.Len(t, failed.ARQs, 3)
	for i, want := range []cyborgclient.ARQState{"Unbound", "Bound", ""} {
		assert.Equal(t, want, failed.ARQs[i].State)
	}
	require.ErrorContains(t, failed, "(1 of 3 ARQs are unbound)")
	assert.False(t, failed.AllBound())
	assert.Equal(t, "GET /accelerator/v2/accelerator_requests", server.lines()[1])
}

// hang never answers.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// When the deadline ends a bind, what became of it is still read, for a while.
func TestBindThatItsDeadlineEnds(t *testing.T) {
	t.Parallel()
	for _, hangs := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			bound := &server{handler: respond(http.StatusOK, `{"arqs": [{"uuid": "`+arq1+`", "state": "Bound", "hostname": "cn1", "device_rp_uuid": "`+provider+`", "instance_uuid": "`+instance+`"}]}`)}
			client, _ := newClient(t, nil, cyborgclient.WithTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPatch || hangs {
					return hang(r)
				}
				return bound.RoundTrip(r)
			})))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			failed := failure(t, bindOne(ctx, client), context.DeadlineExceeded)
			assert.Equal(t, !hangs, failed.AllBound())
			want := time.Second
			if hangs {
				want += 5 * time.Second
			}
			assert.Equal(t, want, time.Since(start))
		})
	}
}

// A caller who has given up does not wait for the ARQs.
func TestCancelledBind(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		respond(http.StatusInternalServerError, "")(w, r)
	})
	var failure *cyborgclient.Error
	require.ErrorAs(t, bindOne(ctx, client), &failure)
	assert.Nil(t, failure.ARQs)
	assert.False(t, failure.AllBound())
	assert.Len(t, server.sent, 1)
}

func TestBindThatWasNotSentReadsNothing(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, release{`{"id": "v2.0", "max_version": "2.0", "min_version": "2.0"}`, standard}.ServeHTTP)
	err := client.Bind(t.Context(), []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance, Project: project}})
	require.ErrorIs(t, err, cyborgclient.ErrVersion)
	assert.Len(t, server.sent, 1)
}
