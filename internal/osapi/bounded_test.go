package osapi_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// blanks is an answer of that many blanks, whose reading is counted.
type blanks struct{ left, read int64 }

func (b *blanks) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), b.left))
	copy(p, bytes.Repeat([]byte{' '}, n))
	b.left -= int64(n)
	b.read += int64(n)
	return n, nil
}

// An answer has an end, also that of a login which the caller has.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	const most = 64 << 20
	tests := []struct {
		name   string
		status int
		length int64
		read   int64 // at most
		err    error
	}{
		{name: "just right", status: 200, length: most, read: most},
		{name: "too long", status: 200, length: most + 1, read: most + 1, err: osapi.ErrTooLong},
		{name: "endless", status: 200, length: 1 << 60, read: most + 1, err: osapi.ErrTooLong},
		{name: "endless error", status: 500, length: 1 << 60, read: 1<<20 + 1},
	}
	for _, tt := range tests {
		for _, borrowed := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				body := &blanks{left: tt.length}
				transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
					resp := answer(r, tt.status)
					resp.Body = io.NopCloser(body)
					return resp, nil
				})
				service := newService(t, transport)
				if borrowed {
					owner := &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: transport}}
					var err error
					service, err = osapi.NewService(t.Context(), "accelerator", osapi.WithProvider(owner, gophercloud.EndpointOpts{}), osapi.WithEndpoint("http://service.example"))
					require.NoError(t, err)
				}
				resp, err := service.Request(t.Context(), "GET", service.ServiceURL("things"), &gophercloud.RequestOpts{OkCodes: []int{200}, KeepResponseBody: true})
				if tt.status == 200 {
					require.NoError(t, err)
					_, err = io.Copy(io.Discard, resp.Body)
					require.NoError(t, resp.Body.Close())
					require.ErrorIs(t, err, tt.err)
				} else {
					assert.True(t, gophercloud.ResponseCodeIs(err, tt.status), "%v", err)
				}
				assert.LessOrEqual(t, body.read, tt.read)
			})
		}
	}
}

// An attempt whose outcome is not known is told from one that surely failed.
func TestUnclearAttempts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		status  int
		err     error
		unclear bool
	}{
		{name: "done", status: 204},
		{name: "refused", status: 404},
		{name: "overloaded", status: 503},
		{name: "gateway gave up", status: 504, unclear: true},
		{name: "gateway lost it", status: 502, unclear: true},
		{name: "lost", err: io.ErrUnexpectedEOF, unclear: true},
		{name: "no connection", err: &net.OpError{Op: "dial", Err: io.EOF}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := true
			service := newService(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
				if first && tt.err != nil {
					first = false
					return nil, tt.err
				}
				if first && tt.status != 0 {
					first = false
					return answer(r, tt.status), nil
				}
				return answer(r, 404), nil
			}), osapi.WithRetries(1, 0, 0))
			ctx, attempts := osapi.WatchAttempts(t.Context())
			_ = request(ctx, service, "DELETE", nil)
			assert.Equal(t, tt.unclear, attempts.Unclear())
		})
	}
}

// An alert of TLS is not met a second time: the other side wants a certificate.
func TestAlertsAreNotRepeated(t *testing.T) {
	t.Parallel()
	attempts := 0
	service := newService(t, roundTripFunc(func(*http.Request) (*http.Response, error) {
		attempts++
		return nil, &net.OpError{Op: "remote error", Err: io.EOF}
	}), osapi.WithRetries(3, 0, 0))
	require.Error(t, request(t.Context(), service, "GET", nil))
	assert.Equal(t, 1, attempts)
}

func TestNilOption(t *testing.T) {
	t.Parallel()
	_, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint("http://h"), nil)
	require.ErrorContains(t, err, "option 1 is nil")
}

// Whoever sends its own token needs one, and a second login must be one.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestServiceTokensThatThereAreNot(t *testing.T) {
	setCloud(t, `{clouds: {n: {auth_type: none, auth: {endpoint: "http://x.example"}}}}`)
	_, err := osapi.Connect(t.Context(), "accelerator", osapi.WithEndpoint("http://h"), osapi.WithOwnServiceToken())
	require.ErrorContains(t, err, "there is no login")
	_, err = osapi.Connect(t.Context(), "accelerator", osapi.WithEndpoint("http://h"), osapi.WithServiceCloud("n"))
	require.ErrorContains(t, err, "cloud n logs in nowhere (auth_type none)")
}

// A login that may not be renewed is not.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestAllowReauth(t *testing.T) {
	for entry, logins := range map[string]int{`x: y`: 2, `allow_reauth: false`: 1, `allow_reauth: no`: 1, `allow_reauth: true`: 2} {
		k := new(keystone)
		setCloud(t, `{clouds: {test: {auth: {auth_url: "http://keystone.example/v3", username: u, password: p, user_domain_id: d}, `+entry+`}}}`)
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithCloud("test"), osapi.WithTransport(split(k, refusing("token-1"))), osapi.WithEndpoint("http://service.example"))
		require.NoError(t, err)
		assert.Equal(t, logins == 2, request(context.Background(), service, "GET", nil) == nil, entry)
		assert.Equal(t, logins, k.loginCount(), entry)
	}
}

// Many who ask first read the versions once.
func TestVersionsAreReadOnce(t *testing.T) {
	t.Parallel()
	var known osapi.KnownVersions
	var reads atomic.Int32
	var wg sync.WaitGroup
	want := osapi.Versions{Max: osapi.Microversion{Major: 2, Minor: 3}}
	for range 100 {
		wg.Go(func() {
			versions, err := known.Get(t.Context(), func(context.Context) (osapi.Versions, error) {
				reads.Add(1)
				time.Sleep(20 * time.Millisecond)
				return want, nil
			})
			assert.NoError(t, err) //nolint:testifylint // not in this goroutine
			assert.Equal(t, want, versions)
		})
	}
	wg.Wait()
	assert.Equal(t, int32(1), reads.Load())

	known.Look(http.Header{})
	known.Look(http.Header{"Openstack-Api-Maximum-Version": {"2.3"}})
	_, ok := known.Known()
	assert.True(t, ok)
	known.Look(http.Header{"Openstack-Api-Maximum-Version": {"2.2"}})
	_, ok = known.Known()
	assert.False(t, ok, "the server is another one")
}
