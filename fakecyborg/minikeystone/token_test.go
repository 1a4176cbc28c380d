package minikeystone_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

func TestValidation(t *testing.T) {
	t.Parallel()
	server, clock := newServer(t, minikeystone.WithTokenLife(time.Minute))
	old := logIn(t, server, "ann", "s3cr3t-ann", inProject("demo"))
	clock.advance(2 * time.Minute)
	ann := logIn(t, server, "ann", "s3cr3t-ann", inProject("demo"))
	root := logIn(t, server, "root", "s3cr3t-root", inProject("admin"))
	nova := logIn(t, server, "nova", "s3cr3t-nova", inProject("service"))
	for _, test := range []struct {
		name, auth, subject, query string
		status                     int
		message                    string
	}{
		{"own", ann, ann, "", 200, ""},
		{"by an admin", root, ann, "", 200, ""},
		{"by a service", nova, ann, "", 200, ""},
		{"fixed", nova, "s3cr3t-fixed", "", 200, ""},
		{"of others", ann, root, "", 403, "You are not authorized to perform the requested action: identity:validate_token."},
		{"unknown, by nobody of importance", ann, "nothing", "", 403, "You are not authorized to perform the requested action: identity:validate_token."},
		{"unknown", nova, "nothing", "", 404, "Could not recognize Fernet token"},
		{"expired", nova, old, "", 404, "Could not recognize Fernet token"},
		{"expired but allowed", nova, old, "?allow_expired=1", 200, ""},
		{"none", nova, "", "", 404, "No token in the request"},
		{"by nobody", "", ann, "", 401, refused},
		{"by an expired one", old, ann, "", 401, refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := []string{"X-Auth-Token", test.auth, "X-Subject-Token", test.subject}
			got := ask(server, "GET", "/v3/auth/tokens"+test.query, "", header...)
			assert.Equal(t, test.status, got.status)
			assert.Equal(t, test.status, ask(server, "HEAD", "/v3/auth/tokens"+test.query, "", header...).status)
			if test.message != "" {
				assert.Equal(t, test.message, got.message(t))
				return
			}
			assert.Equal(t, test.subject, got.header.Get("X-Subject-Token"))
			assert.NotEmpty(t, got.token(t)["catalog"])
			quiet := ask(server, "GET", "/v3/auth/tokens?nocatalog&allow_expired=1", "", header...)
			assert.Nil(t, quiet.token(t)["catalog"])
		})
	}
}

func TestExpiredTokensEndForGood(t *testing.T) {
	t.Parallel()
	server, clock := newServer(t)
	old := logIn(t, server, "ann", "s3cr3t-ann", inProject("demo"))
	clock.advance(time.Hour + 48*time.Hour)
	nova := logIn(t, server, "nova", "s3cr3t-nova", inProject("service"))
	assert.Equal(t, 404, ask(server, "GET", "/v3/auth/tokens?allow_expired=1", "", "X-Auth-Token", nova, "X-Subject-Token", old).status)
}

func TestARescopedTokenEndsWithItsParent(t *testing.T) {
	t.Parallel()
	server, clock := newServer(t)
	first := logIn(t, server, "ann", "s3cr3t-ann", "")
	clock.advance(30 * time.Minute)
	got := ask(server, "POST", "/v3/auth/tokens", `{"auth": {"identity": {"methods": ["token"], "token": {"id": "`+first+`"}}, "scope": `+inProject("demo")+`}}`)
	require.Equal(t, http.StatusCreated, got.status)
	assert.Equal(t, "2026-01-02T04:04:05.000000Z", got.token(t)["expires_at"])
	clock.advance(30 * time.Minute)
	assert.Equal(t, 401, ask(server, "GET", "/v3/auth/catalog", "", "X-Auth-Token", got.header.Get("X-Subject-Token")).status)
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t)
	ann := logIn(t, server, "ann", "s3cr3t-ann", inProject("demo"))
	nova := logIn(t, server, "nova", "s3cr3t-nova", inProject("service"))
	denied := ask(server, "DELETE", "/v3/auth/tokens", "", "X-Auth-Token", nova, "X-Subject-Token", ann)
	assert.Equal(t, "You are not authorized to perform the requested action: identity:revoke_token.", denied.message(t))
	gone := ask(server, "DELETE", "/v3/auth/tokens", "", "X-Auth-Token", ann, "X-Subject-Token", ann)
	assert.Equal(t, 204, gone.status)
	assert.Empty(t, gone.body)
	assert.Equal(t, 401, ask(server, "GET", "/v3/auth/catalog", "", "X-Auth-Token", ann).status)
	server.RevokeAll()
	assert.Equal(t, 401, ask(server, "GET", "/v3/auth/catalog", "", "X-Auth-Token", nova).status)
	assert.Equal(t, 200, ask(server, "GET", "/v3/auth/catalog", "", "X-Auth-Token", "s3cr3t-fixed").status, "fixed tokens stay")
}

// The oldest token is forgotten when there are too many, so that a client which
// logs in for each request fills no memory.
func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t)
	server.LimitTokens(3)
	first := logIn(t, server, "ann", "s3cr3t-ann", inProject("demo"))
	for range 2 {
		logIn(t, server, "ann", "s3cr3t-ann", "")
	}
	assert.Equal(t, 200, ask(server, "GET", "/v3/auth/catalog", "", "X-Auth-Token", first).status)
	logIn(t, server, "ann", "s3cr3t-ann", "")
	assert.Equal(t, 401, ask(server, "GET", "/v3/auth/catalog", "", "X-Auth-Token", first).status)
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	server, clock := newServer(t)
	root := logIn(t, server, "root", "s3cr3t-root", inProject("admin"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			got := ask(server, "POST", "/v3/auth/tokens", passwordLogin("ann", "s3cr3t-ann", inProject("demo")))
			ann := got.header.Get("X-Subject-Token")
			assert.Equal(t, 200, ask(server, "GET", "/v3/auth/tokens", "", "X-Auth-Token", root, "X-Subject-Token", ann).status)
			clock.advance(time.Second)
			server.SetClock(clock.now)
			server.Revoke(ann)
			assert.Equal(t, 404, ask(server, "GET", "/v3/auth/tokens", "", "X-Auth-Token", root, "X-Subject-Token", ann).status)
		})
	}
	wg.Wait()
}

func TestListings(t *testing.T) {
	t.Parallel()
	server, _ := newServer(t, minikeystone.WithService("compute", "nova", "http://nova.example/v2.1"))
	ann := logIn(t, server, "ann", "s3cr3t-ann", inProject("demo"))
	root := logIn(t, server, "root", "s3cr3t-root", inProject("admin"))
	unscoped := logIn(t, server, "root", "s3cr3t-root", "")
	annID := server.UserID("ann", "Default")
	for _, test := range []struct {
		token, path string
		status      int
		want        string
	}{
		{"", "", 300, `"id":"v3.14"`},
		{"", "/", 300, `"href":"http://keystone.example:5000/identity/v3/"`},
		{"", "/v3", 200, `"version":{`},
		{"", "/v3/", 200, `"version":{`},
		{"", "/v2.0", 404, "The requested URL was not found"},
		{"", "/v3/projects", 401, refused},
		{ann, "/v3/auth/projects", 200, `"name":"other"`},
		{ann, "/v3/auth/catalog", 200, `"url":"http://nova.example/v2.1"`},
		{ann, "/v3/auth/catalog", 200, `"url":"http://keystone.example:5000/accelerator"`},
		{unscoped, "/v3/auth/catalog", 403, "identity:get_auth_catalog"},
		{unscoped, "/v3/auth/system", 200, `"system":[{"all":true}]`},
		{ann, "/v3/auth/system", 200, `"system":[]`},
		{ann, "/v3/auth/domains", 200, `"domains":[]`},
		{ann, "/v3/projects", 403, "You are not authorized to perform the requested action: identity:list_projects."},
		{ann, "/v3/projects/" + demoProject, 200, `"name":"demo"`},
		{ann, "/v3/projects/" + otherProject, 403, "identity:get_project"},
		{ann, "/v3/users", 403, "identity:list_users"},
		{ann, "/v3/users/" + annID, 200, `"name":"ann"`},
		{ann, "/v3/users/x", 403, "identity:get_user"},
		{ann, "/v3/users/" + annID + "/projects", 200, `"name":"other"`},
		{ann, "/v3/users/x/projects", 403, "identity:list_user_projects"},
		{ann, "/v3/roles", 403, "identity:list_roles"},
		{ann, "/v3/roles/x", 403, "identity:get_role"},
		{ann, "/v3/domains", 403, "identity:list_domains"},
		{ann, "/v3/domains/default", 403, "identity:get_domain"},
		{ann, "/v3/services", 403, "identity:list_services"},
		{ann, "/v3/endpoints", 403, "identity:list_endpoints"},
		{root, "/v3/projects?name=other", 200, `"links":{"next":null,"previous":null,"self":"http://keystone.example:5000/identity/v3/projects"},"projects":[{"description":"","domain_id":"default"`},
		{root, "/v3/projects?name=nothing", 200, `"projects":[]`},
		{root, "/v3/projects/x", 404, "Could not find project: x."},
		{root, "/v3/users?name=nova", 200, `"name":"nova"`},
		{root, "/v3/users/x", 404, "Could not find user: x."},
		{root, "/v3/users/x/projects", 404, "Could not find user: x."},
		{root, "/v3/roles?name=odd", 200, `"name":"odd"`},
		{root, "/v3/roles/x", 404, "Could not find role: x."},
		{root, "/v3/domains?name=Lab", 200, `"name":"Lab"`},
		{root, "/v3/domains/default", 200, `"name":"Default"`},
		{root, "/v3/services?type=compute", 200, `"name":"nova"`},
		{root, "/v3/endpoints", 200, `"interface":"internal"`},
	} {
		t.Run(fmt.Sprintf("%d %s", test.status, test.path), func(t *testing.T) {
			t.Parallel()
			got := ask(server, "GET", test.path, "", "X-Auth-Token", test.token)
			assert.Equal(t, test.status, got.status)
			assert.Contains(t, got.body, test.want)
			assert.Equal(t, "application/json", got.header.Get("Content-Type"))
		})
	}
	wrong := ask(server, "PUT", "/v3/users", "", "X-Auth-Token", root)
	assert.Equal(t, 405, wrong.status)
	assert.Equal(t, "The method is not allowed for the requested URL.", wrong.message(t))
}
