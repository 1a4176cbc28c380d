package osapi_test

import (
	"context"
	"fmt"
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
		{name: "read, other origin", method: "GET", status: 302, elsewhere: true},
		{name: "read, other origin, 307", method: "GET", status: 307, elsewhere: true},
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
				failure, ok := osapi.FailureOf(err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, tt.status, failure.StatusCode)
				require.ErrorContains(t, err, "refused redirect to http://127.0.0.1:")
				assert.Contains(t, string(failure.Body), "/target, which ")
				return
			}
			require.NoError(t, err)
			require.Len(t, arrived, 1)
			assert.Equal(t, tt.token, arrived[0].Header.Get("X-Auth-Token"))
			assert.Equal(t, tt.token, arrived[0].Header.Get("X-Service-Token"))
		})
	}
}

// A borrowed login is held to the same, whatever its owner's own policy is, which
// stays as it was; the owner's policy has its say about the rest.
func TestRedirectsOfABorrowedLogin(t *testing.T) {
	t.Parallel()
	follow := func(*http.Request, []*http.Request) error { return nil }
	for name, own := range map[string]func(*http.Request, []*http.Request) error{
		"none": nil, "follows all": follow, "follows none": func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	} {
		for _, renewable := range []bool{true, false} {
			for _, method := range []string{"GET", "DELETE", "PATCH"} {
				for _, elsewhere := range []bool{true, false} {
					t.Run(fmt.Sprintf("%s %t %s %t", name, renewable, method, elsewhere), func(t *testing.T) {
						t.Parallel()
						var arrived []*http.Request
						target := func(_ http.ResponseWriter, r *http.Request) { arrived = append(arrived, r) }
						other := startService(t, target)
						mux := http.NewServeMux()
						mux.HandleFunc("/target", target)
						mux.HandleFunc("/things", func(w http.ResponseWriter, r *http.Request) {
							http.Redirect(w, r, map[bool]string{true: other.URL}[elsewhere]+"/target", http.StatusTemporaryRedirect)
						})
						home := startService(t, mux.ServeHTTP)
						owner := new(gophercloud.ProviderClient)
						owner.UseTokenLock()
						owner.SetToken("secret")
						owner.HTTPClient.CheckRedirect = own
						if renewable {
							owner.ReauthFunc = func(context.Context) error { return nil }
						}
						service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithProvider(owner, gophercloud.EndpointOpts{}), osapi.WithEndpoint(home.URL))
						require.NoError(t, err)
						service.MoreHeaders = map[string]string{"X-Service-Token": "secret"}
						err = request(t.Context(), service, method, nil)
						assert.Equal(t, own == nil, owner.HTTPClient.CheckRedirect == nil)
						switch {
						case elsewhere:
							assert.Empty(t, arrived)
							require.ErrorContains(t, err, "refused redirect to "+other.URL+"/target")
						case name == "follows none":
							assert.True(t, gophercloud.ResponseCodeIs(err, http.StatusTemporaryRedirect), "%v", err)
						default:
							require.NoError(t, err)
							require.Len(t, arrived, 1)
							assert.Equal(t, "secret", arrived[0].Header.Get("X-Service-Token"))
						}
					})
				}
			}
		}
	}
}

// A borrowed login that cannot be renewed may still get a token from its owner.
func TestBorrowedLoginThatGetsItsTokenLater(t *testing.T) {
	t.Parallel()
	var got []string
	home := startService(t, func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("X-Auth-Token")+r.Header.Get("X-Service-Token"))
	})
	owner := new(gophercloud.ProviderClient)
	owner.UseTokenLock()
	service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithProvider(owner, gophercloud.EndpointOpts{}), osapi.WithEndpoint(home.URL))
	require.NoError(t, err)
	for _, token := range []string{"first", "second"} {
		owner.SetToken(token)
		require.NoError(t, request(t.Context(), service, "GET", nil))
	}
	assert.Equal(t, []string{"first", "second"}, got)
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
