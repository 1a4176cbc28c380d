package keystone_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/keystone"
)

// A Nova that asks the same Keystone takes the account's requests, also after the
// account's token was revoked.
func TestTransport(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	v := c.validator(t, keystone.WithCache(0, 0))
	var asked []string
	nova := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		caller, err := v.Authenticate(r)
		if err != nil {
			asked = append(asked, "refused "+string(body))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		assert.Equal(t, c.identity.UserID("nova", "Default"), caller.User)
		asked = append(asked, "taken "+string(body))
	}))
	defer nova.Close()
	client := &http.Client{Transport: v.Transport()}
	post := func(body io.Reader) int {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, nova.URL, body)
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Empty(t, request.Header.Get("X-Auth-Token"), "the request is left as it was")
		return response.StatusCode
	}
	assert.Equal(t, http.StatusOK, post(strings.NewReader("one")))
	c.identity.RevokeAll()
	assert.Equal(t, http.StatusUnauthorized, post(io.MultiReader(strings.NewReader("once"))), "which can be sent only once")
	assert.Equal(t, http.StatusOK, post(strings.NewReader("two")))
	c.identity.RevokeAll()
	assert.Equal(t, http.StatusOK, post(http.NoBody))
	assert.Equal(t, []string{"taken one", "refused once", "taken two", "refused ", "taken "}, asked,
		"the validation of what could not be sent again has logged in anew")
}
