package osapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

func TestMicroversionHeader(t *testing.T) {
	t.Parallel()
	var seen recorder
	server := startService(t, func(_ http.ResponseWriter, r *http.Request) { seen.record(t, r) })
	service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint(server.URL))
	require.NoError(t, err)
	service.MoreHeaders = map[string]string{"X-More": "kept"}
	version := osapi.Microversion{Major: 2, Minor: 2}
	standard := osapi.WithMicroversion(service, version)
	bare := osapi.WithBareMicroversion(service, version)

	require.NoError(t, request(t.Context(), standard, "GET", nil))
	require.NoError(t, request(t.Context(), bare, "GET", nil))
	require.NoError(t, request(t.Context(), service, "GET", nil))

	const header = "OpenStack-API-Version"
	assert.Equal(t, []string{"accelerator 2.2"}, seen.heads[0].Values(header))
	assert.Equal(t, []string{"2.2"}, seen.heads[1].Values(header))
	assert.Empty(t, seen.heads[2].Values(header), "the client that was copied must stay as it is")
	for _, head := range seen.heads {
		assert.Equal(t, "kept", head.Get("X-More"))
	}
}

func TestServedMicroversion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []string
		want   osapi.Microversion
		ok     bool
	}{
		{name: "standard", values: []string{"accelerator 2.1"}, want: osapi.Microversion{Major: 2, Minor: 1}, ok: true},
		{name: "bare", values: []string{"2.1"}, want: osapi.Microversion{Major: 2, Minor: 1}, ok: true},
		{name: "other case and blanks", values: []string{" Accelerator   2.10 "}, want: osapi.Microversion{Major: 2, Minor: 10}, ok: true},
		{name: "in a list", values: []string{"compute 2.90, accelerator 2.2"}, want: osapi.Microversion{Major: 2, Minor: 2}, ok: true},
		{name: "in a second header", values: []string{"compute 2.90", "accelerator 2.2"}, want: osapi.Microversion{Major: 2, Minor: 2}, ok: true},
		{name: "another service", values: []string{"compute 2.90"}},
		{name: "no number", values: []string{"accelerator latest"}},
		{name: "absent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{"Openstack-Api-Version": tt.values}
			got, ok := osapi.ServedMicroversion(header, "accelerator")
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestMicroversionOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.IntRange(0, 200)
		a := osapi.Microversion{Major: part.Draw(t, "a"), Minor: part.Draw(t, "a")}
		b := osapi.Microversion{Major: part.Draw(t, "b"), Minor: part.Draw(t, "b")}
		again, err := osapi.ParseMicroversion(a.String())
		require.NoError(t, err)
		assert.Equal(t, a, again)
		assert.Equal(t, a.Compare(b), -b.Compare(a))
		assert.Equal(t, a.Major*1000+a.Minor < b.Major*1000+b.Minor, a.Compare(b) < 0)
	})
}

func FuzzParseMicroversion(f *testing.F) {
	for _, seed := range []string{"2.3", "1.39", "2", "2.3.1", "", ".", "-1.2", "2.99999999999999999999", "２.3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		version, err := osapi.ParseMicroversion(text)
		if err != nil {
			return
		}
		again, err := osapi.ParseMicroversion(version.String())
		require.NoError(t, err)
		assert.Equal(t, version, again)
	})
}
