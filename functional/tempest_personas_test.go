package functional_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// personas are users with one role each; a token is its user's name.
const personas = `
tokens:
  - {token: admin, user: admin, project: 0d8bd6a3e2f54a1c9a6f7b1c2d3e4f50, roles: [admin]}
  - {token: member, user: member, project: 3458b5fabb264b8ba2808e0d40e56613, roles: [member]}
  - {token: reader, user: reader, project: 3458b5fabb264b8ba2808e0d40e56613, roles: [reader]}
  - {token: nova, user: nova, project: 7c1f0a9e5b3d4826a1e2f3c4d5b6a798, roles: [service]}
  - {token: system, user: system, roles: [admin]}
`

var withPersonas = []fakecyborg.Option{fakecyborg.WithNewPolicies(), fakecyborg.WithTokensYAML("personas", []byte(personas))}

// hasPersonas picks the releases that have the roles of the plugin's srbac tests, which ask for enforce_new_defaults.
func hasPersonas(r fakecyborg.Release) bool {
	return slices.Contains(r.NewPolicies["arq:create"], "service")
}

// tempestPersonas are tests/api/test_rbac*.py.
var tempestPersonas = []tempestCase{
	{name: "srbac service user creates and deletes an arq", has: hasPersonas, options: withPersonas, run: func(t *testing.T, c tempest) {
		c.asUser("admin").profile(t, "srbac", "PGPU")
		nova := c.asUser("nova")
		nova.call(t, "DELETE", arqsPath+"?arqs="+text(t, nova.arqs(t, "srbac")[0], "uuid"), "").want(t, http.StatusNoContent)
	}},
	{name: "srbac admin reads arqs", has: hasPersonas, options: withPersonas, run: func(t *testing.T, c tempest) {
		c.asUser("admin").profile(t, "srbac", "PGPU")
		made := text(t, c.asUser("member").arqs(t, "srbac")[0], "uuid")
		admin := c.as("admin")
		assert.Equal(t, []string{made}, texts(t, admin.call(t, "GET", arqsPath, "").want(t, http.StatusOK).list(t, "arqs"), "uuid"))
		admin.call(t, "GET", arqsPath+"/"+made, "").want(t, http.StatusOK)
	}},
	{name: "srbac admin writes arqs", has: hasPersonas, options: withPersonas, run: func(t *testing.T, c tempest) {
		admin := c.asUser("admin")
		admin.profile(t, "srbac", "PGPU")
		made := text(t, admin.arqs(t, "srbac")[0], "uuid")
		admin.bind(t, made, unknown(), "X-Service-Token", "nova")
		admin.call(t, "DELETE", arqsPath+"?arqs="+made, "", "X-Service-Token", "nova").want(t, http.StatusNoContent)
	}},
	{name: "srbac admin lists devices, deployables and attributes", has: hasPersonas, options: withPersonas, run: func(t *testing.T, c tempest) {
		for path, key := range map[string]string{devicesPath: "devices", deployablesPath: "deployables", attributesPath: "attributes"} {
			assert.NotEmpty(t, c.as("admin").call(t, "GET", path, "").want(t, http.StatusOK).list(t, key))
		}
	}},
	{name: "srbac reader lists profiles and arqs", has: hasPersonas, options: withPersonas, run: func(t *testing.T, c tempest) {
		reader := c.as("reader")
		require.Empty(t, reader.call(t, "GET", profilesPath, "").want(t, http.StatusOK).list(t, "device_profiles"))
		require.Empty(t, reader.call(t, "GET", arqsPath, "").want(t, http.StatusOK).list(t, "arqs"))
		reader.call(t, "GET", devicesPath, "").want(t, http.StatusForbidden)
	}},
	{name: "srbac system admin lists no devices", has: hasPersonas, options: withPersonas, run: func(t *testing.T, c tempest) {
		c.as("system").call(t, "GET", devicesPath, "").want(t, http.StatusForbidden)
	}},
}

// asUser is the surroundings with another user's token.
func (c tempest) asUser(token string) tempest {
	c.rawClient = c.as(token)
	return c
}
