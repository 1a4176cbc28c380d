package cyborgclient_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func bindOne(ctx context.Context, c *cyborgclient.Client) error {
	return c.Bind(ctx, []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance}})
}

func createARQs(ctx context.Context, c *cyborgclient.Client) error {
	_, err := c.CreateARQs(ctx, "p")
	return err
}

func deleteARQs(ctx context.Context, c *cyborgclient.Client) error {
	return c.DeleteARQsByInstance(ctx, instance)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	fault := func(text string) string {
		return `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"` + text + `\"}"}`
	}
	const keystone = `{"error": {"code": 401, "title": "Unauthorized", "message": "log in"}}`
	tests := []struct {
		name   string
		call   func(context.Context, *cyborgclient.Client) error
		status int
		body   string
		want   bool
	}{
		{name: "unknown profile", call: createARQs, status: 404, body: fault("Device Profile not found with name=p"), want: true},
		{name: "policy", call: createARQs, status: 403, body: fault("Access was denied to the following resource: cyborg:arq:create"), want: true},
		{name: "routing", call: createARQs, status: 405, body: `{"error_message": "{\"code\": 405, \"title\": \"Method Not Allowed\"}"}`, want: true},
		{name: "Keystone", call: createARQs, status: 401, body: keystone, want: true},
		{name: "Keystone, bind", call: bindOne, status: 401, body: keystone, want: true},
		{name: "Keystone's form with another status", call: createARQs, status: 403, body: keystone},
		{name: "conductor", call: createARQs, status: 404, body: fault(`x\\nTraceback (most recent call last):\\n`)},
		{name: "not yet", call: createARQs, status: 423, body: `{"error_message": "null"}`},
		{name: "server error", call: createARQs, status: 500, body: fault("x")},
		{name: "proxy, empty", call: createARQs, status: 404},
		{name: "proxy, page", call: createARQs, status: 403, body: "<html>"},
		{name: "proxy, JSON", call: createARQs, status: 400, body: `{"error": "no"}`},
		{name: "proxy, other fault", call: createARQs, status: 401, body: `{"error": {"message": "no"}}`},
		{name: "proxy, quota", call: createARQs, status: 413, body: `{}`},
		{name: "service token", call: deleteARQs, status: 403, body: fault("This operation requires a service token."), want: true},
		{name: "instance has ARQs", call: bindOne, status: 400, body: fault("Couldn't apply patch. Reason: Instance i already has accelerator requests"), want: true},
		{name: "version", call: bindOne, status: 406, body: fault("Request not acceptable."), want: true},
		{name: "bound, but Nova did not like it", call: bindOne, status: 400, body: fault("Bad API response from Nova for os-server-external-events API. Details: x")},
		{name: "second of two ARQs has no device", call: bindOne, status: 404, body: fault("AttachHandle not found Matching deployable_id 1")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, _ := newClient(t, respond(tt.status, tt.body))
			var failure *cyborgclient.Error
			require.ErrorAs(t, tt.call(t.Context(), client), &failure)
			assert.Equal(t, tt.status, failure.StatusCode)
			assert.Equal(t, tt.want, failure.Refused())
		})
	}
}

// What the real service answered: only what it decides before it acts counts.
func TestRefusedByTheRealService(t *testing.T) {
	t.Parallel()
	tests := []struct {
		number string
		call   func(context.Context, *cyborgclient.Client) error
		want   bool
	}{
		{"141", createARQs, true},  // unknown profile
		{"034", createARQs, true},  // no token
		{"035", createARQs, true},  // bad token
		{"159", bindOne, true},     // no service token
		{"162", bindOne, true},     // a service token without the role
		{"165", bindOne, true},     // a field is missing
		{"191", bindOne, true},     // the instance has ARQs
		{"195", deleteARQs, true},  // no service token
		{"192", bindOne, false},    // bad state, 500
		{"220", bindOne, false},    // unknown provider, by the conductor
		{"233", bindOne, false},    // no handle left, by the conductor
		{"154", deleteARQs, false}, // the conductor's 500
	}
	for _, tt := range tests {
		t.Run(tt.number, func(t *testing.T) {
			t.Parallel()
			client, _ := newClient(t, recorded(t, tt.number).ServeHTTP)
			var failure *cyborgclient.Error
			require.ErrorAs(t, tt.call(t.Context(), client), &failure)
			assert.Equal(t, tt.want, failure.Refused(), "%v", failure)
		})
	}
}

func TestRefusedWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, respond(http.StatusOK, ""))
	var failure *cyborgclient.Error
	require.ErrorAs(t, client.Bind(t.Context(), nil), &failure)
	assert.False(t, failure.Refused())
}
