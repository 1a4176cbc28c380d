package cyborgclient_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// What a release does not have is told from an object that is not there.
func TestAbsentOperations(t *testing.T) {
	t.Parallel()
	const (
		notFound   = `{"error_message": "{\"code\": 404, \"title\": \"Not Found\", \"description\": \"\"}"}`
		notAllowed = `{"error_message": "{\"code\": 405, \"title\": \"Method Not Allowed\", \"description\": \"\"}"}`
	)
	type call = func(context.Context, *cyborgclient.Client) error
	tests := []struct {
		name   string
		call   call
		status int
		body   string
		kind   error
		hint   string
	}{
		{
			name: "devices in Train", status: 404, body: notFound, kind: cyborgclient.ErrVersion,
			call: func(ctx context.Context, c *cyborgclient.Client) error { return only(c.Device(ctx, arq1)) },
			hint: "this Cyborg does not have the operation, which came with Ussuri",
		},
		{
			name: "deployables in Train", status: 404, body: notFound, kind: cyborgclient.ErrVersion,
			call: func(ctx context.Context, c *cyborgclient.Client) error { return only(c.Deployable(ctx, arq1)) }, hint: "came with Ussuri",
		},
		{
			name: "programming in Ussuri", status: 405, body: notAllowed, kind: cyborgclient.ErrVersion,
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.ProgramDeployable(ctx, arq1, arq2))
			}, hint: "came with Victoria",
		},
		{
			name: "attributes before 2023.1", status: 404, body: notFound, kind: cyborgclient.ErrVersion,
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.Attributes(ctx, cyborgclient.AttributeFilter{}))
			}, hint: "came with 2023.1",
		},
		{
			name: "enabling before 2023.2", status: 405, body: notAllowed, kind: cyborgclient.ErrVersion,
			call: func(ctx context.Context, c *cyborgclient.Client) error { return c.EnableDevice(ctx, arq1) }, hint: "came with 2023.2",
		},
		{name: "a page in the wrapper", status: 404, body: `{"error_message": "<html>"}`, call: deleteARQs, kind: cyborgclient.ErrVersion, hint: "at that path"},
		{name: "a wrong path", status: 404, body: notFound, call: deleteARQs, kind: cyborgclient.ErrVersion, hint: "at that path: look at the endpoint"},
		{name: "a proxy's page", status: 404, body: `<html>`, call: deleteARQs, kind: cyborgclient.ErrUnreachable, hint: "this is no answer of Cyborg's"},
		{name: "a proxy's JSON", status: 404, body: `{"detail": "x"}`, call: deleteARQs, kind: cyborgclient.ErrUnreachable, hint: "this is no answer of Cyborg's"},
		{name: "nothing", status: 405, call: deleteARQs, kind: cyborgclient.ErrUnreachable, hint: "this is no answer of Cyborg's"},
		{name: "an object that is not there", status: 404, body: `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"x\"}"}`, call: deleteARQs, kind: cyborgclient.ErrNotFound},
		{name: "a plain text in the wrapper", status: 404, body: `{"error_message": "x"}`, call: deleteARQs, kind: cyborgclient.ErrNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, _ := newClient(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/accelerator/v2/" {
					respond(http.StatusOK, v2Document)(w, r)
					return
				}
				respond(tt.status, tt.body)(w, r)
			})
			err := tt.call(t.Context(), client)
			for _, kind := range []error{cyborgclient.ErrVersion, cyborgclient.ErrUnreachable, cyborgclient.ErrNotFound} {
				assert.Equal(t, errors.Is(tt.kind, kind), errors.Is(err, kind), "%v: %v", kind, err)
			}
			require.ErrorContains(t, err, tt.hint)
		})
	}
}

// Train answers 200 and null where later releases answer 423, and filters
// nothing without an instance.
func TestResolvedARQsOfTrain(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, respond(http.StatusOK, " null\n"))
	_, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{Instance: instance, Resolved: true})
	require.ErrorIs(t, err, cyborgclient.ErrNotResolved)
	require.NotErrorIs(t, err, cyborgclient.ErrInvalidAnswer)
	require.ErrorContains(t, err, "list resolved ARQs of instance "+instance)
	assert.Equal(t, []string{"GET /accelerator/v2/accelerator_requests?instance=" + instance + "&bind_state=resolved"}, server.lines())
	_, err = client.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.ErrorIs(t, err, cyborgclient.ErrInvalidAnswer)

	client, server = newClient(t, respond(http.StatusOK, `{"arqs": [{"uuid": "`+arq1+`", "state": "Initial", "device_profile_group_id": 0}, {"uuid": "`+arq2+`", "state": "BindFailed", "device_profile_group_id": 0}]}`))
	arqs, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{Resolved: true})
	require.NoError(t, err)
	require.Len(t, arqs, 1)
	assert.Equal(t, arq2, arqs[0].UUID)
	assert.Equal(t, []string{"GET /accelerator/v2/accelerator_requests?bind_state=resolved"}, server.lines())
}

// A server without microversions, as Train is, says so.
func TestNoMicroversions(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, respond(http.StatusOK, `{"id": "v2.0", "links": []}`))
	err := client.Bind(t.Context(), []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance, Project: project}})
	require.ErrorIs(t, err, cyborgclient.ErrVersion)
	require.ErrorContains(t, err, "it needs microversion 2.1, the server has none")
	assert.Len(t, server.sent, 1)
}
