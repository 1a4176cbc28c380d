package minikeystone_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const refused = "The request you have made requires authentication."

func TestLogins(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t)
	unscoped := logIn(t, server, "ann", "s3cr3t-ann", "")
	credential := `{"auth": {"identity": {"methods": ["application_credential"], "application_credential": %s}}}`
	for _, test := range []struct {
		name, body      string
		project, domain string // of the token
		roles           []string
		methods         []any
	}{
		{"by name", passwordLogin("ann", "s3cr3t-ann", inProject("demo")), demoProject, "default", []string{"member", "reader"}, []any{"password"}},
		{"by id of the project", passwordLogin("ann", "s3cr3t-ann", `{"project": {"id": "`+otherProject+`"}}`), otherProject, "default", []string{"reader"}, []any{"password"}},
		{"unscoped", passwordLogin("ann", "s3cr3t-ann", `{"unscoped": {}}`), "", "", nil, []any{"password"}},
		{"unscoped as text", passwordLogin("ann", "s3cr3t-ann", `"unscoped"`), "", "", nil, []any{"password"}},
		{"no scope", passwordLogin("ann", "s3cr3t-ann", ""), "", "", nil, []any{"password"}},
		{"system", passwordLogin("root", "s3cr3t-root", `{"system": {"all": true}}`), "", "", []string{"admin", "manager", "member", "reader"}, []any{"password"}},
		{
			"another domain",
			`{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": "ann", "password": "s3cr3t-lab", "domain": {"name": "Lab"}}}}, "scope": {"project": {"name": "demo", "domain": {"name": "Lab"}}}}}`,
			"7c1f0a9e5b3d4826a1e2f3c4d5b6a798", "",
			[]string{"odd"},
			[]any{"password"},
		},
		{"token", `{"auth": {"identity": {"methods": ["token"], "token": {"id": "` + unscoped + `"}}, "scope": ` + inProject("demo") + `}}`, demoProject, "default", []string{"member", "reader"}, []any{"password", "token"}},
		{"password and token", `{"auth": {"identity": {"methods": ["password", "token"], "token": {"id": "` + unscoped + `"}, "password": {"user": {"name": "ann", "password": "s3cr3t-ann", "domain": {"id": "default"}}}}, "scope": ` + inProject("demo") + `}}`, demoProject, "default", []string{"member", "reader"}, []any{"password", "token"}},
		{"fixed token", `{"auth": {"identity": {"methods": ["token"], "token": {"id": "s3cr3t-fixed"}}, "scope": ` + inProject("demo") + `}}`, demoProject, "default", []string{"member", "reader"}, []any{"password", "token"}},
		{"credential by id", strings.Replace(credential, "%s", `{"id": "cred-1", "secret": "s3cr3t-cred"}`, 1), demoProject, "default", []string{"member", "reader"}, []any{"application_credential"}},
		{"credential by name", strings.Replace(credential, "%s", `{"name": "build", "secret": "s3cr3t-cred", "user": {"name": "robot", "domain": {"id": "default"}}}`, 1), demoProject, "default", []string{"member", "reader"}, []any{"application_credential"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ask(server, "POST", "/v3/auth/tokens", test.body)
			require.Equal(t, http.StatusCreated, got.status, got.body)
			assert.NotEmpty(t, got.header.Get("X-Subject-Token"))
			token := got.token(t)
			assert.Equal(t, test.methods, token["methods"])
			assert.Equal(t, "2026-01-02T03:04:05.000000Z", token["issued_at"])
			assert.Equal(t, "2026-01-02T04:04:05.000000Z", token["expires_at"])
			project, scoped := token["project"].(map[string]any)
			assert.Equal(t, test.project != "", scoped)
			if scoped {
				assert.Equal(t, test.project, project["id"])
			}
			var roles []string
			listed, _ := token["roles"].([]any)
			for _, role := range listed {
				properties, _ := role.(map[string]any)
				name, _ := properties["name"].(string)
				roles = append(roles, name)
			}
			assert.Equal(t, test.roles, roles)
			assert.Equal(t, test.roles != nil, token["catalog"] != nil)
		})
	}
}

func TestRefusedLogins(t *testing.T) {
	t.Parallel()
	server, clock := newServer(t)
	expired := logIn(t, server, "ann", "s3cr3t-ann", "")
	clock.advance(2 * 3600e9)
	robot := ask(server, "POST", "/v3/auth/tokens", `{"auth": {"identity": {"methods": ["application_credential"], "application_credential": {"id": "cred-1", "secret": "s3cr3t-cred"}}}}`)
	require.Equal(t, http.StatusCreated, robot.status)
	expecting := func(attribute, target string) string {
		return "Expecting to find " + attribute + " in " + target + ". The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error."
	}
	byToken := func(token string) string {
		return `{"auth": {"identity": {"methods": ["token"], "token": {"id": "` + token + `"}}}}`
	}
	of := func(method, payload string) string {
		return `{"auth": {"identity": {"methods": ["` + method + `"], "` + method + `": ` + payload + `}}}`
	}
	for _, test := range []struct {
		name, body string
		status     int
		message    string
	}{
		{"wrong password", passwordLogin("ann", "s3cr3t-lab", ""), 401, refused},
		{"empty password", passwordLogin("ann", "", ""), 401, refused},
		{"no password to know", passwordLogin("robot", "", ""), 401, refused},
		{"unknown user", passwordLogin("bob", "s3cr3t-ann", ""), 401, refused},
		{"unknown project", passwordLogin("ann", "s3cr3t-ann", inProject("nothing")), 401, refused},
		{"project of others", passwordLogin("ann", "s3cr3t-ann", inProject("admin")), 401, refused},
		{"no right to the system", passwordLogin("ann", "s3cr3t-ann", `{"system": {"all": true}}`), 401, refused},
		{"domain scope", passwordLogin("ann", "s3cr3t-ann", `{"domain": {"id": "default"}}`), 401, refused},
		{"unknown token", byToken("nothing"), 401, refused},
		{"expired token", byToken(expired), 401, refused},
		{"token of a credential", byToken(robot.header.Get("X-Subject-Token")), 401, refused},
		{"wrong secret", of("application_credential", `{"id": "cred-1", "secret": "no"}`), 401, refused},
		{"credential of another", of("application_credential", `{"name": "build", "secret": "s3cr3t-cred", "user": {"name": "ann", "domain": {"id": "default"}}}`), 401, refused},
		{"credential with scope", `{"auth": {"identity": {"methods": ["application_credential"], "application_credential": {"id": "cred-1", "secret": "s3cr3t-cred"}}, "scope": ` + inProject("demo") + `}}`, 401, refused},
		{"two users", `{"auth": {"identity": {"methods": ["password", "token"], "token": {"id": "s3cr3t-fixed"}, "password": {"user": {"name": "root", "password": "s3cr3t-root", "domain": {"id": "default"}}}}}}`, 401, refused},
		{"no methods", `{"auth": {"identity": {"methods": []}}}`, 401, refused},
		{"unknown method", of("totp", "{}"), 401, "Attempted to authenticate with an unsupported method."},
		{"method without payload", `{"auth": {"identity": {"methods": ["password"]}}}`, 400, expecting("password", "identity")},
		{"no user", of("password", "{}"), 400, expecting("user", "password")},
		{"no name", of("password", `{"user": {"password": "x"}}`), 400, expecting("id or name", "user")},
		{"no domain", of("password", `{"user": {"name": "ann", "password": "x"}}`), 400, expecting("domain", "user")},
		{"empty domain", of("password", `{"user": {"name": "ann", "password": "x", "domain": {}}}`), 400, expecting("id or name", "domain")},
		{"password left out", of("password", `{"user": {"id": "x"}}`), 400, expecting("password", "user")},
		{"credential without name", of("application_credential", `{"secret": "x"}`), 400, expecting("id or name", "application_credential")},
		{"credential's name without user", of("application_credential", `{"name": "build", "secret": "x"}`), 400, expecting("user", "application_credential")},
		{"two scopes", passwordLogin("ann", "s3cr3t-ann", `{"project": {"id": "x"}, "domain": {"id": "y"}}`), 400, expecting("project, domain, OS-TRUST:trust, system or unscoped", "scope")},
		{"empty scope", passwordLogin("ann", "s3cr3t-ann", `{}`), 400, expecting("project, domain, OS-TRUST:trust, system or unscoped", "scope")},
		{"project without domain", passwordLogin("ann", "s3cr3t-ann", `{"project": {"name": "demo"}}`), 400, expecting("domain", "project")},
		{"no auth", `{}`, 400, "None is not of type 'object'"},
		{"no identity", `{"auth": {}}`, 400, "'identity' is a required property"},
		{"methods left out", `{"auth": {"identity": {}}}`, 400, "Invalid input for field 'identity': 'methods' is a required property"},
		{"methods a text", `{"auth": {"identity": {"methods": "password"}}}`, 400, "Invalid input for field 'identity/methods': a string is not of the right type"},
		{"a list", `[]`, 400, expecting("valid JSON object", "request body")},
		{"no JSON", `{"auth"`, 400, expecting("valid JSON", "request body")},
		{"nothing", ``, 400, expecting("valid JSON", "request body")},
		{"too long", strings.Repeat(" ", 114_689), 413, "Request is too large."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ask(server, "POST", "/v3/auth/tokens", test.body)
			assert.Equal(t, test.status, got.status)
			assert.Equal(t, test.message, got.message(t))
			assert.Empty(t, got.header.Get("X-Subject-Token"))
			assert.NotContains(t, got.body, "s3cr3t")
			if test.status == http.StatusUnauthorized {
				assert.Equal(t, `Keystone uri="http://keystone.example:5000/identity"`, got.header.Get("WWW-Authenticate"))
			}
		})
	}
}
