package osapi_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

func TestDiscover(t *testing.T) {
	t.Parallel()
	cyborg := osapi.Versions{Min: osapi.Microversion{Major: 2}, Max: osapi.Microversion{Major: 2, Minor: 3}}
	placement := osapi.Versions{Min: osapi.Microversion{Major: 1}, Max: osapi.Microversion{Major: 1, Minor: 39}}
	tests := []struct {
		name     string
		document string
		status   int
		want     osapi.Versions
		err      string
		strange  bool
	}{
		{name: "list, Cyborg's root", document: `{"name": "x", "versions": [{"id": "v2", "status": "CURRENT", "max_version": "2.3", "min_version": "2.0"}], "default_version": {"id": "v2"}}`, want: cyborg},
		{name: "list, Placement's root", document: `{"versions": [{"id": "v1.0", "max_version": "1.39", "min_version": "1.0", "status": "CURRENT", "links": []}]}`, want: placement},
		{name: "list, the current one", document: `{"versions": [{"id": "v2", "status": "CURRENT", "max_version": "2.3", "min_version": "2.0"}, {"id": "v1", "status": "DEPRECATED"}]}`, want: cyborg},
		{name: "list, none is current", document: `{"versions": [{"id": "v1", "status": "DEPRECATED"}, {"id": "v2", "max_version": "2.3", "min_version": "2.0"}]}`, want: cyborg},
		{name: "list with 300", status: 300, document: `{"versions": [{"id": "v2", "status": "CURRENT", "max_version": "2.3", "min_version": "2.0"}]}`, want: cyborg},
		{name: "object, Nova's names", document: `{"version": {"id": "v2.1", "status": "CURRENT", "version": "2.3", "min_version": "2.0"}}`, want: cyborg},
		{name: "bare object, Cyborg's /v2", document: `{"id": "v2.0", "links": [], "max_version": "2.3", "min_version": "2.0", "status": "CURRENT"}`, want: cyborg},
		{name: "no microversions", document: `{"version": {"id": "v3", "status": "CURRENT"}}`},
		{name: "something else", document: `{"hello": "world"}`, err: "names no version", strange: true},
		{name: "no object", document: `[1]`, err: "no version document", strange: true},
		{name: "no JSON", document: `<html>`, err: "invalid character"},
		{name: "bad version", document: `{"id": "v2", "max_version": "two", "min_version": "2.0"}`, err: `microversion "two"`, strange: true},
		{name: "bad oldest version", document: `{"id": "v2", "max_version": "2.3"}`, err: `microversion ""`, strange: true},
		{name: "empty object", document: `{}`, err: "names no version", strange: true},
		{name: "null", document: `null`, err: "names no version", strange: true},
		{name: "empty list", document: `{"versions": []}`, err: "names no version", strange: true},
		{name: "list of null", document: `{"versions": [null]}`, err: "names no version", strange: true},
		{name: "huge version", document: `{"id": "v2", "max_version": "2.99999999999999999999", "min_version": "2.0"}`, err: "version v2", strange: true},
		{name: "number", document: `{"id": "v2", "max_version": 2.3, "min_version": "2.0"}`, err: "no version document", strange: true},
		{name: "empty range", document: `{"id": "v2", "max_version": "2.0", "min_version": "2.3"}`, err: "the range from 2.3 to 2.0 is empty", strange: true},
		{name: "error", status: 404, document: `{}`, err: "404"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, inMemory{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/v2/", r.URL.Path)
				w.Header().Set("X-Openstack-Request-Id", "req-1")
				w.WriteHeader(max(tt.status, 200))
				_, _ = w.Write([]byte(tt.document))
			})})
			got, header, err := osapi.Discover(t.Context(), service)
			if tt.err != "" {
				require.ErrorContains(t, err, "read the version document of service accelerator")
				require.ErrorContains(t, err, tt.err)
				assert.Equal(t, tt.strange, errors.Is(err, osapi.ErrNoVersionDocument))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, "req-1", osapi.RequestID(header))
		})
	}
}

func TestSupports(t *testing.T) {
	t.Parallel()
	versions := osapi.Versions{Min: osapi.Microversion{Major: 1, Minor: 2}, Max: osapi.Microversion{Major: 1, Minor: 36}}
	for version, want := range map[osapi.Microversion]bool{
		{Major: 1, Minor: 1}: false, {Major: 1, Minor: 2}: true, {Major: 1, Minor: 36}: true, {Major: 1, Minor: 37}: false, {Major: 2}: false,
	} {
		assert.Equal(t, want, versions.Supports(version), version.String())
	}
}
