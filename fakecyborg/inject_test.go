package fakecyborg_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

// faultyServer is a server of [twoHosts] with rules.
func faultyServer(t testing.TB, rules []fault.Rule, opts ...fakecyborg.Option) *fakecyborg.Server {
	t.Helper()
	server, err := fakecyborg.New(append([]fakecyborg.Option{fakecyborg.WithSeed(twoHosts())}, opts...)...)
	require.NoError(t, err)
	require.NoError(t, server.Faults().Add(rules...))
	return server
}

// overBoth runs a test over sockets and in memory, each with its own server. A
// connection is used once, so that no request is repeated by net/http.
func overBoth(t *testing.T, rules []fault.Rule, test func(t *testing.T, server *fakecyborg.Server, c client)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		server := faultyServer(t, rules)
		test(t, server, clientOf(server))
	})
	t.Run("sockets", func(t *testing.T) {
		t.Parallel()
		server := fakecyborg.Start(t, fakecyborg.WithSeed(twoHosts()))
		require.NoError(t, server.Faults().Add(rules...))
		transport := &http.Transport{DisableKeepAlives: true}
		t.Cleanup(transport.CloseIdleConnections)
		test(t, server, client{base: server.URL(), http: &http.Client{Transport: transport}, handler: server})
	})
}

// try is [client.call] for requests that may end without an answer.
func (c client) try(ctx context.Context, method, path string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, http.NoBody)
	if err != nil {
		return answer{}, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return answer{status: response.StatusCode, header: response.Header, body: string(data)}, err
}

func TestStatusInEveryForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		fault       fault.Fault
		status      int
		contentType string
		body        string
	}{
		{
			name: "controller", fault: fault.Status{Code: 409, Text: "Clash"}, status: 409, contentType: "application/json",
			body: `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"Clash\", \"debuginfo\": null}"}`,
		},
		{
			name: "conductor", fault: fault.Status{Code: 500, Text: "Remote error: X", Form: fault.Conductor}, status: 500, contentType: "application/json",
			body: `^\{"error_message": "\{\\"faultcode\\": \\"Server\\", \\"faultstring\\": \\"Remote error: X\\\\nTraceback`,
		},
		{
			name: "routing", fault: fault.Status{Code: 404}, status: 404, contentType: "application/json",
			body: `{"error_message": "{\"code\": 404, \"title\": \"Not Found\", \"description\": \"A fault was asked for\"}"}`,
		},
		{name: "lock", fault: fault.Status{Code: 423}, status: 423, contentType: "application/json", body: `{"error_message": "null"}`},
		{
			name: "keystone", fault: fault.Unauthorized{}, status: 401, contentType: "application/json",
			body: `{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}`,
		},
		{
			name: "gateway", fault: fault.Status{Code: 503, RetryAfter: 7}, status: 503, contentType: "text/html",
			body: `^<html><head><title>503 Service Unavailable</title>`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, []fault.Rule{{Operation: "device:get_all", First: 1, Fault: test.fault}}, func(t *testing.T, server *fakecyborg.Server, c client) {
				got := c.call(t, http.MethodGet, "/v2/devices", "", "Accept", "application/json")
				assert.Equal(t, test.status, got.status)
				assert.Equal(t, test.contentType, got.header.Get("Content-Type"))
				assert.Equal(t, "fault-1", got.header.Get("X-Fake-Fault"))
				if test.body[0] == '^' {
					assert.Regexp(t, test.body, got.body)
				} else {
					assert.Equal(t, test.body, got.body)
				}
				if test.status == 503 {
					assert.Equal(t, "7", got.header.Get("Retry-After"))
				}
				if test.status == 401 {
					assert.Contains(t, got.header.Get("WWW-Authenticate"), "Keystone uri=")
				}
				after := c.call(t, http.MethodGet, "/v2/devices", "")
				assert.Equal(t, http.StatusOK, after.status, "once")
				assert.Empty(t, after.header.Get("X-Fake-Fault"))
				assert.Equal(t, 1, server.Faults().Hits("fault-1"))
			})
		})
	}
}

func TestWrongMicroversion(t *testing.T) {
	t.Parallel()
	overBoth(t, []fault.Rule{{Operation: "device:get_all", Sequence: []fault.Fault{fault.Version{Value: "accelerator 2.0"}, fault.Version{}}}}, func(t *testing.T, _ *fakecyborg.Server, c client) {
		for _, want := range []string{"accelerator 2.0", "", "accelerator 2.3"} {
			got := c.call(t, http.MethodGet, "/v2/devices", "", "OpenStack-API-Version", "accelerator 2.3")
			assert.Equal(t, want, got.header.Get("OpenStack-API-Version"))
			assert.Contains(t, got.body, `"status"`, "it runs at 2.3 all the same")
		}
	})
}

// TestConnectionDropped: the client sees what net/http gives when a server dies,
// and the effect is there or is not.
func TestConnectionDropped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault fault.Fault
		is    error
		left  int
	}{
		{name: "before", fault: fault.DropBefore{}, is: io.EOF},
		{name: "after", fault: fault.DropAfter{}, is: io.EOF, left: 1},
		{name: "reset before", fault: fault.DropBefore{Reset: true}, is: syscall.ECONNRESET},
		{name: "reset after", fault: fault.DropAfter{Reset: true}, is: syscall.ECONNRESET, left: 1},
		{name: "cut", fault: fault.Cut{}, is: io.ErrUnexpectedEOF, left: 1},
		{name: "cut at the end", fault: fault.Cut{After: 1 << 30}, is: io.ErrUnexpectedEOF, left: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, []fault.Rule{{Operation: "arq:create", First: 1, Fault: test.fault}}, func(t *testing.T, server *fakecyborg.Server, c client) {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+"/v2/accelerator_requests", jsonBody(`{"device_profile_name": "one-fpga"}`))
				require.NoError(t, err)
				request.Header.Set("Content-Type", "application/json")
				response, err := c.http.Do(request)
				if err == nil {
					_, err = io.ReadAll(response.Body)
					_ = response.Body.Close()
				}
				require.ErrorIs(t, err, test.is)
				entries := server.Journal().Entries(journal.Filter{Operation: "arq:create"}.Match)
				require.Len(t, entries, 1)
				assert.NotEmpty(t, entries[0].Error)
				assert.Equal(t, "fault-1", entries[0].Fault)
				assert.Len(t, c.call(t, http.MethodGet, "/v2/accelerator_requests", "").arqs(t), test.left)
			})
		})
	}
}

// TestCutOfNothing: an answer without body has no middle.
func TestCutOfNothing(t *testing.T) {
	t.Parallel()
	overBoth(t, []fault.Rule{{Operation: "arq:delete", Fault: fault.Cut{}}}, func(t *testing.T, server *fakecyborg.Server, c client) {
		arq := c.makeARQs(t, "one-fpga")[0]
		_, err := c.try(t.Context(), http.MethodDelete, "/v2/accelerator_requests/"+arq.UUID)
		require.ErrorIs(t, err, io.EOF)
		server.AssertNoLeaks(t)
	})
}

func TestStatusAfterTheEffect(t *testing.T) {
	t.Parallel()
	overBoth(t, []fault.Rule{{Operation: "arq:create", Fault: fault.Status{Code: 504, AfterEffect: true}}}, func(t *testing.T, server *fakecyborg.Server, c client) {
		made := c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`)
		assert.Equal(t, 504, made.status)
		assert.Equal(t, map[string]int{"Initial": 1}, server.State("").ARQs)
	})
}

// TestHang: the exchange ends when the client gives up, and is in the journal as
// long as it lasts.
func TestHang(t *testing.T) {
	t.Parallel()
	overBoth(t, []fault.Rule{{Operation: "device:get_all", Fault: fault.Hang{}}}, func(t *testing.T, server *fakecyborg.Server, c client) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := c.try(ctx, http.MethodGet, "/v2/devices")
			ended <- err
		}()
		entries, err := server.Journal().WaitFor(t.Context(), 1, journal.Filter{Operation: "device:get_all"}.Match)
		require.NoError(t, err)
		assert.True(t, entries[0].InFlight)
		assert.Equal(t, []string{"1 exchanges or events are in flight"}, server.Leaks(""))
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		server.AssertNoLeaks(t)
	})
}

func TestHangInVirtualTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(faultyServer(t, []fault.Rule{{Operation: "device:get_all", Fault: fault.Hang{}}}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begun := time.Now()
		_, err := c.try(ctx, http.MethodGet, "/v2/devices")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Hour, time.Since(begun))
	})
}

func TestLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := faultyServer(t, []fault.Rule{
			{Operation: "device:get_all", First: 1, Fault: fault.Latency{For: 40 * time.Second}},
			{Operation: "device:get_all", First: 1, Fault: fault.Status{Code: 504, After: time.Minute}},
		})
		c := clientOf(server)
		begun := time.Now()
		assert.Equal(t, 200, c.call(t, http.MethodGet, "/v2/devices", "").status)
		assert.Equal(t, 40*time.Second, time.Since(begun))
		assert.Equal(t, 504, c.call(t, http.MethodGet, "/v2/devices", "").status)
		assert.Equal(t, 100*time.Second, time.Since(begun))
		entries := server.Journal().Entries(nil)
		assert.Equal(t, 40*time.Second, entries[0].Duration)
	})
}

// TestLatencyOfAClientThatGoes: nothing is done for who has given up.
func TestLatencyOfAClientThatGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := faultyServer(t, []fault.Rule{{Operation: "device_profile:delete", Fault: fault.Latency{For: time.Minute}}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := clientOf(server).try(ctx, http.MethodDelete, "/v2/device_profiles/one-fpga")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		assert.Equal(t, 4, server.State("").DeviceProfiles)
	})
}

// TestRulesSeeWhatARequestIsAbout: the request of an instance or host is found in
// body, path and query, and through what the store knows.
func TestRulesSeeWhatARequestIsAbout(t *testing.T) {
	t.Parallel()
	server := faultyServer(t, nil)
	c := clientOf(server)
	arq := c.makeARQs(t, "one-fpga")[0].UUID
	other := c.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
	var devices struct {
		Devices []struct{ UUID, Hostname string }
	}
	decodeInto(t, c.call(t, http.MethodGet, "/v2/devices", "").body, &devices)
	var deployables struct{ Deployables []struct{ UUID, Name string } }
	decodeInto(t, c.call(t, http.MethodGet, "/v2/deployables", "").body, &deployables)
	for _, test := range []struct {
		name         string
		rule         fault.Rule
		method, path string
		body         string
		hit          bool
	}{
		{name: "ARQ in the path", rule: fault.Rule{ARQ: arq}, method: "GET", path: "accelerator_requests/" + arq, hit: true},
		{name: "other ARQ in the path", rule: fault.Rule{ARQ: arq}, method: "GET", path: "accelerator_requests/" + other},
		{name: "instance of the ARQ in the path", rule: fault.Rule{Instance: instanceA}, method: "GET", path: "accelerator_requests/" + arq, hit: true},
		{name: "host of the ARQ in the path", rule: fault.Rule{Host: "rack1"}, method: "GET", path: "accelerator_requests/" + arq, hit: true},
		{name: "instance in the query", rule: fault.Rule{Instance: instanceB}, method: "GET", path: "accelerator_requests?instance=" + instanceB, hit: true},
		{name: "ARQ in a list in the query", rule: fault.Rule{ARQ: other}, method: "DELETE", path: "accelerator_requests?arqs=" + instanceB + "," + other, hit: true},
		{name: "ARQ in the body", rule: fault.Rule{ARQ: other}, method: "PATCH", path: "accelerator_requests", body: unbindBody(other), hit: true},
		{name: "host in the body", rule: fault.Rule{Host: "rack9"}, method: "PATCH", path: "accelerator_requests", body: bindBody(binding{other, "rack9", "r", instanceB}), hit: true},
		{name: "instance in the body", rule: fault.Rule{Instance: instanceB}, method: "PATCH", path: "accelerator_requests", body: bindBody(binding{other, "rack9", "r", instanceB}), hit: true},
		{name: "instance that is unbound", rule: fault.Rule{Instance: instanceA}, method: "PATCH", path: "accelerator_requests", body: unbindBody(arq), hit: true},
		{name: "no JSON", rule: fault.Rule{Instance: instanceA}, method: "PATCH", path: "accelerator_requests", body: "{"},
		{name: "host of a device", rule: fault.Rule{Host: devices.Devices[0].Hostname}, method: "GET", path: "devices/" + devices.Devices[0].UUID, hit: true},
		{name: "host of a deployable", rule: fault.Rule{Host: devices.Devices[0].Hostname}, method: "GET", path: "deployables/" + deployables.Deployables[0].UUID, hit: true},
		{name: "host in the query", rule: fault.Rule{Host: "rack2"}, method: "GET", path: "devices?hostname=rack2", hit: true},
	} {
		server.Faults().Clear("")
		test.rule.Operation, test.rule.Fault = fault.Any, fault.Status{Code: 599, Text: "hit"}
		require.NoError(t, server.Faults().Add(test.rule))
		got := c.call(t, test.method, "/v2/"+test.path, test.body)
		assert.Equal(t, test.hit, got.status == 599, "%s: %d %s", test.name, got.status, got.body)
	}
}

func TestFaultsOfOneScope(t *testing.T) {
	t.Parallel()
	server := faultyServer(t, []fault.Rule{{Operation: "device:get_all", Scope: "mine", Fault: fault.Status{Code: 500}}})
	c := clientOf(server)
	assert.Equal(t, 200, c.call(t, http.MethodGet, "/v2/devices", "").status)
	assert.Equal(t, 500, c.call(t, http.MethodGet, "/v2/devices", "", "X-Fake-Scope", "mine").status)
	assert.Equal(t, 200, c.call(t, http.MethodGet, "/v2/devices", "", "X-Fake-Scope", "theirs").status)
	assert.Len(t, server.Journal().Entries(journal.Filter{Scope: "mine"}.Match), 1)
}

// TestDropOfAReusedConnection documents what net/http does by itself: a GET whose
// reused connection dies is sent again.
func TestDropOfAReusedConnection(t *testing.T) {
	t.Parallel()
	server := fakecyborg.Start(t, fakecyborg.WithSeed(twoHosts()))
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := client{base: server.URL(), http: &http.Client{Transport: transport}}
	require.Equal(t, 200, c.call(t, http.MethodGet, "/v2/devices", "").status)
	require.NoError(t, server.Faults().Add(fault.Rule{Operation: "device:get_all", First: 1, Fault: fault.DropBefore{}}))
	got, err := c.try(t.Context(), http.MethodGet, "/v2/devices")
	require.NoError(t, err)
	assert.Equal(t, 200, got.status)
	assert.Equal(t, 3, server.Journal().Counts("")["device:get_all"])
}

// TestHandlerThatPanics: only the panic that net/http knows is a dropped connection.
func TestHandlerThatPanics(t *testing.T) {
	t.Parallel()
	transport := fakecyborg.HandlerTransport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, err := io.WriteString(w, "half")
		assert.NoError(t, err)
		panic(http.ErrAbortHandler)
	}))
	got, err := client{base: "http://x.invalid", http: &http.Client{Transport: transport}}.try(t.Context(), http.MethodGet, "/")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, "half", got.body)
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		assert.Fail(t, fmt.Sprintf("a reset: %v", operation))
	}
}

// The log says which rule made an exchange fail.
func TestLogNamesTheRule(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := newClientOf(t, fakecyborg.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), fakecyborg.WithSeed(fakecyborg.Seed{Faults: []fault.Rule{
		{Name: "busy", Operation: "device:get_all", First: 1, Fault: fault.Status{Code: 503}},
	}}))
	require.Equal(t, 503, c.call(t, "GET", "/v2/devices", "").status)
	require.Equal(t, 200, c.call(t, "GET", "/v2/devices", "").status)
	first, second, _ := strings.Cut(log.String(), "\n")
	assert.Contains(t, first, "fault=busy")
	assert.NotContains(t, second, "fault=")
}
