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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

const memoryCloud = `{clouds: {test: {auth: {auth_url: "http://keystone.example/v3", username: u, password: p, user_domain_id: default}, accelerator_endpoint_override: "http://service.example/v2"}}}`

// split sends requests to the Keystone in memory, and the others to the service.
func split(k *keystone, service roundTripFunc) roundTripFunc {
	return func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "keystone.example" {
			return inMemory{k}.RoundTrip(r)
		}
		return service(r)
	}
}

// refusing answers 401 to the token, 200 to others.
func refusing(token string) roundTripFunc {
	return func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("X-Auth-Token") == token {
			return answer(r, 401), nil
		}
		return answer(r, 200), nil
	}
}

func connect(t *testing.T, transport http.RoundTripper, opts ...osapi.Option) *osapi.Connection {
	t.Helper()
	opts = append([]osapi.Option{osapi.WithCloud("test"), osapi.WithTransport(transport)}, opts...)
	connection, err := osapi.Connect(t.Context(), "accelerator", opts...)
	require.NoError(t, err)
	return connection
}

// The caller that noticed the expired token gives up: the login goes on, and
// those who wait for it get their answer.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestCancelledLeaderOfALogin(t *testing.T) {
	setCloud(t, memoryCloud)
	synctest.Test(t, func(t *testing.T) {
		k := new(keystone)
		service := connect(t, split(k, refusing("token-1"))).Service
		k.delay = 5 * time.Second
		leader, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { assert.ErrorIs(t, request(leader, service, "GET", nil), context.Canceled) })
		synctest.Wait()
		for range 10 {
			wg.Go(func() { assert.NoError(t, request(t.Context(), service, "PATCH", map[string]int{"a": 1})) })
		}
		time.Sleep(time.Second)
		cancel()
		wg.Wait()
		assert.Equal(t, 2, k.loginCount())
	})
}

//nolint:paralleltest // clouds.yaml is named by a variable
func TestTokenIsRenewedBeforeItExpires(t *testing.T) {
	setCloud(t, memoryCloud)
	synctest.Test(t, func(t *testing.T) {
		k := &keystone{expires: time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000000Z")}
		var sent []string
		service := connect(t, split(k, func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.Header.Get("X-Auth-Token"))
			return answer(r, 200), nil
		})).Service
		k.expires = ""
		for range 3 {
			require.NoError(t, request(t.Context(), service, "GET", nil))
			time.Sleep(time.Hour - 20*time.Second)
		}
		assert.Equal(t, []string{"token-1", "token-2", "token-2"}, sent)
	})
}

// Keystone does not answer shortly before the token expires: it is still good.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestRenewalThatIsNotNeededYetMayFail(t *testing.T) {
	setCloud(t, memoryCloud)
	synctest.Test(t, func(t *testing.T) {
		k := &keystone{expires: time.Now().Add(10 * time.Second).UTC().Format("2006-01-02T15:04:05.000000Z")}
		down := false
		transport := split(k, refusing("none"))
		service := connect(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if down && r.URL.Host == "keystone.example" {
				return answer(r, 500), nil
			}
			return transport(r)
		})).Service
		down = true
		require.NoError(t, request(t.Context(), service, "GET", nil))
	})
}

// A login that hangs is no deadline of the caller.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestLoginThatHangs(t *testing.T) {
	setCloud(t, memoryCloud)
	synctest.Test(t, func(t *testing.T) {
		k := new(keystone)
		hang := false
		transport := split(k, refusing("token-1"))
		service := connect(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
			if hang && r.URL.Host == "keystone.example" {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return transport(r)
		})).Service
		hang = true
		start := time.Now()
		err := request(t.Context(), service, "GET", nil)
		require.ErrorContains(t, err, "the login did not end within 2m0s")
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 2*time.Minute, time.Since(start))
		failure, ok := osapi.FailureOf(err)
		require.True(t, ok)
		assert.Equal(t, 401, failure.StatusCode)
	})
}

// Keystone refuses the second login: the error tells both.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestRenewalRefused(t *testing.T) {
	setCloud(t, memoryCloud)
	k := new(keystone)
	closed := false
	transport := split(k, func(r *http.Request) (*http.Response, error) {
		return answer(r, 401, "X-Openstack-Request-Id", "req-1"), nil
	})
	service := connect(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
		if closed && r.URL.Host == "keystone.example" {
			return answer(r, 403), nil
		}
		return transport(r)
	})).Service
	closed = true
	err := request(t.Context(), service, "GET", nil)
	failure, ok := osapi.FailureOf(err)
	require.True(t, ok)
	assert.Equal(t, 401, failure.StatusCode)
	assert.Equal(t, "req-1", failure.RequestID())
	require.ErrorContains(t, err, "401 Unauthorized; the login could not be renewed: ")
	refused, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err)
	require.True(t, ok)
	assert.Equal(t, 403, refused.Actual)
}

func TestWatchAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answers := []int{503, 502, 200}
		service := newService(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
			status := answers[0]
			answers = answers[1:]
			return answer(r, status), nil
		}))
		ctx, count := osapi.WatchAttempts(t.Context())
		require.NoError(t, request(ctx, service, "GET", nil))
		assert.Equal(t, 3, count.Sent())
	})
}
