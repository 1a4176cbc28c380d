package placement

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

type traceKey struct{}

// slowly answers requests in turn, each after a second and with a request id of its own.
type slowly []roundTripper

func (s *slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Second)
	next := (*s)[0]
	*s = (*s)[1:]
	response, err := next(r)
	if err == nil {
		response.Header.Set("X-Openstack-Request-Id", "req-"+r.Method)
	}
	return response, err
}

func answerWith(status int, body string) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(body)), Request: r,
		}, nil
	}
}

func TestHook(t *testing.T) {
	t.Parallel()
	const (
		versions = `{"versions": [{"id": "v1.0", "min_version": "1.0", "max_version": "1.37"}]}`
		conflict = `{"errors": [{"status": 409, "code": "placement.concurrent_update", "detail": "x"}]}`
	)
	provider := func(ctx context.Context, c *Client) error {
		_, err := c.Provider(ctx, fuzzHost)
		return err
	}
	found := answerWith(200, `{"uuid": "`+fuzzHost+`", "name": "host", "generation": 1, "parent_provider_uuid": null, "root_provider_uuid": "`+fuzzHost+`"}`)
	claim := func(ctx context.Context, c *Client) error {
		_, err := c.Claim(ctx, newConsumer(), Candidate{Allocations: map[string]map[string]int64{"card": {"FPGA": 1}}})
		return err
	}
	get := func(status, attempts int, duration time.Duration) Call {
		return Call{Operation: "get provider", Method: "GET", Status: status, Attempts: attempts, RequestID: "req-GET", Duration: duration}
	}
	tests := []struct {
		name    string
		answers slowly
		call    func(context.Context, *Client) error
		kind    error
		want    []Call
	}{
		{name: "success", answers: slowly{found}, call: provider, want: []Call{get(200, 1, time.Second)}},
		{
			name: "repeated", answers: slowly{answerWith(503, ""), answerWith(502, ""), found}, call: provider,
			want: []Call{get(200, 3, 3*time.Second+1500*time.Millisecond)},
		},
		{name: "refused", answers: slowly{answerWith(404, "")}, call: provider, kind: ErrNotFound, want: []Call{get(404, 1, time.Second)}},
		{
			name: "conflicts are calls of their own", call: claim,
			answers: slowly{answerWith(409, conflict), answerWith(200, versions), answerWith(200, `{"allocations": {}}`), answerWith(204, "")},
			want: []Call{
				{Operation: "put allocations of a consumer", Method: "PUT", Status: 409, Attempts: 1, RequestID: "req-PUT", Duration: time.Second, Err: ErrConcurrentUpdate},
				{Operation: "read versions", Method: "GET", Status: 200, Attempts: 1, RequestID: "req-GET", Duration: time.Second},
				{Operation: "get allocations of a consumer", Method: "GET", Status: 200, Attempts: 1, RequestID: "req-GET", Duration: time.Second},
				{Operation: "put allocations of a consumer", Method: "PUT", Status: 204, Attempts: 1, RequestID: "req-PUT", Duration: time.Second},
			},
		},
		{
			name: "nothing sent", kind: ErrInvalid,
			call: func(ctx context.Context, c *Client) error { _, err := c.Candidates(ctx, nil); return err },
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var got []Call
				answers := slices.Clone(test.answers)
				c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(&answers), WithRetries(2, 500*time.Millisecond, time.Second),
					WithHook(func(ctx context.Context, call Call) {
						assert.Equal(t, "trace", ctx.Value(traceKey{}))
						assert.Equal(t, "placement", call.Service)
						assert.False(t, call.Start.IsZero())
						got = append(got, call)
					}))
				err := test.call(context.WithValue(t.Context(), traceKey{}, "trace"), c)
				require.ErrorIs(t, err, test.kind)
				assert.Empty(t, cmp.Diff(test.want, got, cmpopts.IgnoreFields(Call{}, "Service", "Start", "Err")))
				for i, call := range got {
					kind := test.kind
					if i < len(test.want) && test.want[i].Err != nil {
						kind = test.want[i].Err
					}
					require.ErrorIs(t, call.Err, kind)
				}
			})
		})
	}
}

// An answer that is of no use, and none at all, are told as failures.
func TestHookOfUselessAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer roundTripper
		status int
	}{
		{"no member of it", answerWith(200, `{}`), 200},
		{"no JSON", answerWith(200, `<html>`), 200},
		{"no answer", func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []Call
			c := newClient(t, WithEndpoint("http://placement.invalid"), WithRetries(0, 0, 0),
				WithTransport(test.answer), WithHook(func(_ context.Context, call Call) { got = append(got, call) }))
			req := request(devices(0, "FPGA", 1))
			err := c.CheckLimits(t.Context(), FixedLimits{"FPGA": 1}, "p", req)
			require.Error(t, err)
			_, failed := c.Provider(t.Context(), "host")
			require.Error(t, failed)
			_, missing := c.ProviderByName(t.Context(), "host")
			require.Error(t, missing)
			require.Len(t, got, 3)
			for i, want := range []error{err, failed} {
				assert.Equal(t, test.status, got[i].Status)
				assert.Equal(t, want, got[i].Err)
			}
		})
	}
}

// wiretap notes what goes over the wire.
type wiretap struct {
	next http.RoundTripper
	seen []Call
}

func (w *wiretap) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(r)
	if err == nil {
		w.seen = append(w.seen, Call{Method: r.Method, Status: response.StatusCode, RequestID: response.Header.Get("X-Openstack-Request-Id"), Attempts: 1})
	}
	return response, err
}

// The hook is told of every request, with the status that the service gave it, under the names that WithHook documents.
func TestHookSeesEveryRequest(t *testing.T) {
	t.Parallel()
	server, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(t, err)
	wire := &wiretap{next: server.Transport()}
	var told []Call
	c := newClient(t, WithEndpoint(server.URL()), WithTransport(wire), WithHook(func(_ context.Context, call Call) { told = append(told, call) }))
	doEverything(t, c)

	require.NotEmpty(t, told)
	assert.Empty(t, cmp.Diff(wire.seen, told, cmpopts.IgnoreFields(Call{}, "Service", "Operation", "Start", "Duration", "Err"),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".RequestID" }, cmp.Comparer(func(a, b string) bool {
			return a == b || a == "" || b == "" // the version document has none
		}))))
	names := make(map[string]bool)
	for _, call := range told {
		names[call.Operation] = true
		assert.Equal(t, call.Status >= 400, call.Err != nil, call.Operation)
		assert.True(t, call.RequestID != "" || call.Operation == "read versions", call.Operation)
	}
	assert.Equal(t, slices.Sorted(slices.Values([]string{
		"read versions", "get allocation candidates", "get usages of a project",
		"get allocations of a consumer", "put allocations of a consumer",
		"list providers", "get provider", "create provider", "move provider", "delete provider",
		"get traits of a provider", "put traits of a provider", "get aggregates of a provider",
		"get inventories of a provider", "put inventories of a provider",
		"get usages of a provider", "get allocations of a provider", "reshape",
		"get resource class", "create resource class", "get trait", "create trait",
	})), slices.Sorted(maps.Keys(names)))
}

// doEverything makes a client send every kind of request.
func doEverything(t *testing.T, c *Client) {
	t.Helper()
	s, _, owned, claims := hostWithGPUs(t, c)
	after := s.Host
	after.Children = []TreeProvider{{UUID: uuid.NewString(), Name: "gpu-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 4}}}}
	owned = mustReport(t, c, Tree{Providers: []TreeProvider{after}}, owned)
	numa := TreeProvider{UUID: uuid.NewString(), Name: "numa-" + s.Tag, Children: after.Children}
	moved := s.Host
	moved.Children = []TreeProvider{numa}
	owned = mustReport(t, c, Tree{Providers: []TreeProvider{moved}}, owned)
	mustReport(t, c, Tree{Providers: []TreeProvider{after}}, owned) // numa goes

	other := newScene()
	card := TreeProvider{UUID: uuid.NewString(), Name: "card-" + other.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 1}}, Traits: s.Host.Traits}
	mustReport(t, c, s.under(card), nil) // its trait is there already
	_, err := c.Explain(t.Context(), request(devices(0, s.GPU, 9, s.Host.Traits...)))
	require.NoError(t, err)
	require.NoError(t, c.CheckLimits(t.Context(), FixedLimits{s.GPU: 9}, "p", request(devices(0, s.GPU, 1))))
	_, err = c.Claim(t.Context(), claims[0].Consumer, Candidate{Allocations: claims[0].Allocations})
	require.Error(t, err)
	_, err = c.ProviderByName(t.Context(), "nobody")
	require.ErrorIs(t, err, ErrNotFound)
	_, err = c.Provider(t.Context(), uuid.NewString())
	require.ErrorIs(t, err, ErrNotFound)
}
