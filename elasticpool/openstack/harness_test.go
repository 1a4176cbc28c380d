package openstack_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

const pool = "physics"

// hosts leads each request to the service of its host name.
type hosts map[string]http.RoundTripper

func (h hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	if transport, ok := h[r.URL.Host]; ok {
		return transport.RoundTrip(r)
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("no such host: " + r.URL.Host)}
}

// CloseIdleConnections lets clients close what is below.
func (h hosts) CloseIdleConnections() {
	for _, transport := range h {
		if closer, ok := transport.(interface{ CloseIdleConnections() }); ok {
			closer.CloseIdleConnections()
		}
	}
}

// dialing is a transport whose connections all go to one listener, whatever the host in the address is.
func dialing(t testing.TB, url string) http.RoundTripper {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// newCloud starts a cloud that listens on the loopback.
func newCloud(t testing.TB, opts ...computetest.Option) (*computetest.Server, hosts) {
	t.Helper()
	cloud := computetest.Start(t, opts...)
	return cloud, hosts{"cloud.test": dialing(t, cloud.URL())}
}

// quick are options for tests: repetitions without waits.
func quick(transport http.RoundTripper) []openstack.Option {
	return []openstack.Option{cyborgclient.WithEnv(), cyborgclient.WithTransport(transport), cyborgclient.WithRetries(2, time.Millisecond, 2*time.Millisecond)}
}

// newProvider makes a provider of pool "physics" unless the settings say otherwise.
func newProvider(t testing.TB, transport http.RoundTripper, settings openstack.Settings) *openstack.Provider {
	t.Helper()
	if settings.Pool == "" {
		settings.Pool = pool
	}
	if settings.DeleteWait == 0 {
		settings.DeleteWait = elasticpool.Duration(time.Millisecond)
	}
	provider, err := openstack.New(t.Context(), "ihep", settings, quick(transport)...)
	require.NoError(t, err)
	return provider
}

// smallVM asks for a VM of the smallest class.
func smallVM(vm string) elasticpool.ServerSpec {
	return elasticpool.ServerSpec{
		Pool: pool, VM: vm, Name: elasticpool.ServerName(pool, vm), Queue: "juno", Generation: 7,
		Class: elasticpool.Class{Name: "small", Flavor: "small", Image: "worker", Network: "jobs"},
	}
}

// fpgaVM asks for a VM with an FPGA.
func fpgaVM(vm string) elasticpool.ServerSpec {
	spec := smallVM(vm)
	spec.Class.Name, spec.Class.Flavor, spec.Class.DeviceProfile = "fpga", "fpga", "fpga"
	return spec
}

func mustCreate(t testing.TB, provider *openstack.Provider, spec elasticpool.ServerSpec) elasticpool.Server {
	t.Helper()
	server, err := provider.Create(t.Context(), spec)
	require.NoError(t, err)
	return server
}

// list returns the pool's servers, of a list that must be whole.
func list(t testing.TB, provider *openstack.Provider, of string) []elasticpool.Server {
	t.Helper()
	servers, complete, err := provider.Servers(t.Context(), of)
	require.NoError(t, err)
	require.True(t, complete)
	return servers
}

// sent counts the requests of a method whose path ends so.
func sent(cloud *computetest.Server, method, suffix string) int {
	count := 0
	for _, request := range cloud.Requests() {
		if request.Method == method && strings.HasSuffix(request.Path, suffix) {
			count++
		}
	}
	return count
}

// accelerated is a cloud with a Cyborg and a Placement that know devices.
type accelerated struct {
	*computetest.Server
	hosts

	cyborg *cyborgclient.Client
}

func newAccelerated(t testing.TB, opts ...computetest.Option) accelerated {
	t.Helper()
	stock, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(t, err)
	stockClient, err := placement.New(t.Context(), placement.WithEndpoint("http://placement.test"), placement.WithTransport(stock.Transport()))
	require.NoError(t, err)
	cyborg, err := fakecyborg.New(fakecyborg.WithPresetSeed("example"), fakecyborg.WithPlacement(stockClient), fakecyborg.WithEvents(make(chan fakecyborg.Event, 64)))
	require.NoError(t, err)
	t.Cleanup(cyborg.Close)
	require.NoError(t, cyborg.Report(t.Context()))
	opts = append(opts, computetest.WithService("accelerator", "http://cyborg.test/v2"))
	cloud, to := newCloud(t, opts...)
	to["cyborg.test"], to["placement.test"] = cyborg.Transport(), stock.Transport()
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://cyborg.test/v2"), cyborgclient.WithTransport(cyborg.Transport()))
	require.NoError(t, err)
	return accelerated{Server: cloud, hosts: to, cyborg: client}
}

func noToken(context.Context, elasticpool.ServerSpec) (string, error) { return "", errors.New("none") }

// withoutCompute is a catalog without Nova.
var withoutCompute = computetest.Without("compute")

// answer is one with a JSON body.
func answer(r *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
	}
}

// readAll reads an answer and puts it back.
func readAll(response *http.Response) ([]byte, error) {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}
