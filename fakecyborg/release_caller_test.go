package fakecyborg_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// rolesTokens has a token for each role, all in one project.
const rolesTokens = `tokens:
  - {token: admin, user: admin, project: aaaaaaaa000000000000000000000001, roles: [admin]}
  - {token: manager, user: m, project: aaaaaaaa000000000000000000000001, roles: [manager]}
  - {token: member, user: demo, project: aaaaaaaa000000000000000000000001, roles: [member]}
  - {token: reader, user: r, project: aaaaaaaa000000000000000000000001, roles: [reader]}
  - {token: service, user: s, project: aaaaaaaa000000000000000000000001, roles: [service]}
  - {token: odd, user: o, project: aaaaaaaa000000000000000000000001, roles: [odd]}
  - {token: other, user: other, project: bbbbbbbb000000000000000000000002, roles: [member]}
  - {token: administrator, user: a, project: aaaaaaaa000000000000000000000001, roles: [administrator]}
  - {token: system, user: root, roles: [admin]}
`

func withRoles() fakecyborg.Option {
	return fakecyborg.WithTokensYAML("tokens.yaml", []byte(rolesTokens))
}

// allowed tells which of the roles admin, manager, member, reader, service and
// odd may do what is asked for, by their first letters.
func allowed(t *testing.T, c client, method, path, body string) string {
	t.Helper()
	var letters strings.Builder
	for _, role := range []string{"admin", "manager", "member", "reader", "service", "odd"} {
		got := c.call(t, method, path, body, "X-Auth-Token", role)
		require.NotEqual(t, http.StatusUnauthorized, got.status)
		if got.status != http.StatusForbidden {
			letters.WriteString(strings.ToUpper(role[:1]))
		} else {
			letters.WriteString("-")
		}
	}
	return letters.String()
}

// policyRows are calls whose outcome, apart from a 403, does not matter.
var policyRows = []struct{ operation, method, path, body string }{
	{"profiles", "GET", "/v2/device_profiles", ""},
	{"profile", "GET", "/v2/device_profiles/" + instanceA, ""},
	{"new profile", "POST", "/v2/device_profiles", "[]"},
	{"requests", "GET", "/v2/accelerator_requests", ""},
	{"request", "GET", "/v2/accelerator_requests/" + instanceA, ""},
	{"new request", "POST", "/v2/accelerator_requests", "[]"},
	{"delete", "DELETE", "/v2/accelerator_requests?arqs=x", ""},
	{"devices", "GET", "/v2/devices", ""},
	{"disable", "POST", "/v2/devices/x/disable", ""},
	{"program", "PATCH", "/v2/deployables/x/program", "[]"},
	{"attributes", "GET", "/v2/attributes", ""},
	{"new attribute", "POST", "/v2/attributes", "[]"},
}

func policiesOf(t *testing.T, c client) string {
	t.Helper()
	var rows []string
	for _, row := range policyRows {
		rows = append(rows, row.operation+" "+allowed(t, c, row.method, row.path, row.body))
	}
	return strings.Join(rows, "\n")
}

// table spells policies: a row for each of policyRows.
func table(rules ...string) string {
	rows := make([]string, len(policyRows))
	for i, rule := range rules {
		rows[i] = policyRows[i].operation + " " + rule
	}
	return strings.Join(rows, "\n")
}

// Everybody, or admins only. Where an operation has no route all get a 404.
const (
	everybody = "AMMRSO"
	adminOnly = "A-----"
)

var (
	oldTable   = []string{everybody, adminOnly, adminOnly, everybody, adminOnly, everybody, everybody, everybody, everybody, everybody, everybody, everybody}
	openTable  = table(oldTable...)
	switchRow  = table(replaceRow(oldTable, 8, adminOnly)...)
	readerRow  = table(replaceRow(replaceRow(oldTable, 8, adminOnly), 0, "AMMR--")...)
	fixedTable = table("AMMR--", adminOnly, adminOnly, everybody, everybody, "AMM---", everybody, adminOnly, adminOnly, adminOnly, adminOnly, adminOnly)
	ownerTable = table(everybody, everybody, adminOnly, everybody, everybody, everybody, everybody, everybody, adminOnly, adminOnly, everybody, adminOnly)
	newTable   = table("AMMR--", "AMMR--", adminOnly, "AMMR--", "AMMR--", "AMM-S-", "AMM-S-", "AM----", adminOnly, adminOnly, "AM----", adminOnly)
)

func replaceRow(rows []string, at int, value string) []string {
	changed := append([]string(nil), rows...)
	changed[at] = value
	return changed
}

var callerObservations = []observation{
	{
		fields: []string{"Policies"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			return policiesOf(t, releaseClient(t, release, withRoles()))
		},
		first: openTable,
		changes: []change{
			{from: "11.0.0", value: switchRow},
			{from: "13.0.0", value: readerRow},
			{at: fixedVersions, value: fixedTable},
			{from: "17.0.0", value: ownerTable},
		},
	},
	{
		fields: []string{"NewPolicies"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			return policiesOf(t, releaseClient(t, release, withRoles(), fakecyborg.WithNewPolicies()))
		},
		first: openTable,
		changes: []change{
			{from: "11.0.0", value: switchRow},
			{from: "13.0.0", value: readerRow},
			{at: fixedVersions, value: fixedTable},
			{from: "17.0.0", value: newTable},
		},
	},
	{
		fields: []string{"AdministratorRole"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			return strconv.Itoa(releaseClient(t, release, withRoles()).call(t, "POST", "/v2/device_profiles", "[]", "X-Auth-Token", "administrator").status)
		},
		first: "400", changes: []change{{from: "17.0.0", value: "403"}},
	},
	{
		fields: []string{"ProjectTokensOnly"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			return strconv.Itoa(releaseClient(t, release, withRoles()).call(t, "GET", "/v2/device_profiles", "", "X-Auth-Token", "system").status)
		},
		first: "200", changes: []change{{at: fixedVersions, value: "403"}},
	},
	{
		fields: []string{"ProjectScope"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			c := releaseClient(t, release, withRoles())
			c.call(t, "POST", "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`, "X-Auth-Token", "member")
			seen := c.call(t, "GET", "/v2/accelerator_requests", "", "X-Auth-Token", "other").arqs(t)
			mine := c.call(t, "GET", "/v2/accelerator_requests", "", "X-Auth-Token", "member").arqs(t)
			require.Len(t, mine, 1)
			return fmt.Sprint(len(seen), " ", mine[0].Project != nil)
		},
		first: "1 false", changes: []change{{at: fixedVersions, value: "0 true"}},
	},
	{
		fields: []string{"ServiceTokens"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			c := releaseClient(t, release, withRoles())
			made := c.call(t, "POST", "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`, "X-Auth-Token", "member").arqs(t)[0]
			body := bindBody(binding{made.UUID, "rack1", fakeProvider, instanceA})
			bind := c.call(t, "PATCH", "/v2/accelerator_requests", body, "X-Auth-Token", "member")
			gone := c.call(t, "DELETE", "/v2/accelerator_requests?instance="+instanceA, "", "X-Auth-Token", "member")
			return fmt.Sprint(bind.status, " ", gone.status)
		},
		first: "202 204", changes: []change{{at: fixedVersions, value: "403 403"}},
	},
}
