package osapi_test

import (
	"crypto/tls"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

func TestBadOptions(t *testing.T) {
	t.Parallel()
	fixed := osapi.WithEndpoint("http://service.example")
	transport := osapi.WithTransport(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, http.ErrNotSupported }))
	provider := osapi.WithProvider(new(gophercloud.ProviderClient), gophercloud.EndpointOpts{})
	tests := []struct {
		name string
		opts []osapi.Option
		want string
	}{
		{name: "endpoint without scheme", opts: []osapi.Option{osapi.WithEndpoint("service.example:6666")}, want: "no http or https URL"},
		{name: "endpoint without host", opts: []osapi.Option{osapi.WithEndpoint("http:///v2")}, want: "no http or https URL"},
		{name: "endpoint with a query", opts: []osapi.Option{osapi.WithEndpoint("http://h/?a=b")}, want: "neither query nor fragment"},
		{name: "endpoint that is no URL", opts: []osapi.Option{osapi.WithEndpoint("http://h\x00")}, want: "the endpoint of WithEndpoint is no http or https URL"},
		{name: "endpoint with a user", opts: []osapi.Option{osapi.WithEndpoint("http://u:p@h/")}, want: "neither user nor password"},
		{name: "interface", opts: []osapi.Option{fixed, osapi.WithInterface("secret")}, want: `interface "secret"`},
		{name: "negative retries", opts: []osapi.Option{fixed, osapi.WithRetries(-1, 0, 0)}, want: "retries -1"},
		{name: "waits the wrong way round", opts: []osapi.Option{fixed, osapi.WithRetries(1, time.Second, 0)}, want: "waits from 1s to 0s"},
		{name: "no cloud name", opts: []osapi.Option{osapi.WithCloud("")}, want: "name of the cloud is empty"},
		{name: "empty token", opts: []osapi.Option{fixed, osapi.WithToken("")}, want: "token is empty"},
		{name: "token without endpoint", opts: []osapi.Option{osapi.WithToken("t")}, want: "needs a fixed endpoint"},
		{name: "token and cloud", opts: []osapi.Option{fixed, osapi.WithToken("t"), osapi.WithCloud("c")}, want: "another login"},
		{name: "cloud and environment", opts: []osapi.Option{osapi.WithCloud("c"), osapi.WithEnv()}, want: "not both"},
		{name: "transport and TLS", opts: []osapi.Option{fixed, transport, osapi.WithTLS(new(tls.Config))}, want: "TLS settings"},
		{name: "provider and transport", opts: []osapi.Option{provider, transport}, want: "brings its own transport"},
		{name: "provider and retries", opts: []osapi.Option{provider, osapi.WithRetries(0, 0, 0)}, want: "brings its own transport"},
		{name: "provider and cloud", opts: []osapi.Option{provider, osapi.WithCloud("c")}, want: "brings its own login"},
		{name: "nil provider", opts: []osapi.Option{osapi.WithProvider(nil, gophercloud.EndpointOpts{})}, want: "is nil"},
		{name: "nil transport", opts: []osapi.Option{fixed, osapi.WithTransport(nil)}, want: "is nil"},
		{name: "nil TLS", opts: []osapi.Option{fixed, osapi.WithTLS(nil)}, want: "is nil"},
		{name: "provider without catalog", opts: []osapi.Option{provider}, want: "no endpoint found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := osapi.NewService(t.Context(), "accelerator", tt.opts...)
			require.ErrorContains(t, err, "make a client for service accelerator: ")
			require.ErrorContains(t, err, tt.want)
		})
	}
}
