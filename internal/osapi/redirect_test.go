package osapi_test

import (
	"net/http"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		method    string
		status    int
		elsewhere bool // to another origin
		followed  bool
		token     string // that arrives at the target
	}{
		{name: "read, same origin", method: "GET", status: 302, followed: true, token: "secret"},
		{name: "read, other origin", method: "GET", status: 302, elsewhere: true, followed: true},
		{name: "read, other origin, 307", method: "GET", status: 307, elsewhere: true, followed: true},
		{name: "write would become a read", method: "PATCH", status: 302},
		{name: "write would become a read, 303", method: "POST", status: 303},
		{name: "delete would become a read", method: "DELETE", status: 301},
		{name: "write, same origin, 308", method: "PATCH", status: 308, followed: true, token: "secret"},
		{name: "write, other origin, 307", method: "POST", status: 307, elsewhere: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var arrived []*http.Request
			target := func(w http.ResponseWriter, r *http.Request) {
				arrived = append(arrived, r)
				w.WriteHeader(http.StatusOK)
			}
			other := startService(t, target)
			mux := http.NewServeMux()
			mux.HandleFunc("/target", target)
			location := "/target"
			if tt.elsewhere {
				location = other.URL + "/target"
			}
			mux.HandleFunc("/things", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", location)
				w.WriteHeader(tt.status)
			})
			server := startService(t, mux.ServeHTTP)
			service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint(server.URL), osapi.WithToken("secret"))
			require.NoError(t, err)
			service.MoreHeaders = map[string]string{"X-Service-Token": "secret"}

			err = request(t.Context(), service, tt.method, nil)
			if !tt.followed {
				assert.Empty(t, arrived)
				assert.True(t, gophercloud.ResponseCodeIs(err, tt.status), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Len(t, arrived, 1)
			assert.Equal(t, tt.token, arrived[0].Header.Get("X-Auth-Token"))
			assert.Equal(t, tt.token, arrived[0].Header.Get("X-Service-Token"))
		})
	}
}

// A chain that leaves the origin and comes back does not regain the token.
func TestRedirectChainThatComesBack(t *testing.T) {
	t.Parallel()
	var home, away string
	var final *http.Request
	mux := http.NewServeMux()
	mux.HandleFunc("/things", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, away+"/hop", http.StatusFound) })
	mux.HandleFunc("/end", func(_ http.ResponseWriter, r *http.Request) { final = r })
	home = startService(t, mux.ServeHTTP).URL
	away = startService(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, home+"/end", http.StatusFound) }).URL

	service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint(home), osapi.WithToken("secret"))
	require.NoError(t, err)
	require.NoError(t, request(t.Context(), service, "GET", nil))
	require.NotNil(t, final)
	assert.Empty(t, final.Header.Get("X-Auth-Token"))
}

func TestRedirectLoopEnds(t *testing.T) {
	t.Parallel()
	hops := 0
	server := startService(t, func(w http.ResponseWriter, r *http.Request) {
		hops++
		http.Redirect(w, r, "/things", http.StatusFound)
	})
	service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint(server.URL))
	require.NoError(t, err)
	require.ErrorContains(t, request(t.Context(), service, "GET", nil), "10 redirects")
	assert.Equal(t, 10, hops)
}
