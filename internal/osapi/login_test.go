package osapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// logIn logs in to the Keystone and makes a client for the service behind url.
func logIn(t *testing.T, k *keystone, url string) *gophercloud.ServiceClient {
	t.Helper()
	setCloud(t, `
clouds:
  test:
    auth: {auth_url: "`+k.url+`", username: u, password: p, project_name: pr, user_domain_id: default, project_domain_id: default}
    accelerator_endpoint_override: `+url+`
`)
	service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"))
	require.NoError(t, err)
	return service
}

//nolint:paralleltest // clouds.yaml is named by a variable
func TestReloginOnce(t *testing.T) {
	tests := []struct {
		name   string
		status int // answer to the renewed token
		want   int // status of the error, 0 for none
	}{
		{name: "the service keeps saying 401", status: 401, want: 401},
		{name: "another error after the login", status: 404, want: 404},
		{name: "fine after the login", status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := startKeystone(t)
			var seen recorder
			server := startService(t, func(w http.ResponseWriter, r *http.Request) {
				if seen.record(t, r) == 1 {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				w.WriteHeader(tt.status)
			})
			err := request(t.Context(), logIn(t, k, server.URL), "PATCH", map[string]int{"a": 1})
			assert.Equal(t, 2, k.loginCount())
			assert.Equal(t, []string{`{"a":1}`, `{"a":1}`}, seen.bodies)
			assert.Equal(t, "token-1", seen.heads[0].Get("X-Auth-Token"))
			assert.Equal(t, "token-2", seen.heads[1].Get("X-Auth-Token"))
			if tt.want == 0 {
				require.NoError(t, err)
				return
			}
			failure, ok := osapi.FailureOf(err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, tt.want, failure.StatusCode)
		})
	}
}

// Keystone refuses the second login: the error still tells the first answer.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestReloginRefused(t *testing.T) {
	k := startKeystone(t)
	server := startService(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Openstack-Request-Id", "req-1")
		w.WriteHeader(http.StatusUnauthorized)
	})
	service := logIn(t, k, server.URL)
	service.ReauthFunc = func(context.Context) error { return assert.AnError }
	failure, ok := osapi.FailureOf(request(t.Context(), service, "GET", nil))
	require.True(t, ok)
	assert.Equal(t, 401, failure.StatusCode)
	assert.Equal(t, "req-1", failure.RequestID())
}

// A caller that waits for another's login keeps its own deadline, and the login
// goes on for the others.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestWaiterOfALoginKeepsItsDeadline(t *testing.T) {
	k := &keystone{url: "http://keystone.example"}
	setCloud(t, `{clouds: {test: {auth: {auth_url: "http://keystone.example/v3", username: u, password: p, user_domain_id: default}, accelerator_endpoint_override: "http://service.example/v2"}}}`)
	synctest.Test(t, func(t *testing.T) {
		transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host == "keystone.example" {
				return inMemory{k}.RoundTrip(r)
			}
			if r.Header.Get("X-Auth-Token") == "token-1" {
				return answer(r, 401), nil
			}
			return answer(r, 200), nil
		})
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"), osapi.WithTransport(transport))
		require.NoError(t, err)
		k.delay = 5 * time.Second

		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, request(t.Context(), service, "GET", nil)) })
		time.Sleep(time.Second)
		wg.Go(func() { assert.NoError(t, request(t.Context(), service, "GET", nil)) })
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		start := time.Now()
		require.ErrorIs(t, request(ctx, service, "GET", nil), context.DeadlineExceeded)
		assert.Equal(t, 50*time.Millisecond, time.Since(start))
		wg.Wait()
		assert.Equal(t, 2, k.loginCount())
	})
}

// Many requests whose token has expired make one login.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestManyCallersLogInOnce(t *testing.T) {
	k := startKeystone(t)
	k.delay = 20 * time.Millisecond
	server := startService(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Auth-Token") == "token-1" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	service := logIn(t, k, server.URL)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() { assert.NoError(t, request(t.Context(), service, "GET", nil)) })
	}
	wg.Wait()
	assert.Equal(t, 2, k.loginCount())
}

// The caller's deadline ends while its login is renewed: that is what the error
// says, not the 401 that made the login necessary.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestDeadlineDuringALogin(t *testing.T) {
	k := startKeystone(t)
	server := startService(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	service := logIn(t, k, server.URL)
	k.delay = 200 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := request(ctx, service, "GET", nil)
	_, answered := osapi.FailureOf(err)
	assert.False(t, answered)
	require.ErrorIs(t, osapi.Transparent(err), context.DeadlineExceeded)
}

func TestFixedEndpoint(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		opts  []osapi.Option
		token []string // X-Auth-Token as it arrives
	}{
		{name: "no auth"},
		{name: "token", opts: []osapi.Option{osapi.WithToken("admin")}, token: []string{"admin"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var seen recorder
			server := startService(t, func(_ http.ResponseWriter, r *http.Request) { seen.record(t, r) })
			opts := append(tt.opts, osapi.WithEndpoint(server.URL+"/placement"), osapi.WithUserAgent("tester/1"))
			service, err := osapi.NewService(t.Context(), "placement", opts...)
			require.NoError(t, err)
			assert.Equal(t, server.URL+"/placement/", service.Endpoint)
			require.NoError(t, request(t.Context(), service, "GET", nil))
			require.Len(t, seen.heads, 1)
			assert.Equal(t, tt.token, seen.heads[0].Values("X-Auth-Token"))
			assert.Contains(t, seen.heads[0].Get("User-Agent"), "tester/1 gophercloud/")
		})
	}
}

// The login of one client serves another.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestSharedLogin(t *testing.T) {
	k := startKeystone(t)
	k.addEndpoint("placement", "public", "r1", "http://placement.example/placement")
	setCloud(t, `{clouds: {test: {auth: {auth_url: "`+k.url+`", username: u, password: p, user_domain_id: default}}}}`)
	provider, endpoints, err := osapi.NewProvider(t.Context(), osapi.WithCloud("test"))
	require.NoError(t, err)
	service, err := osapi.NewService(t.Context(), "placement", osapi.WithProvider(provider, endpoints))
	require.NoError(t, err)
	assert.Equal(t, "http://placement.example/placement/", service.Endpoint)
	assert.Equal(t, 1, k.loginCount())
}

// A server may end an idle connection in the moment in which a login is sent. To log in twice does no harm.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestLoginWithoutAnswerIsRepeated(t *testing.T) {
	k := startKeystone(t)
	k.lose = 1
	setCloud(t, `{clouds: {test: {auth: {auth_url: "`+k.url+`", username: u, password: p, user_domain_id: default}}}}`)
	_, _, err := osapi.NewProvider(t.Context(), osapi.WithCloud("test"), osapi.WithRetries(3, time.Millisecond, time.Millisecond))
	require.NoError(t, err)
	assert.Equal(t, 2, k.loginCount())
}

// TLS settings and retries must not exclude each other.
func TestTLSAndRetries(t *testing.T) {
	t.Parallel()
	var seen recorder
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen.record(t, r) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	fast := osapi.WithRetries(3, time.Millisecond, time.Millisecond)

	trusting, err := osapi.NewService(t.Context(), "accelerator", fast, osapi.WithEndpoint(server.URL),
		osapi.WithTLS(server.Client().Transport.(*http.Transport).TLSClientConfig)) //nolint:errcheck // httptest makes it so
	require.NoError(t, err)
	require.NoError(t, request(t.Context(), trusting, "GET", nil))
	assert.Equal(t, 3, seen.count())

	// A certificate that is not trusted is no reason to try again.
	distrustful, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint(server.URL),
		osapi.WithRetries(3, time.Hour, time.Hour))
	require.NoError(t, err)
	err = request(t.Context(), distrustful, "GET", nil)
	require.ErrorContains(t, err, "certificate")
	assert.True(t, osapi.Unreachable(err))
}
