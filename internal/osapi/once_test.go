package osapi_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Only a request that never left is sent again.
func TestAtMostOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		status    int
		err       error
		attempts  int
		neverSent bool
	}{
		{name: "429", status: 429, attempts: 1},
		{name: "502", status: 502, attempts: 1},
		{name: "503 with Retry-After", status: 503, attempts: 1},
		{name: "504", status: 504, attempts: 1},
		{name: "reset", err: &net.OpError{Op: "read", Err: io.ErrUnexpectedEOF}, attempts: 1},
		{name: "connection refused", err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}, attempts: 4, neverSent: true},
		{name: "no such host", err: &net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, attempts: 1, neverSent: true},
	}
	for _, tt := range tests {
		for _, method := range []string{"GET", "PUT", "DELETE", "POST", "PATCH"} {
			t.Run(tt.name+" "+method, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					attempts := 0
					service := newService(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
						attempts++
						if tt.err != nil {
							return nil, tt.err
						}
						return answer(r, tt.status, "Retry-After", "1"), nil
					}))
					err := request(osapi.AtMostOnce(t.Context()), service, method, nil)
					require.Error(t, err)
					assert.Equal(t, tt.attempts, attempts)
					assert.Equal(t, tt.neverSent, osapi.NeverSent(err))
				})
			})
		}
	}
}

// A failed reading of the versions is not kept, a successful one is, and none
// of those who ask waits for another's deadline.
func TestKnownVersions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken, asked := true, 0
		service := newService(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
			asked++
			if broken {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			resp := answer(r, 200)
			resp.Body = io.NopCloser(strings.NewReader(`{"id": "v2.0", "max_version": "2.3", "min_version": "2.0"}`))
			return resp, nil
		}))
		var known osapi.KnownVersions
		patient, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		read := func(ctx context.Context) (osapi.Versions, error) {
			versions, _, err := osapi.Discover(ctx, service)
			return versions, err
		}
		go func() { _, _ = known.Get(patient, read) }()
		synctest.Wait()
		hasty, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		start := time.Now()
		_, err := known.Get(hasty, read)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))

		broken, asked = false, 0
		for range 2 {
			versions, err := known.Get(t.Context(), read)
			require.NoError(t, err)
			assert.Equal(t, osapi.Versions{Min: osapi.Microversion{Major: 2}, Max: osapi.Microversion{Major: 2, Minor: 3}}, versions)
		}
		assert.Equal(t, 1, asked)
		assert.Equal(t, 3*time.Second, time.Since(start), "a reading that hangs is not waited for")
		cancel()
		synctest.Wait()
	})
}

func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	const form = `{"error": {"code": 401, "title": "Unauthorized", "message": "log in"}}`
	tests := []struct {
		name string
		osapi.Failure
		want bool
	}{
		{name: "Keystone's", Failure: osapi.Failure{StatusCode: 401, Body: []byte(form)}, want: true},
		{name: "another status", Failure: osapi.Failure{StatusCode: 403, Body: []byte(form)}},
		{name: "a proxy's", Failure: osapi.Failure{StatusCode: 401, Body: []byte(`{"error": "no"}`)}},
		{name: "a page", Failure: osapi.Failure{StatusCode: 401, Body: []byte(`<html>`)}},
		{name: "empty", Failure: osapi.Failure{StatusCode: 401}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, tt.RefusedLogin())
		})
	}
}
