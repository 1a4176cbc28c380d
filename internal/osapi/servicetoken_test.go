package osapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

//nolint:paralleltest // clouds.yaml is named by a variable
func TestServiceTokens(t *testing.T) {
	setCloud(t, `{clouds: {
		test: {auth: {auth_url: "http://keystone.example/v3", username: u, password: p, user_domain_id: default}, accelerator_endpoint_override: "http://service.example/v2"},
		nova: {auth: {auth_url: "http://keystone.example/v3", username: nova, password: n, user_domain_id: default}}}}`)
	auth := gophercloud.AuthOptions{IdentityEndpoint: "http://keystone.example/v3", Username: "nova", Password: "n", DomainID: "default"}
	tests := []struct {
		name    string
		option  osapi.Option
		token   string
		renewed string // after the token was refused; "" where there is no other
	}{
		{name: "cloud", option: osapi.WithServiceCloud("nova"), token: "token-2", renewed: "token-3"},
		{name: "credentials", option: osapi.WithServiceAuth(auth), token: "token-2", renewed: "token-3"},
		{name: "fixed", option: osapi.WithServiceToken("fixed"), token: "fixed"},
		{name: "the login's own", option: osapi.WithOwnServiceToken(), token: "token-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := new(keystone)
			tokens := connect(t, split(k, refusing("none")), tt.option).ServiceTokens
			name, token := tokens.Header(t.Context())
			assert.Equal(t, "X-Service-Token", name)
			assert.Equal(t, tt.token, token)
			if k.loginCount() == 2 {
				assert.Contains(t, k.lastLogin(t), `"name":"nova"`)
			}
			noSecret(t, tokens)
			assert.NotContains(t, fmt.Sprintf("%v %+v %#v", tokens, tokens, tokens), token)

			changed, err := tokens.Renew(t.Context(), token)
			require.NoError(t, err)
			assert.Equal(t, tt.renewed != "", changed)
			_, token = tokens.Header(t.Context())
			if tt.renewed != "" {
				assert.Equal(t, tt.renewed, token)
				changed, err = tokens.Renew(t.Context(), tt.token)
				require.NoError(t, err)
				assert.True(t, changed, "another caller has renewed it already")
				assert.Equal(t, 3, k.loginCount())
			}
		})
	}
	t.Run("unknown cloud", func(t *testing.T) {
		_, err := osapi.Connect(t.Context(), "accelerator", osapi.WithCloud("test"),
			osapi.WithTransport(split(new(keystone), refusing("none"))), osapi.WithServiceCloud("none"))
		require.ErrorContains(t, err, `log in for service tokens: `)
		require.ErrorContains(t, err, `there is no cloud "none"`)
	})
}

func TestNoServiceTokens(t *testing.T) {
	t.Parallel()
	connection, err := osapi.Connect(t.Context(), "accelerator", osapi.WithEndpoint("http://service.example"))
	require.NoError(t, err)
	assert.Nil(t, connection.ServiceTokens)
	_, token := connection.ServiceTokens.Header(t.Context())
	assert.Empty(t, token)
}

//nolint:paralleltest // clouds.yaml is named by a variable
func TestServiceTokenIsRenewedBeforeItExpires(t *testing.T) {
	setCloud(t, memoryCloud)
	synctest.Test(t, func(t *testing.T) {
		k := &keystone{expires: time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000000Z")}
		tokens := connect(t, split(k, refusing("none")), osapi.WithServiceCloud("test")).ServiceTokens
		k.expires = ""
		time.Sleep(time.Hour - 40*time.Second)
		_, token := tokens.Header(t.Context())
		assert.Equal(t, "token-2", token)
		time.Sleep(20 * time.Second)
		_, token = tokens.Header(t.Context())
		assert.Equal(t, "token-3", token)
	})
}

// A login whose own token is the service token is renewed in both headers.
//
//nolint:paralleltest // clouds.yaml is named by a variable
func TestOwnServiceTokenIsRenewedWithTheLogin(t *testing.T) {
	setCloud(t, memoryCloud)
	var sent []string
	connection := connect(t, split(new(keystone), func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header.Get("X-Auth-Token")+" "+r.Header.Get("X-Service-Token"))
		return refusing("token-1")(r)
	}), osapi.WithOwnServiceToken())
	name, token := connection.ServiceTokens.Header(t.Context())
	//nolint:bodyclose // gophercloud reads and closes it
	_, err := connection.Service.Request(t.Context(), "DELETE", "http://service.example/v2/x", &gophercloud.RequestOpts{
		MoreHeaders: map[string]string{name: token}, OkCodes: []int{200},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"token-1 token-1", "token-2 token-2"}, sent)
}

func TestServiceTokenOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts []osapi.Option
		want string
	}{
		{name: "empty cloud", opts: []osapi.Option{osapi.WithServiceCloud("")}, want: "the name of the service's cloud is empty"},
		{name: "empty token", opts: []osapi.Option{osapi.WithServiceToken("")}, want: "the service token is empty"},
		{name: "no address", opts: []osapi.Option{osapi.WithServiceAuth(gophercloud.AuthOptions{})}, want: "the identity endpoint of WithServiceAuth"},
		{name: "two ways", opts: []osapi.Option{osapi.WithServiceToken("a"), osapi.WithOwnServiceToken()}, want: "in one way only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := osapi.Connect(t.Context(), "accelerator", append(tt.opts, osapi.WithEndpoint("http://service.example"))...)
			require.ErrorContains(t, err, tt.want)
		})
	}
}
