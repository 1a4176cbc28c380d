package fakecyborg_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

func TestTokensErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t"
	for _, test := range []struct{ name, file, want string }{
		{"unknown key", "tokens:\n  - {token: " + secret + ", user: a, role: x}", `t.yaml:2: tokens[0]: unknown key, known are application_credential, domain, password, project, project_name, roles, token, user, user_id; did you mean "roles"?`},
		{"a secret as a key", "tokens:\n  - {user: a, " + secret + ": x}", `t.yaml:2: tokens[0]: unknown key, known are application_credential, domain, password, project, project_name, roles, token, user, user_id`},
		{"a secret as a key of the file", secret + ": x\ntokens: []", `t.yaml:1: unknown key, known are keystone, tokens`},
		{"a secret as a key twice", "tokens:\n  - {" + secret + ": x, " + secret + ": y}", `t.yaml:2: tokens[0]: unknown key, known are application_credential, domain, password, project, project_name, roles, token, user, user_id`},
		{"a key twice", "tokens:\n  - token: " + secret + "\n    token: " + secret, `t.yaml:3: tokens[0].token: the key is already in line 2`},
		{"password of Keystone", "keystone: http://u:" + secret + "@h\ntokens: []", `t.yaml:1: keystone: the address of Keystone must hold neither user nor password, which answers and logs would show`},
		{"no address", "keystone: " + secret + "\ntokens: []", `t.yaml:1: keystone: the address of Keystone is not an http or https url`},
		{"empty", "", `t.yaml:1: there are no tokens, so that nobody could come in: give at least one entry`},
		{"empty list", "keystone: http://h\ntokens: []", `t.yaml:2: tokens: there are no tokens, so that nobody could come in: give at least one entry`},
		{"no tokens", "keystone: http://h", `t.yaml:1: tokens: there are no tokens, so that nobody could come in: give at least one entry`},
		{"passwords alone", "tokens:\n  - {user: a, password: " + secret + "}", `with tokens t.yaml: no entry has a token, so that nobody can come in: give tokens, or the file to a mini Keystone, where passwords count`},
		{"no roles", "tokens:\n  - {user: a, token: " + secret + "}", `t.yaml:2: tokens[0].roles: without a role nothing is allowed: give at least one`},
		{"no roles in a project", "tokens:\n  - {user: a, password: " + secret + ", project: " + strings.Repeat("0", 32) + ", roles: []}", `t.yaml:2: tokens[0].roles: without a role nothing is allowed: give at least one`},
		{"no token", "tokens:\n  - {user: a}", "t.yaml:2: tokens[0].token: a token needs a text, or its user a password or an application_credential"},
		{"user id", "tokens:\n  - {user: a, password: " + secret + ", user_id: x}", `t.yaml:2: tokens[0].user_id: it is not an id of 32 hexadecimal digits`},
		{"name of no project", "tokens:\n  - {user: a, password: " + secret + ", project_name: x}", `t.yaml:2: tokens[0].project_name: the name of a project needs its id, as project`},
		{"credential without id", "tokens:\n  - {user: a, application_credential: {secret: " + secret + "}}", `t.yaml:2: tokens[0].application_credential: it needs an id and a secret`},
		{"key of a credential", "tokens:\n  - {user: a, application_credential: {secrets: " + secret + "}}", `t.yaml:2: tokens[0].application_credential: unknown key, known are id, name, secret; did you mean "secret"?`},
		{"no user", "tokens:\n  - token: " + secret, "t.yaml:2: tokens[0].user: a token needs a user"},
		{"twice", "tokens:\n  - {token: " + secret + ", user: a, roles: [x]}\n  - {token: " + secret + ", user: b, roles: [x]}", "t.yaml:3: tokens[1].token: the token is there twice"},
		{"project", "tokens:\n  - token: " + secret + "\n    user: a\n    project: abc", `t.yaml:4: tokens[0].project: it is not an id of 32 hexadecimal digits`},
		{"no list", "tokens: 1", `t.yaml:1: tokens: want a list, got plain text`},
		{"a secret where keys belong", "tokens:\n  - " + secret, `t.yaml:2: tokens[0]: want keys and values, got plain text`},
		{"a secret that YAML trips over", "tokens:\n  - {user: a, password: *" + secret + "}", `t.yaml:2: unknown anchor (hidden) referenced`},
		{"no YAML", "tokens: [", "t.yaml:1: did not find expected node content"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := fakecyborg.New(fakecyborg.WithTokensYAML("t.yaml", []byte(test.file)))
			require.EqualError(t, err, test.want)
			assert.NotContains(t, err.Error(), secret)
		})
	}
	_, err := fakecyborg.New(fakecyborg.WithTokens("none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = fakecyborg.New(fakecyborg.WithTokens(path))
	require.ErrorContains(t, err, path+":1: there are no tokens")
}

func TestUnauthorized(t *testing.T) {
	t.Parallel()
	server, err := fakecyborg.New(fakecyborg.WithPresetTokens("recorded"), fakecyborg.WithPresetSeed("recorded"))
	require.NoError(t, err)
	c := clientOf(server)
	for _, test := range []struct {
		name   string
		path   string
		header []string
		status int
	}{
		{"no token", "/v2/devices", nil, 401},
		{"bad token", "/v2/devices", []string{"X-Auth-Token", "bad"}, 401},
		{"before everything else", "/v2/nothing", []string{"OpenStack-API-Version", "accelerator 9.9"}, 401},
		{"bad service token", "/v2/devices", []string{"X-Auth-Token", "admin", "X-Service-Token", "bad"}, 401},
		{"service token without role", "/v2/devices", []string{"X-Auth-Token", "admin", "X-Service-Token", "other"}, 401},
		{"service token", "/v2/devices", []string{"X-Auth-Token", "admin", "X-Service-Token", "nova"}, 200},
		{"version document", "/v2", nil, 200},
		{"version document with slash", "/accelerator/v2/", nil, 200},
		{"root", "/", nil, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, "GET", test.path, "", test.header...)
			assert.Equal(t, test.status, got.status)
			if test.status == 401 {
				sameBytes(t, `{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}`, got.body)
				assert.Equal(t, `Keystone uri="http://127.0.0.1:5000"`, got.header.Get("WWW-Authenticate"))
			}
		})
	}
}

// lostKeystone cannot validate anything.
type lostKeystone struct{}

func (lostKeystone) Authenticate(*http.Request) (fakecyborg.Caller, error) {
	return fakecyborg.Caller{}, errors.New("connection refused")
}
func (lostKeystone) KeystoneURL(*http.Request) string { return "" }

func TestKeystoneIsAway(t *testing.T) {
	t.Parallel()
	c := newClient(t, fakecyborg.WithAuthenticator(lostKeystone{}))
	got := c.call(t, "GET", "/v2/devices", "")
	assert.Equal(t, http.StatusServiceUnavailable, got.status)
	assert.NotContains(t, got.body, "refused")
	for accept, want := range map[string]string{
		"":                 "503 Service Unavailable\n\nThe server is currently unavailable. Please try again at a later time.\n\n The Keystone service is temporarily unavailable.  ",
		"application/json": `{"message": "The server is currently unavailable. Please try again at a later time.<br /><br />\nThe Keystone service is temporarily unavailable.\n\n", "code": "503 Service Unavailable", "title": "Service Unavailable"}`,
		"*/*": "<html>\n <head>\n  <title>503 Service Unavailable</title>\n </head>\n <body>\n  <h1>503 Service Unavailable</h1>\n" +
			"  The server is currently unavailable. Please try again at a later time.<br /><br />\nThe Keystone service is temporarily unavailable.\n\n\n </body>\n</html>",
	} {
		sameBytes(t, want, c.call(t, "GET", "/v2/devices", "", "Accept", accept).body)
	}
	_, err := fakecyborg.New(fakecyborg.WithAuthenticator(nil))
	require.ErrorContains(t, err, "no authenticator")
}

// A bound request is Nova's, and one of another project does not exist.
func TestWhoMayDelete(t *testing.T) {
	t.Parallel()
	c := releaseClient(t, fakecyborg.Newest(), withRoles())
	made := c.call(t, "POST", "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`, "X-Auth-Token", "member").arqs(t)[0]
	list := "/v2/accelerator_requests?arqs=" + made.UUID
	body := bindBody(binding{made.UUID, "rack1", fakeProvider, instanceA})
	require.Equal(t, 202, c.call(t, "PATCH", "/v2/accelerator_requests", body, "X-Auth-Token", "reader", "X-Service-Token", "service").status, "a reader with a service token may bind")
	foreign := c.call(t, "DELETE", list, "", "X-Auth-Token", "other")
	assert.Equal(t, "ExtArq not found with uuid="+made.UUID, foreign.faultString(t))
	bound := c.call(t, "DELETE", list, "", "X-Auth-Token", "member")
	assert.Equal(t, 403, bound.status)
	assert.Equal(t, "ARQ "+made.UUID+" is bound to instance "+instanceA+". Use the Compute API to manage instance accelerators.", bound.faultString(t))
	assert.Equal(t, 204, c.call(t, "DELETE", list, "", "X-Auth-Token", "member", "X-Service-Token", "service").status)
}

// Who is no admin may not name a project at a bind, wherever it stands.
func TestOnlyAdminsNameProjects(t *testing.T) {
	t.Parallel()
	c := releaseClient(t, fakecyborg.Newest(), withRoles())
	body := `{"x": [{"path": "/project_id", "op": "remove"}]}`
	header := []string{"OpenStack-API-Version", "accelerator 2.1", "X-Service-Token", "service", "X-Auth-Token"}
	denied := c.call(t, "PATCH", "/v2/accelerator_requests", body, append(header, "member")...)
	assert.Equal(t, "Access was denied to the following resource: cyborg:arq:update", denied.faultString(t))
	assert.Equal(t, 404, c.call(t, "PATCH", "/v2/accelerator_requests", body, append(header, "admin")...).status)
}

// Policies are looked at before body and arguments, and after the version.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	c := releaseClient(t, fakecyborg.Newest(), withRoles())
	for _, test := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
	}{
		{"policy before body", "POST", "/v2/device_profiles", "{", nil, 403},
		{"policy before arguments", "DELETE", "/v2/device_profiles?odd=1", "", nil, 403},
		{"version before policy", "POST", "/v2/device_profiles", "{", []string{"OpenStack-API-Version", "accelerator 9.9"}, 406},
		{"routing before policy", "PUT", "/v2/device_profiles", "", nil, 405},
		{"accept before policy", "POST", "/v2/device_profiles", "{", []string{"Accept", "text/html"}, 406},
		{"service token after the body", "PATCH", "/v2/accelerator_requests", `{"x": []}`, nil, 500},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.status, c.call(t, test.method, test.path, test.body, append(test.header, "X-Auth-Token", "member")...).status)
		})
	}
}

// Who is printed by accident shows no secret.
func TestTokensPrintNoSecret(t *testing.T) {
	t.Parallel()
	tokens, err := fakecyborg.ParseTokens("t.yaml", []byte(`tokens: [{token: s3cr3t-1, user: demo, roles: [member], password: s3cr3t-2, application_credential: {id: a, name: n, secret: s3cr3t-3}}]`))
	require.NoError(t, err)
	for _, form := range []string{"%v", "%+v", "%#v"} {
		text := fmt.Sprintf(form, tokens.Entries) + fmt.Sprintf(form, tokens.Entries[0].Credential)
		assert.NotContains(t, text, "s3cr3t")
		assert.Contains(t, text, "demo")
	}
	for _, name := range []string{"nothing", "example"} {
		_, err = fakecyborg.PresetTokens(name)
		require.EqualError(t, err, `tokens preset "`+name+`": unknown, known are recorded`)
	}
}

// A role that no policy knows is allowed, and most likely misspelled.
func TestUnknownRolesAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	file := "tokens:\n  - {token: t, user: a, roles: [readr, Admin, service]}\n  - {token: u, user: b, roles: [\n    reader,\n    memebr]}\n  - {token: v, user: c, roles: [s3cr3t]}\n"
	_, err := fakecyborg.New(fakecyborg.WithTokensYAML("t.yaml", []byte(file)), fakecyborg.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 3)
	assert.Contains(t, lines[0], `t.yaml:2: tokens[0].roles[0]: no policy of Cyborg knows this role; did you mean \"reader\"?`)
	assert.Contains(t, lines[1], `t.yaml:5: tokens[1].roles[1]: no policy of Cyborg knows this role; did you mean \"member\"?`)
	assert.Contains(t, lines[2], `t.yaml:6: tokens[2].roles[0]: no policy of Cyborg knows this role"`)
	assert.NotContains(t, log.String(), "s3cr3t")
	assert.Contains(t, lines[2], "level=WARN")
}

// The built-in example is what the program has without a seed.
func TestPresetSeed(t *testing.T) {
	t.Parallel()
	cyborg := fakecyborg.Start(t, fakecyborg.WithPresetSeed("example"))
	seed := cyborg.Seed()
	require.Len(t, seed.Hosts, 2)
	assert.Equal(t, "fpga-1", seed.Hosts[0].Name)
	assert.Equal(t, "gpu-1", seed.Hosts[1].Name)
	var profiles []string
	for _, profile := range seed.DeviceProfiles {
		profiles = append(profiles, profile.Name)
	}
	assert.ElementsMatch(t, []string{"fpga", "gpu", "v100", "fakedev"}, profiles)
	assert.Empty(t, fakecyborg.Start(t).Seed().Hosts, "without a seed there is nothing")
	_, err := fakecyborg.New(fakecyborg.WithPresetSeed("nothing"))
	require.EqualError(t, err, `seed preset "nothing": unknown, known are example, recorded`)
}

// A server has one seed and one authenticator; with two of them one would be overlooked.
func TestOptionsThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	tokens := fakecyborg.WithTokensYAML("t.yaml", []byte("tokens: [{token: t, user: u, roles: [reader]}]"))
	seed := fakecyborg.WithSeedYAML("s.yaml", nil)
	for _, test := range []struct {
		name string
		opts []fakecyborg.Option
		want string
	}{
		{"seeds", []fakecyborg.Option{fakecyborg.WithPresetSeed("example"), seed}, "with seed s.yaml: there is a seed already, with seed preset example: give one of them"},
		{"seed of Go", []fakecyborg.Option{seed, fakecyborg.WithSeed(fakecyborg.Seed{})}, "with seed: there is a seed already, with seed s.yaml: give one of them"},
		{"tokens", []fakecyborg.Option{fakecyborg.WithPresetTokens("recorded"), tokens}, "with tokens t.yaml: there is an authenticator already, with tokens preset recorded: give one of them"},
		{"authenticators", []fakecyborg.Option{tokens, fakecyborg.WithAuthenticator(lostKeystone{})}, "with authenticator: there is an authenticator already, with tokens t.yaml: give one of them"},
		{"nil", []fakecyborg.Option{seed, nil}, "option 1 is nil"},
		{"public endpoint", []fakecyborg.Option{fakecyborg.WithPublicEndpoint("http://u:s3cr3t@h")}, "with public endpoint: the address must hold neither user nor password, which answers and logs would show"},
		{"public endpoint that is none", []fakecyborg.Option{fakecyborg.WithPublicEndpoint("s3cr3t@h")}, "with public endpoint: the address is not an http or https url"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := fakecyborg.New(test.opts...)
			require.EqualError(t, err, test.want)
		})
	}
}
