package cyborgclient_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// A bad instance in a bind would make every list of ARQs fail from then on.
func TestBadArgumentsAreNotSent(t *testing.T) {
	t.Parallel()
	good := cyborgclient.Binding{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance}
	with := func(change func(*cyborgclient.Binding)) []cyborgclient.Binding {
		b := good
		b.ARQ = arq2
		change(&b)
		return []cyborgclient.Binding{good, b}
	}
	tests := []struct {
		name     string
		bindings []cyborgclient.Binding
		want     string
	}{
		{name: "none", want: "there are none"},
		{name: "ARQ", bindings: with(func(b *cyborgclient.Binding) { b.ARQ = "abc" }), want: `binding 1: the ARQ "abc" is no uuid`},
		{name: "hostname", bindings: with(func(b *cyborgclient.Binding) { b.Hostname = "" }), want: "binding 1: the hostname is empty"},
		{name: "provider", bindings: with(func(b *cyborgclient.Binding) { b.DeviceRP = "" }), want: `binding 1: the device's resource provider "" is no uuid`},
		{name: "instance", bindings: with(func(b *cyborgclient.Binding) { b.Instance = "abc" }), want: `binding 1: the instance "abc" is no uuid`},
		{name: "instance in braces", bindings: with(func(b *cyborgclient.Binding) { b.Instance = "{" + instance + "}" }), want: "is no uuid"},
		{name: "instance as URN", bindings: with(func(b *cyborgclient.Binding) { b.Instance = "urn:uuid:" + instance }), want: "is no uuid"},
		{name: "project", bindings: with(func(b *cyborgclient.Binding) { b.Project = "p" }), want: `binding 1: the project "p" is no uuid`},
		{name: "two instances", bindings: with(func(b *cyborgclient.Binding) { b.Instance = arq3 }), want: "binding 1: it is for another instance, " + arq3},
		{name: "ARQ twice", bindings: with(func(b *cyborgclient.Binding) { b.ARQ = arq1 }), want: "binding 1: ARQ " + arq1 + " is named twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, respond(http.StatusAccepted, ""))
			err := client.Bind(t.Context(), tt.bindings)
			require.ErrorIs(t, err, cyborgclient.ErrInvalid)
			require.ErrorContains(t, err, tt.want)
			assert.Empty(t, server.sent)
		})
	}
}

func TestBadUUIDsAreNotSent(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, respond(http.StatusOK, "{}"))
	_, byInstance := client.ARQsByInstance(t.Context(), "abc")
	_, one := client.ARQ(t.Context(), "../devices")
	_, list := client.DeleteARQs(t.Context(), arq1, "abc")
	_, create := client.CreateARQs(t.Context(), "")
	for _, err := range []error{
		byInstance, one, list, create,
		client.DeleteARQsByInstance(t.Context(), ""),
		client.Unbind(t.Context(), arq1, "abc,def"),
	} {
		require.ErrorIs(t, err, cyborgclient.ErrInvalid)
	}
	assert.Empty(t, server.sent)
}

func TestUnbindNothing(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, respond(http.StatusInternalServerError, ""))
	require.NoError(t, client.Unbind(t.Context()))
	assert.Empty(t, server.sent, "the service answers an empty patch with 500")
}
