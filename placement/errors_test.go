package placement

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		code   string
		kind   error
	}{
		{"token", 401, "", ErrUnauthorized},
		{"role", 403, "placement.undefined_code", ErrForbidden},
		{"missing", 404, "placement.undefined_code", ErrNotFound},
		{"version", 406, "", ErrVersion},
		{"generation", 409, "placement.concurrent_update", ErrConcurrentUpdate},
		{"name", 409, "placement.duplicate_name", ErrForeign},
		{"inventory", 409, "placement.inventory.inuse", ErrInUse},
		{"children", 409, "placement.resource_provider.cannot_delete_parent", ErrInUse},
		{"allocations", 409, "placement.resource_provider.inuse", ErrInUse},
		{"other conflict", 409, "placement.undefined_code", nil},
		{"bad request", 400, "placement.undefined_code", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.kind, kindOf(test.status, test.code))
		})
	}
}

func TestErrorsOfARealAnswer(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		_, err := c.Provider(t.Context(), "no-such-provider")
		require.ErrorIs(t, err, ErrNotFound)
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "get provider no-such-provider", e.Op)
		assert.Equal(t, http.StatusNotFound, e.StatusCode)
		assert.Contains(t, e.Detail, "no-such-provider")
		assert.NotContains(t, e.Detail, "\n")
		_, err = c.ProviderByName(t.Context(), "no-such-provider")
		require.ErrorIs(t, err, ErrNotFound)
	})
}

func TestWrongTokens(t *testing.T) {
	t.Parallel()
	_, server := inMemoryThrough(t, func(rt http.RoundTripper) http.RoundTripper { return rt })
	tests := []struct {
		name string
		opts []Option
		kind error
	}{
		{"none", nil, ErrUnauthorized},
		{"without a role", []Option{WithToken("guest")}, ErrForbidden},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, append(test.opts, WithEndpoint(server.URL()), WithTransport(server.Transport()))...)
			_, err := c.ProviderByName(t.Context(), "x")
			require.ErrorIs(t, err, test.kind)
			assert.NotContains(t, err.Error(), "guest")
		})
	}
}

func TestBadOptionsAreReportedByNew(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		option Option
		want   string
	}{
		{"endpoint", WithEndpoint("not a url"), "is no http or https URL"},
		{"cloud", WithCloud(""), "name of the cloud is empty"},
		{"token", WithToken(""), "token is empty"},
		{"transport", WithTransport(nil), "transport is nil"},
		{"provider", WithProvider(nil, gophercloud.EndpointOpts{}), "provider client is nil"},
		{"tls", WithTLS(nil), "TLS configuration is nil"},
		{"interface", WithInterface("side"), `interface "side" is none of`},
		{"retries", WithRetries(-1, 0, 0), "negative"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(t.Context(), test.option)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.ErrorContains(t, err, "connect to placement: ")
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestOptionsReachTheRequests(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var agent string
	_, server := inMemoryThrough(t, func(rt http.RoundTripper) http.RoundTripper { return rt })
	c := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithUserAgent("tester/1"), WithRegion("r"),
		WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
			agent = r.UserAgent()
			return server.Transport().RoundTrip(r)
		})))
	_, err := c.ProviderByName(t.Context(), "x")
	require.ErrorIs(t, err, ErrNotFound)
	assert.Contains(t, agent, "tester/1")
	assert.Contains(t, log.String(), "/resource_providers")
	assert.NotContains(t, log.String(), "admin")
}

func TestErrorUnwrapsToTheCause(t *testing.T) {
	t.Parallel()
	err := wrap("get x", context.DeadlineExceeded)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, "get x: context deadline exceeded")
	require.NoError(t, wrap("get x", nil))
	assert.EqualError(t, refuse(ErrMapping, "find y", "%d providers", 2), "find y: 2 providers: no single provider for the group")
}

func FuzzErrorBody(f *testing.F) {
	f.Add([]byte(`{"errors":[{"status":409,"code":"placement.concurrent_update","detail":"Sentence.\n\n Reason.  ","request_id":"req-1"}]}`))
	f.Add([]byte(`{"errors":[]}`))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := &Error{Op: "op", StatusCode: 409}
		e.readBody(body)
		if utf8.Valid(body) && !utf8.ValidString(e.Error()) {
			t.Errorf("%q gives the invalid text %q", body, e.Error())
		}
		if !json.Valid(body) && e.Detail != "Conflict" {
			t.Errorf("%q is no JSON, but the detail is %q", body, e.Detail)
		}
	})
}

func FuzzInventory(f *testing.F) {
	f.Add([]byte(`{"total":2.0,"reserved":0,"min_unit":1,"max_unit":2,"step_size":1,"allocation_ratio":1.5}`))
	f.Add([]byte(`{"total":"two"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		set := inventorySet{"FPGA": raw}
		got, found := set.get("FPGA")
		if !found {
			t.Error("a class that is there must be found, or it would be overwritten as missing")
		}
		if got.check() == nil {
			set.set("FPGA", got)
			if again, _ := set.get("FPGA"); again != got.withDefaults() {
				t.Errorf("%+v comes back as %+v", got, again)
			}
		}
	})
}

var errNotAsked = errors.New("not asked")

func TestServerVersionIsAskedOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	c, _ := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/" {
				if asked++; asked <= 3 {
					return nil, errNotAsked
				}
			}
			return next.RoundTrip(r)
		})
	})
	_, err := c.serverMax(t.Context())
	require.ErrorIs(t, err, errNotAsked, "a failure is not kept")
	for range 2 {
		newest, err := c.serverMax(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 39, newest)
	}
	assert.Equal(t, 4, asked)
}

// An answer that does not speak of allocations must not pass for "holds nothing": Release would be done too early.
func TestAnswersWithoutAllocations(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `null`, `{"allocations": null}`, `{"arqs": []}`, `<html>`, ``} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			c := inMemory(t)
			claim := Claim{Consumer: newConsumer(), Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}}
			_, err := c.serverMax(t.Context())
			require.NoError(t, err)
			strange := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
			})))
			c.service = strange.service
			_, err = c.Provider(t.Context(), "p")
			require.ErrorContains(t, err, "get provider p: ")
			held, err := c.Allocations(t.Context(), claim.Consumer.UUID)
			require.ErrorContains(t, err, "get allocations of consumer "+claim.Consumer.UUID)
			assert.Nil(t, held)
			require.Error(t, c.Release(t.Context(), claim))
			claim.Generation = 1
			require.Error(t, c.Release(t.Context(), claim))
		})
	}
}
