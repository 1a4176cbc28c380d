package functional_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// never is a poll interval that no wait of these tests sees the end of.
const never = time.Hour

// standIn is what the real Cyborg takes for Nova: our receiver, which asks the real Keystone about each token.
type standIn struct {
	receiver *virtdriver.Receiver
	unknown  sync.Map // instances for which it answers 404, as if Nova had lost the server

	mu     sync.Mutex
	events []heard
}

// heard is an event as Cyborg sent it, and what it was answered.
type heard struct {
	Name     string `json:"name"`
	Instance string `json:"server_uuid"`
	ARQ      string `json:"tag"`
	Status   string `json:"status"`
	answer   int
}

// newStandIn listens where the cloud's Cyborg looks for Nova.
func newStandIn(t *testing.T) *standIn {
	t.Helper()
	address := os.Getenv("NOVACYBORG_NOVA_OF_CYBORG")
	if address == "" {
		t.Skip("NOVACYBORG_NOVA_OF_CYBORG is not set: no real Cyborg that sends its events to these tests")
	}
	s := &standIn{}
	var err error
	s.receiver, err = virtdriver.NewReceiver(virtdriver.WithTokenCheck(newTokenCheck(t)), virtdriver.WithInstances(s.state))
	require.NoError(t, err)
	var (
		config   net.ListenConfig
		listener net.Listener
	)
	require.EventuallyWithT(t, func(c *assert.CollectT) { // a connection that somebody makes may have the address for a while
		listener, err = config.Listen(t.Context(), "tcp", address)
		require.NoError(c, err)
	}, time.Minute, time.Second)
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		assert.Zero(t, s.receiver.Waiting())
		assert.NoError(t, s.receiver.Close())
		assert.NoError(t, server.Close())
		assert.ErrorIs(t, <-done, http.ErrServerClosed)
	})
	return s
}

// newTokenCheck lets in whom Nova would: services and admins.
func newTokenCheck(t *testing.T) func(context.Context, string) (bool, error) {
	t.Helper()
	provider, err := openstack.NewClient(os.Getenv("NOVACYBORG_KEYSTONE_URL"))
	require.NoError(t, err)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	provider.HTTPClient.Transport = transport
	require.NoError(t, openstack.Authenticate(t.Context(), provider, gophercloud.AuthOptions{
		IdentityEndpoint: os.Getenv("NOVACYBORG_KEYSTONE_URL"), DomainName: "Default",
		Username: os.Getenv("NOVACYBORG_KEYSTONE_USER"), Password: os.Getenv("NOVACYBORG_KEYSTONE_PASSWORD"),
		TenantName: os.Getenv("NOVACYBORG_KEYSTONE_PROJECT"),
	}))
	identity, err := openstack.NewIdentityV3(provider, gophercloud.EndpointOpts{})
	require.NoError(t, err)
	return func(ctx context.Context, token string) (bool, error) {
		roles, err := tokens.Get(ctx, identity, token).ExtractRoles()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return false, nil
		}
		return slices.ContainsFunc(roles, func(r tokens.Role) bool { return r.Name == "service" || r.Name == "admin" }), err
	}
}

func (s *standIn) state(instance string) virtdriver.InstanceState {
	if _, ok := s.unknown.Load(instance); ok {
		return virtdriver.InstanceUnknown
	}
	return virtdriver.InstanceOnHost
}

// ServeHTTP writes down what is sent, and has the receiver answer.
func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := &statusWriter{ResponseWriter: w}
	s.receiver.ServeHTTP(answer, r)
	var sent struct{ Events []heard }
	if json.Unmarshal(body, &sent) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, event := range sent.Events {
		event.answer = answer.status
		s.events = append(s.events, event)
	}
}

type statusWriter struct {
	http.ResponseWriter

	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// of are the events of an instance.
func (s *standIn) of(instance string) []heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.events), func(e heard) bool { return e.Instance != instance })
}

// requireHeard wants one event for each ARQ.
func (s *standIn) requireHeard(t *testing.T, instance string, answer int, arqs []cyborgclient.ARQ) {
	t.Helper()
	want := make([]heard, 0, len(arqs))
	for _, arq := range arqs {
		want = append(want, heard{virtdriver.EventBound, instance, arq.UUID, virtdriver.StatusCompleted, answer})
	}
	assert.ElementsMatch(t, want, s.of(instance))
}

// TestRealEvents has the real Cyborg send its events to our receiver.
func TestRealEvents(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	c := newRealCloud(t, lifecycle.WithWaiter(
		virtdriver.WithReceiver(s.receiver), virtdriver.WithPollInterval(never), virtdriver.WithTimeout(time.Minute),
	))
	for name, test := range map[string]func(*testing.T){
		"tokens":                      testTokens,
		"host waits, conductor binds": func(t *testing.T) { s.testWait(t, c) },
		"a life":                      func(t *testing.T) { s.testLife(t, c) },
		"events that are refused":     func(t *testing.T) { s.testRefused(t, c) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// testTokens: nobody can send events with a token that the real Keystone does not know.
func testTokens(t *testing.T) {
	t.Helper()
	for _, token := range []string{"", "gAAAAAB-of-nobody"} {
		instance := uuid.NewString()
		body := `{"events": [{"name": "accelerator-request-bound", "server_uuid": "` + instance + `", "tag": "` + instance + `"}]}`
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			"http://"+os.Getenv("NOVACYBORG_NOVA_OF_CYBORG")+"/v2.1/os-server-external-events", bytes.NewReader([]byte(body)))
		require.NoError(t, err)
		request.Header.Set("OpenStack-API-Version", "compute 2.82")
		request.Header.Set("X-Auth-Token", token)
		transport := &http.Transport{DisableKeepAlives: true}
		response, err := transport.RoundTrip(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
	}
}

// testWait waits on the host before the conductor binds, as Nova does. The first look finds the ARQ unbound, and the next one is an
// hour away: what ends the wait is Cyborg's event.
func (s *standIn) testWait(t *testing.T, c realCloud) {
	t.Helper()
	arqs, err := c.user.CreateARQs(t.Context(), c.profile(t, fakeDevices("1")))
	require.NoError(t, err)
	instance := uuid.NewString()
	t.Cleanup(func() { assert.NoError(t, c.user.DeleteARQsByInstance(context.WithoutCancel(t.Context()), instance)) })
	deployables, err := c.admin.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	require.NotEmpty(t, deployables)
	waiter, err := virtdriver.NewWaiter(c.user, virtdriver.WithReceiver(s.receiver), virtdriver.WithPollInterval(never), virtdriver.WithTimeout(2*never))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	type outcome struct {
		arqs []cyborgclient.ARQ
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		bound, err := waiter.Wait(ctx, virtdriver.Expectation{Instance: instance, Hostname: "some-host", ARQs: []string{arqs[0].UUID}})
		done <- outcome{bound, err}
	}()
	require.Eventually(t, func() bool { return s.receiver.Waiting() == 1 }, time.Minute, 10*time.Millisecond)
	time.Sleep(time.Second) // for the first look
	require.NoError(t, c.user.Bind(ctx, []cyborgclient.Binding{
		{ARQ: arqs[0].UUID, Hostname: "some-host", DeviceRP: deployables[0].RPUUID, Instance: instance},
	}))
	end := <-done
	require.NoError(t, end.err)
	require.Len(t, end.arqs, 1)
	s.requireHeard(t, instance, http.StatusOK, arqs)
}

// testLife takes an instance through its life. Cyborg's fake driver binds within the PATCH, so that the event is there before the
// wait begins, and its first look ends it.
func (s *standIn) testLife(t *testing.T, c realCloud) {
	t.Helper()
	ctx := t.Context()
	c.secondHost(t)
	in := realRequest(c.profile(t, fakeDevices("1"), fakeDevices("2")))
	instance := in.Consumer.UUID
	created, err := c.manager.Create(ctx, in)
	require.NoError(t, err)
	c.requireBound(t, created, 3)
	result, expect := created, created.ARQs
	t.Cleanup(func() { assert.NoError(t, c.manager.Delete(context.WithoutCancel(ctx), result.Record)) })
	s.requireHeard(t, instance, http.StatusOK, expect)
	result, err = c.manager.Rebuild(ctx, created.Record, []byte(domainXML))
	require.NoError(t, err)
	assert.ElementsMatch(t, created.Record.ARQs(), result.Record.ARQs(), "a rebuild keeps them")
	s.requireHeard(t, instance, http.StatusOK, expect)

	for _, move := range []struct {
		name string
		do   func() error
	}{
		{"evacuate", func() (err error) {
			result, err = c.manager.Evacuate(ctx, result.Record, lifecycle.MoveRequest{})
			return err
		}},
		{"shelve and unshelve", func() (err error) {
			if result, err = c.manager.Shelve(ctx, result.Record); err != nil {
				return err
			}
			if result, err = c.manager.Offload(ctx, result.Record); err != nil {
				return err
			}
			result, err = c.manager.Unshelve(ctx, result.Record, lifecycle.MoveRequest{})
			return err
		}},
	} {
		before := result.Record.Now.Host
		require.NoError(t, move.do(), move.name)
		if move.name == "evacuate" {
			assert.NotEqual(t, before, result.Record.Now.Host)
		}
		c.requireBound(t, result, 3)
		expect = append(expect, result.ARQs...)
		s.requireHeard(t, instance, http.StatusOK, expect)
	}
	require.NoError(t, c.manager.Delete(ctx, result.Record))
	c.requireNothingLeft(t, instance)
}

// testRefused: Cyborg answers a bind with 400 when Nova does not know the server, and the ARQ is Bound all the same.
func (s *standIn) testRefused(t *testing.T, c realCloud) {
	t.Helper()
	in := realRequest(c.profile(t, fakeDevices("1")))
	s.unknown.Store(in.Consumer.UUID, true)
	created, err := c.manager.Create(t.Context(), in)
	require.NoError(t, err)
	c.requireBound(t, created, 1)
	s.requireHeard(t, in.Consumer.UUID, http.StatusMultiStatus, created.ARQs)
	require.NoError(t, c.manager.Delete(t.Context(), created.Record))
	c.requireNothingLeft(t, in.Consumer.UUID)
}

// secondHost gives the host that has devices, but no nova-compute, what a nova-compute would report.
func (c realCloud) secondHost(t *testing.T) {
	t.Helper()
	name := os.Getenv("NOVACYBORG_SECOND_HOST")
	require.NotEmpty(t, name, "NOVACYBORG_SECOND_HOST")
	host, err := c.placement.ProviderByName(t.Context(), name)
	require.NoError(t, err)
	empty := placement.TreeProvider{UUID: host.UUID, Name: name}
	full := empty
	full.Inventories = map[string]placement.Inventory{"VCPU": {Total: 8}, "MEMORY_MB": {Total: 4096}, "DISK_GB": {Total: 100}}
	full.Traits = []string{"COMPUTE_ACCELERATORS"}
	owned, err := c.placement.Report(t.Context(), placement.Tree{Providers: []placement.TreeProvider{full}}, placement.Owned{})
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := c.placement.Report(context.WithoutCancel(t.Context()), placement.Tree{Providers: []placement.TreeProvider{empty}}, owned)
		assert.NoError(t, err)
	})
}
