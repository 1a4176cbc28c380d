package minikeystone_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// call sends a request to the fake Cyborg.
func call(t *testing.T, cyborg *fakecyborg.Server, path string, header ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cyborg.URL()+path, http.NoBody)
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Client{Transport: cyborg.Transport()}).Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{response.StatusCode, response.Header, string(body)}
}

func TestCyborgKnowsItsCallers(t *testing.T) {
	t.Parallel()
	identity, clock := newServer(t)
	cyborg, err := fakecyborg.New(fakecyborg.WithAuthenticator(identity), fakecyborg.WithClock(clock.now), fakecyborg.WithMount(fakecyborg.MountBare))
	require.NoError(t, err)
	t.Cleanup(cyborg.Close)
	ann := logIn(t, identity, "ann", "s3cr3t-ann", inProject("demo"))
	for _, test := range []struct {
		name   string
		path   string
		header []string
		status int
	}{
		{"no token", "/v2/devices", nil, 401},
		{"good token", "/v2/devices", []string{"X-Auth-Token", ann}, 200},
		{"fixed token", "/v2/devices", []string{"X-Auth-Token", "s3cr3t-fixed"}, 200},
		{"service token without the role", "/v2/devices", []string{"X-Auth-Token", ann, "X-Service-Token", ann}, 401},
		{"bad service token", "/v2/devices", []string{"X-Auth-Token", ann, "X-Service-Token", "nothing"}, 401},
		{"unscoped token", "/v2/devices", []string{"X-Auth-Token", logIn(t, identity, "ann", "s3cr3t-ann", "")}, 403},
		{"system token", "/v2/devices", []string{"X-Auth-Token", logIn(t, identity, "root", "s3cr3t-root", `{"system": {"all": true}}`)}, 403},
		{"keystone itself", "/identity/v3", nil, 200},
		{"only below its path", "/identityx", nil, 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := call(t, cyborg, test.path, test.header...)
			assert.Equal(t, test.status, got.status, got.body)
			if test.status == http.StatusUnauthorized {
				assert.Equal(t, `Keystone uri="`+cyborg.URL()+`/identity"`, got.header.Get("WWW-Authenticate"))
			}
		})
	}
}

// Tokens end by the clock of the fake, which the control API moves. What Nova goes
// on with for a user is done with an expired token.
func TestTokensEndByTheFakesClock(t *testing.T) {
	t.Parallel()
	identity := minikeystone.ForTest(t, minikeystone.WithUsersYAML("people.yaml", []byte(people)))
	cyborg, err := fakecyborg.New(fakecyborg.WithAuthenticator(identity))
	require.NoError(t, err)
	t.Cleanup(cyborg.Close)
	ann := logIn(t, identity, "ann", "s3cr3t-ann", inProject("demo"))
	require.Equal(t, 200, call(t, cyborg, "/v2/devices", "X-Auth-Token", ann).status)
	cyborg.SetClockOffset(2 * time.Hour)
	assert.Equal(t, 401, call(t, cyborg, "/v2/devices", "X-Auth-Token", ann).status)
	nova := logIn(t, identity, "nova", "s3cr3t-nova", inProject("service"))
	assert.Equal(t, 200, call(t, cyborg, "/v2/devices", "X-Auth-Token", ann, "X-Service-Token", nova).status)
	cyborg.SetClockOffset(60 * time.Hour)
	nova = logIn(t, identity, "nova", "s3cr3t-nova", inProject("service"))
	assert.Equal(t, 401, call(t, cyborg, "/v2/devices", "X-Auth-Token", ann, "X-Service-Token", nova).status)
	assert.Equal(t, 200, call(t, cyborg, "/identity/v3").status)
}
