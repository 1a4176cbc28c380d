package cyborgclient_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// release is how a Cyborg treats the version header.
type release struct {
	document string
	header   func(asked string) string // the version served, as the answer's header says it
}

func (s release) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	served := s.header(r.Header.Get("OpenStack-API-Version"))
	w.Header().Set("OpenStack-API-Version", served)
	switch {
	case r.URL.Path == "/accelerator/v2/":
		respond(http.StatusOK, s.document)(w, r)
	case r.Method == http.MethodPatch && strings.HasSuffix(served, "2.0"):
		respond(http.StatusNotAcceptable, `{"error_message": "{\"faultstring\": \"Request not acceptable. The minimal required API version should be 2.1\"}"}`)(w, r)
	case r.Method == http.MethodPatch:
		respond(http.StatusAccepted, "")(w, r)
	case strings.HasSuffix(served, "2.3"):
		respond(http.StatusOK, `{"devices": [{"uuid": "`+arq1+`", "status": "enabled"}]}`)(w, r)
	default:
		respond(http.StatusOK, `{"devices": [{"uuid": "`+arq1+`"}]}`)(w, r)
	}
}

// standard understands "accelerator 2.N" and answers in the same form.
func standard(asked string) string {
	if asked == "" {
		return "accelerator 2.0"
	}
	return asked
}

// bareOnly is 2024.1 to 2026.1: anything but "2.N" is taken for 2.0.
func bareOnly(asked string) string {
	if asked == "" || strings.Contains(asked, " ") {
		return "2.0"
	}
	return asked
}

func TestMicroversionForms(t *testing.T) {
	t.Parallel()
	const old = `{"id": "v2.0", "max_version": "2.0", "min_version": "2.0", "status": "CURRENT"}`
	tests := []struct {
		name   string
		server release
		asked  []string // version headers of two calls, the version document's left out
		status cyborgclient.DeviceStatus
	}{
		{name: "standard", server: release{v2Document, standard}, asked: []string{"accelerator 2.3", "accelerator 2.3"}, status: "enabled"},
		{name: "standard asked, bare answered", server: release{v2Document, func(asked string) string {
			return strings.TrimPrefix(standard(asked), "accelerator ")
		}}, asked: []string{"accelerator 2.3", "accelerator 2.3"}, status: "enabled"},
		{name: "bare only, remembered", server: release{v2Document, bareOnly}, asked: []string{"accelerator 2.3", "2.3", "2.3"}, status: "enabled"},
		{name: "too old for a status", server: release{old, standard}, asked: []string{"", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, tt.server.ServeHTTP)
			for range 2 {
				devices, err := client.Devices(t.Context(), cyborgclient.DeviceFilter{})
				require.NoError(t, err)
				require.Len(t, devices, 1)
				assert.Equal(t, tt.status, devices[0].Status)
			}
			var asked []string
			for _, r := range server.sent[1:] { // the first is the version document, read once
				asked = append(asked, r.Header.Get("OpenStack-API-Version"))
			}
			assert.Equal(t, tt.asked, asked)
		})
	}
}

func TestBindForProject(t *testing.T) {
	t.Parallel()
	binding := []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance, Project: project}}
	t.Run("a server that ignores the standard header", func(t *testing.T) {
		t.Parallel()
		client, server := newClient(t, release{v2Document, bareOnly}.ServeHTTP)
		require.NoError(t, client.Bind(t.Context(), binding))
		assert.Equal(t, "2.1", server.sent[2].Header.Get("OpenStack-API-Version"))
		assert.Equal(t, server.sent[1].Body, server.sent[2].Body)
	})
	t.Run("a server without the version", func(t *testing.T) {
		t.Parallel()
		old := `{"id": "v2.0", "max_version": "2.0", "min_version": "2.0"}`
		client, server := newClient(t, release{old, standard}.ServeHTTP)
		err := client.Bind(t.Context(), binding)
		require.ErrorIs(t, err, cyborgclient.ErrVersion)
		require.ErrorContains(t, err, "it needs microversion 2.1, the server has 2.0 to 2.0")
		assert.Len(t, server.sent, 1, "nothing but the version document may be asked")
	})
	t.Run("no version document", func(t *testing.T) {
		t.Parallel()
		client, _ := newClient(t, respond(http.StatusNotFound, ""))
		err := client.Bind(t.Context(), binding)
		require.ErrorIs(t, err, cyborgclient.ErrUnreachable)
		require.ErrorContains(t, err, "bind ARQs of instance "+instance)
		require.ErrorContains(t, err, "look at the endpoint")
	})
}
