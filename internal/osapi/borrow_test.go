package osapi_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// ownProvider is a login that gophercloud alone has made.
func ownProvider(t *testing.T, transport http.RoundTripper) *gophercloud.ProviderClient {
	t.Helper()
	provider, err := openstack.NewClient("http://keystone.example/v3")
	require.NoError(t, err)
	provider.HTTPClient.Transport = transport
	require.NoError(t, openstack.Authenticate(t.Context(), provider, gophercloud.AuthOptions{
		IdentityEndpoint: "http://keystone.example/v3", Username: "u", Password: "p", DomainID: "default", AllowReauth: true,
	}))
	return provider
}

// Two hundred callers meet an expired token, and many of them give up meanwhile,
// the one that began the login first of all: there is one login, who gave up gets
// its own error, and all others get their answer.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestManyCallersAndManyWhoGiveUp(t *testing.T) {
	setCloud(t, memoryCloud)
	tests := []struct {
		name  string
		login func(*testing.T, http.RoundTripper) osapi.Option
	}{
		{name: "our login", login: func(*testing.T, http.RoundTripper) osapi.Option { return osapi.WithCloud("test") }},
		{name: "the caller's login", login: func(t *testing.T, transport http.RoundTripper) osapi.Option {
			t.Helper()
			return osapi.WithProvider(ownProvider(t, transport), gophercloud.EndpointOpts{})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := new(keystone)
				transport := split(k, refusing("token-1"))
				opts := []osapi.Option{tt.login(t, transport), osapi.WithEndpoint("http://service.example/v2")}
				if tt.name == "our login" {
					opts = append(opts, osapi.WithTransport(transport))
				}
				service, err := osapi.NewService(t.Context(), "accelerator", opts...)
				require.NoError(t, err)
				k.delay = 5 * time.Second
				manyRequests(t, service)
				assert.Equal(t, 2, k.loginCount())
			})
		})
	}
}

// manyRequests sends 200 requests. The first gives up after a second, and of the
// others every third after up to three.
func manyRequests(t *testing.T, service *gophercloud.ServiceClient) {
	t.Helper()
	var wg sync.WaitGroup
	start := time.Now()
	for i := range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		givesUp, after := i%3 == 0, time.Second+time.Duration(i)*10*time.Millisecond
		if givesUp {
			time.AfterFunc(after, cancel)
		}
		wg.Go(func() {
			err := request(ctx, service, "PATCH", map[string]int{"a": i})
			took := time.Since(start)
			if givesUp {
				assert.ErrorIs(t, osapi.Transparent(err), context.Canceled) //nolint:testifylint // not in this goroutine
				assert.Equal(t, after, took)
				return
			}
			assert.Equal(t, 5*time.Second, took)
			assert.NoError(t, err)
		})
		if i == 0 {
			synctest.Wait() // it is the one that begins the login
		}
	}
	wg.Wait()
}

// A borrowed login stays its owner's: nothing of it changes but the token, which
// both have.
func TestBorrowedLoginStaysItsOwners(t *testing.T) {
	t.Parallel()
	k := new(keystone)
	transport := split(k, refusing("token-1"))
	owner := ownProvider(t, transport)
	services := make([]*gophercloud.ServiceClient, 2)
	for i := range services {
		var err error
		services[i], err = osapi.NewService(t.Context(), "accelerator", osapi.WithProvider(owner, gophercloud.EndpointOpts{}), osapi.WithEndpoint("http://service.example/v2"))
		require.NoError(t, err)
	}
	for _, service := range services {
		require.NoError(t, request(t.Context(), service, "GET", nil))
		assert.Equal(t, 2, k.loginCount())
	}
	assert.Equal(t, "token-2", owner.Token())
	assert.NotNil(t, owner.ReauthFunc)
	assert.IsType(t, transport, owner.HTTPClient.Transport)
	assert.NotSame(t, owner, services[0].ProviderClient)

	theirs := &gophercloud.ServiceClient{ProviderClient: owner, Endpoint: "http://service.example/v2/", Type: "accelerator"}
	require.NoError(t, request(t.Context(), theirs, "GET", nil))
	require.NoError(t, owner.Reauthenticate(t.Context(), owner.Token()))
	require.NoError(t, request(t.Context(), services[0], "GET", nil))
	assert.Equal(t, 3, k.loginCount(), "the owner's new token is used at once")
}

// A login that the owner's own client has begun is waited for.
func TestBorrowedLoginThatIsRenewedByItsOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := new(keystone)
		owner := ownProvider(t, split(k, refusing("token-1")))
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithProvider(owner, gophercloud.EndpointOpts{}), osapi.WithEndpoint("http://service.example/v2"))
		require.NoError(t, err)
		k.delay = 5 * time.Second
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, owner.Reauthenticate(t.Context(), owner.Token())) })
		synctest.Wait()
		require.NoError(t, request(t.Context(), service, "GET", nil))
		wg.Wait()
		assert.Equal(t, 2, k.loginCount())
	})
}

// The owner's own margin before a token's end counts where it is the longer one.
func TestBorrowedLoginIsRenewedBeforeItExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keystone{expires: time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000000Z")}
		owner := ownProvider(t, split(k, refusing("none")))
		owner.ReauthBeforeTokenExpiration = 10 * time.Minute
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithProvider(owner, gophercloud.EndpointOpts{}), osapi.WithEndpoint("http://service.example/v2"))
		require.NoError(t, err)
		k.expires = ""
		require.NoError(t, request(t.Context(), service, "GET", nil))
		assert.Equal(t, "token-1", owner.Token())
		time.Sleep(51 * time.Minute)
		require.NoError(t, request(t.Context(), service, "GET", nil))
		assert.Equal(t, "token-2", owner.Token())
	})
}

// A borrowed login that cannot be renewed tells both: the 401 and why.
func TestBorrowedLoginThatCannotBeRenewed(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{true, false} {
		k := new(keystone)
		owner := ownProvider(t, split(k, func(r *http.Request) (*http.Response, error) {
			return answer(r, 401, "X-Openstack-Request-Id", "req-1"), nil
		}))
		owner.ReauthFunc = func(context.Context) error { return errors.New("the vault is closed") }
		if !allowed {
			owner.ReauthFunc = nil
		}
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithProvider(owner, gophercloud.EndpointOpts{}), osapi.WithEndpoint("http://service.example/v2"))
		require.NoError(t, err)
		err = request(t.Context(), service, "GET", nil)
		failure, ok := osapi.FailureOf(err)
		require.True(t, ok)
		assert.Equal(t, 401, failure.StatusCode)
		assert.Equal(t, "req-1", failure.RequestID())
		if allowed {
			require.ErrorContains(t, err, "the login could not be renewed: the vault is closed")
		}
	}
}
