package osapi_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answer makes a response as a transport does.
func answer(r *http.Request, status int, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}
	for i := 0; i+1 < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

// newService makes a client without login over the transport.
func newService(t *testing.T, transport http.RoundTripper, opts ...osapi.Option) *gophercloud.ServiceClient {
	t.Helper()
	opts = append([]osapi.Option{osapi.WithEndpoint("http://service.example/v2"), osapi.WithTransport(transport)}, opts...)
	service, err := osapi.NewService(t.Context(), "accelerator", opts...)
	require.NoError(t, err)
	return service
}

func request(ctx context.Context, service *gophercloud.ServiceClient, method string, body any) error {
	opts := &gophercloud.RequestOpts{OkCodes: []int{200, 202, 204}}
	if reader, ok := body.(io.Reader); ok {
		opts.RawBody = reader
	} else {
		opts.JSONBody = body
	}
	//nolint:bodyclose // gophercloud reads and closes it
	_, err := service.Request(ctx, method, service.ServiceURL("things"), opts)
	return err
}

func TestRetryByMeaning(t *testing.T) {
	t.Parallel()
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	reset := &net.OpError{Op: "read", Net: "tcp", Err: errors.New("connection reset")}
	reads := []string{"GET", "HEAD", "PUT", "DELETE"}
	writes := []string{"POST", "PATCH"}
	tests := []struct {
		name       string
		methods    []string
		status     int
		retryAfter string
		err        error
		attempts   int
	}{
		{name: "429 of a read", methods: reads, status: 429, attempts: 4},
		{name: "429 of a write", methods: writes, status: 429, attempts: 4},
		{name: "502 of a read", methods: reads, status: 502, attempts: 4},
		{name: "502 of a write", methods: writes, status: 502, attempts: 1},
		{name: "503 of a read", methods: reads, status: 503, attempts: 4},
		{name: "503 of a write", methods: writes, status: 503, attempts: 1},
		{name: "503 with Retry-After of a write", methods: writes, status: 503, retryAfter: "1", attempts: 4},
		{name: "504 of a read", methods: reads, status: 504, attempts: 4},
		{name: "504 of a write", methods: writes, status: 504, attempts: 1},
		{name: "500", methods: append(reads, writes...), status: 500, attempts: 1},
		{name: "423, not yet", methods: append(reads, writes...), status: 423, attempts: 1},
		{name: "409, the caller's business", methods: append(reads, writes...), status: 409, attempts: 1},
		{name: "404", methods: append(reads, writes...), status: 404, attempts: 1},
		{name: "connection refused", methods: append(reads, writes...), err: dial, attempts: 4},
		{name: "reply lost, read", methods: reads, err: reset, attempts: 4},
		{name: "reply lost, write", methods: writes, err: reset, attempts: 1},
		{name: "connection closed, read", methods: reads, err: io.ErrUnexpectedEOF, attempts: 4},
		{name: "connection closed, write", methods: writes, err: io.ErrUnexpectedEOF, attempts: 1},
		{name: "no such host", methods: reads, err: &net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, attempts: 1},
	}
	for _, tt := range tests {
		for _, method := range tt.methods {
			t.Run(tt.name+" "+method, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					attempts := 0
					service := newService(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
						attempts++
						if tt.err != nil {
							return nil, tt.err
						}
						return answer(r, tt.status, "Retry-After", tt.retryAfter), nil
					}))
					err := request(t.Context(), service, method, nil)
					require.Error(t, err)
					assert.Equal(t, tt.attempts, attempts)
					if tt.err != nil {
						require.ErrorIs(t, err, tt.err)
						assert.True(t, osapi.Unreachable(err))
						return
					}
					assert.True(t, gophercloud.ResponseCodeIs(err, tt.status), "the last answer must keep its status: %v", err)
				})
			})
		}
	}
}

// A retry hook of gophercloud beside ours would multiply the attempts.
func TestOneLayerOfRetries(t *testing.T) {
	t.Parallel()
	service := newService(t, roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, errors.ErrUnsupported }))
	assert.Nil(t, service.RetryFunc)
	assert.Nil(t, service.RetryBackoffFunc)
}

func TestBodyIsIntactOnEachAttempt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body any
		want string
	}{
		{name: "JSON", body: map[string]string{"device_profile_name": "p"}, want: `{"device_profile_name":"p"}`},
		{name: "raw", body: strings.NewReader("raw body"), want: "raw body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var seen recorder
			server := startService(t, func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, int64(len(tt.want)), r.ContentLength, "uwsgi does not read chunked bodies")
				if seen.record(t, r) < 3 {
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				w.WriteHeader(http.StatusAccepted)
			})
			service, err := osapi.NewService(t.Context(), "accelerator",
				osapi.WithEndpoint(server.URL), osapi.WithRetries(3, time.Millisecond, time.Millisecond))
			require.NoError(t, err)
			require.NoError(t, request(t.Context(), service, "PATCH", tt.body))
			assert.Equal(t, []string{tt.want, tt.want, tt.want}, seen.bodies)
		})
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		retryAfter string
		want       time.Duration // of three waits between 1 s and 10 s
	}{
		{name: "doubling without Retry-After", want: 7 * time.Second},
		{name: "seconds", retryAfter: "5", want: 15 * time.Second},
		{name: "seconds with blanks", retryAfter: " 5 ", want: 15 * time.Second},
		{name: "none, but never at once", retryAfter: "0", want: 3 * time.Second},
		{name: "capped", retryAfter: "3600", want: 30 * time.Second},
		{name: "larger than a duration", retryAfter: "9223372036854775807", want: 30 * time.Second},
		{name: "larger than an integer", retryAfter: "99999999999999999999", want: 30 * time.Second},
		{name: "date in the past", retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT", want: 3 * time.Second},
		{name: "date far away", retryAfter: "Fri, 31 Dec 2100 23:59:59 GMT", want: 30 * time.Second},
		{name: "old date form", retryAfter: "Friday, 31-Dec-99 23:59:59 GMT", want: 3 * time.Second},
		{name: "nonsense", retryAfter: "soon", want: 7 * time.Second},
		{name: "negative", retryAfter: "-5", want: 7 * time.Second},
		{name: "fraction", retryAfter: "1.5", want: 7 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := newService(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
					return answer(r, 503, "Retry-After", tt.retryAfter), nil
				}), osapi.WithRetries(3, time.Second, 10*time.Second))
				start := time.Now()
				require.Error(t, request(t.Context(), service, "GET", nil))
				assert.Equal(t, tt.want, time.Since(start))
			})
		})
	}
}

// The date form is counted from now.
func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, roundTripFunc(func(r *http.Request) (*http.Response, error) {
			return answer(r, 429, "Retry-After", time.Now().Add(7*time.Second).UTC().Format(http.TimeFormat)), nil
		}), osapi.WithRetries(1, time.Second, time.Minute))
		start := time.Now()
		require.Error(t, request(t.Context(), service, "GET", nil))
		assert.Equal(t, 7*time.Second, time.Since(start))
	})
}

func TestDeadlineIsKept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		latency time.Duration
		status  int
	}{
		{name: "during a wait", status: 503},
		{name: "during an attempt", latency: time.Hour, status: 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var attempts atomic.Int32
				handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					attempts.Add(1)
					select {
					case <-time.After(tt.latency):
					case <-r.Context().Done():
					}
					w.Header().Set("Retry-After", "60")
					w.WriteHeader(tt.status)
				})
				service := newService(t, inMemory{handler}, osapi.WithRetries(3, time.Second, time.Minute))
				ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
				defer cancel()
				start := time.Now()
				err := request(ctx, service, "GET", nil)
				failure, answered := osapi.FailureOf(err)
				assert.Equal(t, tt.latency == 0, answered)
				if answered { // the deadline would end the wait: the answer is worth more
					assert.Equal(t, tt.status, failure.StatusCode)
					assert.Equal(t, time.Minute, time.Since(start))
				} else {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					assert.Equal(t, 90*time.Second, time.Since(start))
				}
				assert.False(t, osapi.Unreachable(err), "the caller gave up, the service may be well")
				assert.LessOrEqual(t, attempts.Load(), int32(2))
			})
		})
	}
}

// Virtual time works through gophercloud and the retries: 30 s of latency three
// times and two waits of 60 s take no time at all.
func TestVirtualTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(30 * time.Second)
			if attempts++; attempts < 3 {
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		service := newService(t, inMemory{handler}, osapi.WithRetries(3, time.Second, time.Minute))
		start := time.Now()
		require.NoError(t, request(t.Context(), service, "GET", nil))
		assert.Equal(t, 3*30*time.Second+2*time.Minute, time.Since(start))
	})
}
