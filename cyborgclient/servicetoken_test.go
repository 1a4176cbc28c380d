package cyborgclient_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// guarded is a Cyborg that demands a service token to change and delete ARQs,
// with the Keystone that gives tokens out: those of nova begin with "service".
type guarded struct {
	logins atomic.Int64
	// refused are tokens that have expired.
	refused []string
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const keystone = `{"error": {"code": 401, "title": "Unauthorized", "message": "log in"}}`
	user, service := r.Header.Get("X-Auth-Token"), r.Header.Get("X-Service-Token")
	switch {
	case r.URL.Host == "keystone.example":
		g.login(w, r)
	case service != "" && !strings.HasPrefix(service, "service"), g.expired(user), g.expired(service):
		respond(http.StatusUnauthorized, keystone)(w, r)
	case r.Method == http.MethodGet:
		respond(http.StatusOK, `{"arqs": []}`)(w, r)
	case service == "":
		respond(http.StatusForbidden, `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"This operation requires a service token. Use the Compute API to manage instance accelerators.\"}"}`)(w, r)
	case r.Method == http.MethodPatch:
		respond(http.StatusAccepted, "")(w, r)
	default:
		respond(http.StatusNoContent, "")(w, r)
	}
}

func (g *guarded) expired(token string) bool {
	return slices.Contains(g.refused, token)
}

func (g *guarded) login(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	kind := "user"
	if strings.Contains(string(body), `"nova"`) {
		kind = "service"
	}
	w.Header().Set("X-Subject-Token", fmt.Sprintf("%s-%d", kind, g.logins.Add(1)))
	respond(http.StatusCreated, `{"token": {"catalog": []}}`)(w, r)
}

// setClouds makes the clouds "user" and "nova".
func setClouds(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	var clouds strings.Builder
	for _, name := range []string{"user", "nova"} {
		fmt.Fprintf(&clouds, "  %s: {accelerator_endpoint_override: 'http://cyborg.example/accelerator', auth: {auth_url: 'http://keystone.example/v3', username: %s, password: p, user_domain_id: default}}\n", name, name)
	}
	require.NoError(t, os.WriteFile(path, []byte("clouds:\n"+clouds.String()), 0o600))
	t.Setenv("OS_CLIENT_CONFIG_FILE", path)
}

// serviceCalls are the ones that need a service token.
var serviceCalls = map[string]func(context.Context, *cyborgclient.Client) error{
	"bind":               bindOne,
	"unbind":             func(ctx context.Context, c *cyborgclient.Client) error { return c.Unbind(ctx, arq1) },
	"delete":             func(ctx context.Context, c *cyborgclient.Client) error { _, err := c.DeleteARQs(ctx, arq1); return err },
	"delete by instance": deleteARQs,
}

//nolint:paralleltest // clouds.yaml is named by a variable
func TestServiceToken(t *testing.T) {
	setClouds(t)
	auth := gophercloud.AuthOptions{IdentityEndpoint: "http://keystone.example/v3", Username: "nova", Password: "p", DomainID: "default"}
	tests := []struct {
		name string
		opts []cyborgclient.Option
		user string // X-Auth-Token and X-Service-Token as they arrive
		want string
	}{
		{name: "cloud", opts: []cyborgclient.Option{cyborgclient.WithCloud("user"), cyborgclient.WithServiceCloud("nova")}, user: "user-1", want: "service-2"},
		{name: "credentials", opts: []cyborgclient.Option{cyborgclient.WithCloud("user"), cyborgclient.WithServiceAuth(auth)}, user: "user-1", want: "service-2"},
		{name: "fixed", opts: []cyborgclient.Option{cyborgclient.WithCloud("user"), cyborgclient.WithServiceToken("service-x")}, user: "user-1", want: "service-x"},
		{name: "both fixed", opts: []cyborgclient.Option{cyborgclient.WithEndpoint("http://cyborg.example"), cyborgclient.WithToken("u"), cyborgclient.WithServiceToken("service-x")}, user: "u", want: "service-x"},
		{name: "fixed user, cloud for the service", opts: []cyborgclient.Option{cyborgclient.WithEndpoint("http://cyborg.example"), cyborgclient.WithToken("u"), cyborgclient.WithServiceCloud("nova")}, user: "u", want: "service-1"},
		{name: "no user", opts: []cyborgclient.Option{cyborgclient.WithCloud("nova"), cyborgclient.WithOwnServiceToken()}, user: "service-1", want: "service-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{handler: new(guarded).ServeHTTP}
			client, err := cyborgclient.New(t.Context(), append(tt.opts, cyborgclient.WithTransport(s))...)
			require.NoError(t, err)
			for name, call := range serviceCalls {
				require.NoError(t, call(t.Context(), client), name)
				last := s.sent[len(s.sent)-1]
				assert.Equal(t, tt.user, last.Header.Get("X-Auth-Token"), name)
				assert.Equal(t, tt.want, last.Header.Get("X-Service-Token"), name)
			}
			_, err = client.ARQs(t.Context(), cyborgclient.ARQFilter{})
			require.NoError(t, err)
			assert.Empty(t, s.sent[len(s.sent)-1].Header.Get("X-Service-Token"), "only where it is needed")
		})
	}
}

// Whichever token has expired: the call works, with no more logins than needed.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestExpiredTokens(t *testing.T) {
	setClouds(t)
	tests := []struct {
		name    string
		login   []cyborgclient.Option
		refused []string
		want    string
	}{
		{name: "user's", login: []cyborgclient.Option{cyborgclient.WithCloud("user"), cyborgclient.WithServiceCloud("nova")}, refused: []string{"user-1"}, want: "user-3 service-2"},
		{name: "service's, with a fixed user", login: []cyborgclient.Option{cyborgclient.WithEndpoint("http://cyborg.example"), cyborgclient.WithToken("u"), cyborgclient.WithServiceCloud("nova")}, refused: []string{"service-1"}, want: "u service-2"},
		{name: "service's", login: []cyborgclient.Option{cyborgclient.WithCloud("user"), cyborgclient.WithServiceCloud("nova")}, refused: []string{"service-2"}, want: "user-3 service-4"},
		{name: "both", login: []cyborgclient.Option{cyborgclient.WithCloud("user"), cyborgclient.WithServiceCloud("nova")}, refused: []string{"user-1", "service-2"}, want: "user-3 service-4"},
		{name: "own", login: []cyborgclient.Option{cyborgclient.WithCloud("nova"), cyborgclient.WithOwnServiceToken()}, refused: []string{"service-1"}, want: "service-2 service-2"},
	}
	for _, tt := range tests {
		for name, call := range serviceCalls {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				s := &server{handler: (&guarded{refused: tt.refused}).ServeHTTP}
				client, err := cyborgclient.New(t.Context(), append(tt.login, cyborgclient.WithTransport(s))...)
				require.NoError(t, err)
				for range 2 {
					require.NoError(t, call(t.Context(), client))
					last := s.sent[len(s.sent)-1]
					assert.Equal(t, tt.want, last.Header.Get("X-Auth-Token")+" "+last.Header.Get("X-Service-Token"))
				}
			})
		}
	}
}

// A caller's own login is not renewed by us, its service token is.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestServiceTokenBesideAProvider(t *testing.T) {
	setClouds(t)
	s := &server{handler: new(guarded).ServeHTTP}
	provider := &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: s}, TokenID: "mine"}
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithProvider(provider, gophercloud.EndpointOpts{}),
		cyborgclient.WithEndpoint("http://cyborg.example"), cyborgclient.WithServiceToken("service-x"))
	require.NoError(t, err)
	require.NoError(t, bindOne(t.Context(), client))
	assert.Equal(t, "mine", s.sent[0].Header.Get("X-Auth-Token"))
	assert.Equal(t, "service-x", s.sent[0].Header.Get("X-Service-Token"))
}

func TestServiceTokenErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, new(guarded).ServeHTTP)
	for name, call := range serviceCalls {
		err := call(t.Context(), client)
		require.ErrorIs(t, err, cyborgclient.ErrServiceTokenNeeded, name)
		require.ErrorContains(t, err, "(the server demands a service token; make the client with one, for example WithServiceCloud)", name)
	}
	client, _ = newClient(t, new(guarded).ServeHTTP, cyborgclient.WithServiceToken("s3cret"))
	err := bindOne(t.Context(), client)
	require.ErrorIs(t, err, cyborgclient.ErrUnauthorized)
	require.ErrorContains(t, err, `or the service token, whose user needs the role "service"`)
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v %#v", err, err, err, client), "s3cret")
	client, _ = newClient(t, respond(http.StatusForbidden, `{"error_message": "{\"faultstring\": \"Use the Compute API to manage instance accelerators.\"}"}`), cyborgclient.WithServiceToken("s"))
	require.ErrorContains(t, bindOne(t.Context(), client), "did not get the one that was sent")
}
