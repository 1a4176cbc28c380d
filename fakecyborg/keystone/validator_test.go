package keystone_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/keystone"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// cloud is a mini Keystone that listens, and counts and spoils validations.
type cloud struct {
	url      string
	identity *minikeystone.Server

	mu          sync.Mutex
	validations int
	status      int    // of the answer to validations, 0 for the true one
	body        string // of that answer
	hold        chan struct{}
	offset      time.Duration
}

func startCloud(t *testing.T, opts ...minikeystone.Option) *cloud {
	t.Helper()
	c := new(cloud)
	c.identity = minikeystone.ForTest(t, append([]minikeystone.Option{minikeystone.WithClock(c.now)}, opts...)...)
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = server.URL + "/identity"
	return c
}

func (c *cloud) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Subject-Token") == "" {
		c.identity.ServeHTTP(w, r)
		return
	}
	c.mu.Lock()
	c.validations++
	status, body, hold := c.status, c.body, c.hold
	c.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return
	}
	c.identity.ServeHTTP(w, r)
}

func (c *cloud) spoil(status int, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status, c.body = status, body
}

func (c *cloud) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.validations
}

// logIn is a login by gophercloud in the user's own project.
func (c *cloud) logIn(t *testing.T, user, project string) *gophercloud.ProviderClient {
	t.Helper()
	return logIn(t, c.url, user, "secret", project)
}

func logIn(t *testing.T, url, user, password, project string) *gophercloud.ProviderClient {
	t.Helper()
	provider, err := openstack.NewClient(url)
	require.NoError(t, err)
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	provider.HTTPClient = http.Client{Transport: transport}
	require.NoError(t, openstack.Authenticate(t.Context(), provider, gophercloud.AuthOptions{
		IdentityEndpoint: url, Username: user, Password: password, DomainName: "Default",
		TenantName: project, AllowReauth: true,
	}))
	return provider
}

func (c *cloud) validator(t *testing.T, opts ...keystone.Option) *keystone.Validator {
	t.Helper()
	v, err := keystone.New(t.Context(), c.url, append([]keystone.Option{keystone.WithProvider(c.logIn(t, "nova", "service"))}, opts...)...)
	require.NoError(t, err)
	return v
}

// authenticate is a request with these tokens.
func authenticate(ctx context.Context, v *keystone.Validator, token, service string) (fakecyborg.Caller, error) {
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v2/devices", http.NoBody)
	request.Header.Set("X-Auth-Token", token)
	if service != "" {
		request.Header.Set("X-Service-Token", service)
	}
	return v.Authenticate(request)
}

func TestCallers(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	v := c.validator(t)
	admin, demo, nova := c.logIn(t, "admin", "admin").Token(), c.logIn(t, "demo", "demo").Token(), c.logIn(t, "nova", "service").Token()
	const demoProject = "d1e2f3a4b5c64d7e8f90a1b2c3d4e5f6"
	for _, test := range []struct {
		name, token, service string
		want                 fakecyborg.Caller
		refused              bool
	}{
		{"admin", admin, "", fakecyborg.Caller{User: c.identity.UserID("admin", "Default"), Project: "a3d1c08f6b5e4b7f9d2c1e0f5a6b7c80", Roles: []string{"admin", "manager", "member", "reader"}}, false},
		{"demo", demo, "", fakecyborg.Caller{User: c.identity.UserID("demo", "Default"), Project: demoProject, Roles: []string{"member", "reader"}}, false},
		{"demo through Nova", demo, nova, fakecyborg.Caller{User: c.identity.UserID("demo", "Default"), Project: demoProject, Roles: []string{"member", "reader"}, Service: true}, false},
		{"service token without the role", demo, demo, fakecyborg.Caller{}, true},
		{"bad service token", demo, "nothing", fakecyborg.Caller{}, true},
		{"bad token", "nothing", nova, fakecyborg.Caller{}, true},
		{"no token", "", "", fakecyborg.Caller{}, true},
		{"blanks around it", " " + demo + " ", "", fakecyborg.Caller{User: c.identity.UserID("demo", "Default"), Project: demoProject, Roles: []string{"member", "reader"}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := authenticate(t.Context(), v, test.token, test.service)
			if test.refused {
				require.ErrorIs(t, err, fakecyborg.ErrUnauthorized)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
	assert.Equal(t, c.url, v.KeystoneURL(nil))
}

// Validations are remembered, at most so many and for so long.
func TestCache(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	v := c.validator(t, keystone.WithCache(2, time.Hour))
	var all []string
	for range 3 {
		all = append(all, c.logIn(t, "demo", "demo").Token())
	}
	ask := func(i, validations int) {
		t.Helper()
		_, err := authenticate(t.Context(), v, all[i], "")
		require.NoError(t, err)
		assert.Equal(t, validations, c.count())
	}
	ask(0, 1)
	ask(0, 1)
	ask(1, 2)
	ask(0, 2) // now 1 is the one that was used longest ago
	ask(2, 3)
	ask(0, 3)
	ask(1, 4)

	c.identity.RevokeAll()
	ask(1, 4) // a revoked token is good until it is forgotten
	forgetful := c.validator(t, keystone.WithCache(2, 0))
	_, err := authenticate(t.Context(), forgetful, all[1], "")
	require.ErrorIs(t, err, fakecyborg.ErrUnauthorized)
	for range 2 {
		_, err = authenticate(t.Context(), v, "nothing", "")
		require.ErrorIs(t, err, fakecyborg.ErrUnauthorized)
	}
	assert.Equal(t, 8, c.count(), "what is refused is asked again, the first time with the account's revoked token too")
}

func TestCallersCannotChangeWhatIsRemembered(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	v := c.validator(t)
	demo := c.logIn(t, "demo", "demo").Token()
	first, err := authenticate(t.Context(), v, demo, "")
	require.NoError(t, err)
	first.Roles[0] = "admin"
	second, err := authenticate(t.Context(), v, demo, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"member", "reader"}, second.Roles)
}

// A token that ends while it is remembered is not good any more, except beside a
// service token.
func TestExpiredTokens(t *testing.T) {
	t.Parallel()
	c := startCloud(t, minikeystone.WithTokenLife(time.Hour))
	c.mu.Lock()
	c.offset = -time.Hour + 3*time.Second // tokens of now end in three seconds
	c.mu.Unlock()
	demo := c.logIn(t, "demo", "demo").Token()
	c.mu.Lock()
	c.offset = 0
	c.mu.Unlock()
	v := c.validator(t)
	_, err := authenticate(t.Context(), v, demo, "")
	require.NoError(t, err)
	nova := c.logIn(t, "nova", "service").Token()
	require.Eventually(t, func() bool {
		_, err := authenticate(t.Context(), v, demo, "")
		return err != nil
	}, 10*time.Second, 50*time.Millisecond)
	_, err = authenticate(t.Context(), v, demo, "")
	require.ErrorIs(t, err, fakecyborg.ErrUnauthorized)
	for _, known := range []*keystone.Validator{v, c.validator(t)} {
		got, err := authenticate(t.Context(), known, demo, nova)
		require.NoError(t, err)
		assert.True(t, got.Service)
		_, err = authenticate(t.Context(), known, demo, "")
		require.ErrorIs(t, err, fakecyborg.ErrUnauthorized, "what was allowed for Nova is not for all")
	}
}

func TestManyWithTheSameTokenShareAValidation(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	v := c.validator(t)
	demo := c.logIn(t, "demo", "demo").Token()
	hold := make(chan struct{})
	c.mu.Lock()
	c.hold = hold
	c.mu.Unlock()
	impatient, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := authenticate(impatient, v, demo, "")
		assert.ErrorIs(t, err, context.Canceled)
	})
	require.Eventually(t, func() bool { return c.count() == 1 }, 10*time.Second, time.Millisecond)
	for range 20 {
		wg.Go(func() {
			_, err := authenticate(t.Context(), v, demo, "")
			assert.NoError(t, err)
		})
	}
	cancel()
	time.Sleep(20 * time.Millisecond)
	close(hold)
	wg.Wait()
	assert.Equal(t, 1, c.count())
}

// The validator's own token ended: it logs in again, and nobody notices.
func TestTheAccountLogsInAgain(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	v := c.validator(t)
	c.identity.RevokeAll()
	_, err := authenticate(t.Context(), v, c.logIn(t, "demo", "demo").Token(), "")
	require.NoError(t, err)
}

func TestKeystoneIsNoHelp(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	v := c.validator(t)
	demo := c.logIn(t, "demo", "demo").Token()
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{500, "", "500"},
		{403, `{"error": {"code": 403, "message": "You are not authorized", "title": "Forbidden"}}`, "403"},
		{401, `{"error": {"code": 401, "message": "no", "title": "Unauthorized"}}`, "401"},
		{200, `{}`, "the answer with status 200 is no token"},
		{200, `{"token": {"user": {"id": "x"}}}`, "is no token"},
		{200, `<html>`, "validate a token at"},
	} {
		c.spoil(test.status, test.body)
		_, err := authenticate(t.Context(), v, demo, "")
		require.ErrorContains(t, err, test.want)
		require.NotErrorIs(t, err, fakecyborg.ErrUnauthorized)
		assert.NotContains(t, err.Error(), demo)
	}
	c.spoil(0, "")
	_, err := authenticate(t.Context(), v, demo, "")
	require.NoError(t, err, "nothing of that is remembered")
}

// Cyborg answers with 503 while there is no Keystone, as the real middleware does.
func TestCyborgWithoutKeystone(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	cyborg, err := fakecyborg.New(fakecyborg.WithAuthenticator(c.validator(t)))
	require.NoError(t, err)
	t.Cleanup(cyborg.Close)
	demo := c.logIn(t, "demo", "demo").Token()
	status := func(token string) (int, string) {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/device_profiles", http.NoBody)
		request.Header.Set("X-Auth-Token", token)
		cyborg.ServeHTTP(recorder, request)
		return recorder.Code, strings.Join(recorder.Header()["WWW-Authenticate"], "") //nolint:staticcheck // the fake spells it as the real server
	}
	code, _ := status(demo)
	assert.Equal(t, 200, code)
	code, challenge := status("nothing")
	assert.Equal(t, 401, code)
	assert.Equal(t, fmt.Sprintf("Keystone uri=%q", c.url), challenge)
	c.spoil(500, "")
	code, _ = status("unknown")
	assert.Equal(t, 503, code)
	code, _ = status(demo)
	assert.Equal(t, 200, code, "who is remembered comes in")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	for want, address := range map[string]string{
		"is not an http or https url": "127.0.0.1:5000", "without a user": "http://me:s3cr3t@127.0.0.1:5000",
	} {
		_, err := keystone.New(t.Context(), address)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "s3cr3t")
	}
	for want, option := range map[string]keystone.Option{
		"less than none": keystone.WithCache(-1, 0), "no logger": keystone.WithLogger(nil),
		"retries -1": keystone.WithRetries(-1, 0, 0), "provider client is nil": keystone.WithProvider(nil),
		"option 0 is nil": nil,
	} {
		_, err := keystone.New(t.Context(), c.url, option)
		require.ErrorContains(t, err, want)
	}
}

// An account of clouds.yaml: its own renewal, and its bad password.
func TestAccountOfClouds(t *testing.T) {
	c := startCloud(t, minikeystone.WithTokenLife(2*time.Second))
	text, err := c.identity.YAML(minikeystone.Clouds{URL: strings.TrimSuffix(c.url, "/identity")})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	t.Setenv("OS_CLIENT_CONFIG_FILE", path)
	v, err := keystone.New(t.Context(), c.url+"/v3", keystone.WithCloud("nova"), keystone.WithCache(0, 0), keystone.WithRetries(0, 0, 0))
	require.NoError(t, err)
	for range 3 {
		_, err = authenticate(t.Context(), v, c.logIn(t, "demo", "demo").Token(), "")
		require.NoError(t, err)
		time.Sleep(1100 * time.Millisecond)
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "password: secret", "password: wr0ng")), 0o600))
	_, err = keystone.New(t.Context(), c.url, keystone.WithCloud("nova"))
	require.ErrorContains(t, err, "401")
	assert.NotContains(t, err.Error(), "wr0ng")
}

// A real Keystone: NOVACYBORG_KEYSTONE_URL, and its account in NOVACYBORG_KEYSTONE_USER,
// _PASSWORD and _PROJECT, which needs the role service or admin.
func TestRealKeystone(t *testing.T) {
	t.Parallel()
	url := os.Getenv("NOVACYBORG_KEYSTONE_URL")
	if url == "" {
		t.Skip("NOVACYBORG_KEYSTONE_URL names no Keystone")
	}
	user, password, project := os.Getenv("NOVACYBORG_KEYSTONE_USER"), os.Getenv("NOVACYBORG_KEYSTONE_PASSWORD"), os.Getenv("NOVACYBORG_KEYSTONE_PROJECT")
	provider := logIn(t, url, user, password, project)
	v, err := keystone.New(t.Context(), url, keystone.WithProvider(provider), keystone.WithCache(0, 0))
	require.NoError(t, err)
	subject := logIn(t, url, user, password, project)
	got, err := authenticate(t.Context(), v, subject.Token(), "")
	require.NoError(t, err)
	result, ok := subject.GetAuthResult().(tokens.CreateResult)
	require.True(t, ok)
	want, err := result.ExtractUser()
	require.NoError(t, err)
	assert.Equal(t, want.ID, got.User)
	assert.NotEmpty(t, got.Roles)
	_, err = authenticate(t.Context(), v, "nothing", "")
	require.ErrorIs(t, err, fakecyborg.ErrUnauthorized)
	identity, err := openstack.NewIdentityV3(subject, gophercloud.EndpointOpts{})
	require.NoError(t, err)
	revoked := subject.Token()
	require.NoError(t, tokens.Revoke(t.Context(), identity, revoked).Err)
	_, err = authenticate(t.Context(), v, revoked, "")
	require.ErrorIs(t, err, fakecyborg.ErrUnauthorized)
}

// What Keystone repeats of a request is in no error, neither the token that was asked about nor the account's own.
func TestErrorsShowNoToken(t *testing.T) {
	t.Parallel()
	c := startCloud(t)
	account := c.logIn(t, "nova", "service")
	v, err := keystone.New(t.Context(), c.url, keystone.WithProvider(account))
	require.NoError(t, err)
	const subject = `s3cr3t/"subject"+`
	for _, body := range []string{
		`{"error": {"message": "token ` + subject + ` by ` + account.Token() + ` is odd"}}`,
		`{"error": {"message": "token s3cr3t/\"subject\"+ by ` + account.Token() + ` is odd"}}`,
		`{"error": {"message": "?token=` + url.QueryEscape(subject) + `&by=` + url.QueryEscape(account.Token()) + `"}}`,
	} {
		c.spoil(http.StatusBadRequest, body)
		for _, tokens := range [][2]string{{subject, ""}, {"other", subject}} {
			_, err = authenticate(t.Context(), v, tokens[0], tokens[1])
			require.ErrorContains(t, err, "(redacted)")
			require.ErrorContains(t, err, "400")
			assert.NotContains(t, err.Error(), "subject")
			assert.NotContains(t, err.Error(), account.Token())
			var status gophercloud.ErrUnexpectedResponseCode
			require.ErrorAs(t, err, &status, "what it is stays known")
		}
	}
}
