package fakecyborg_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// oneCard is a host with one card of a kind.
func oneCard(kind string) fakecyborg.Seed {
	card := driver.Card{Address: "0000:3b:00.0"}
	switch kind {
	case "fake":
		card.Address = ""
	case "aichip":
		card.ResourceClass = "CUSTOM_NPU"
	}
	return fakecyborg.Seed{Hosts: []fakecyborg.Host{{Name: "rack1", Devices: []fakecyborg.Device{{Driver: kind, Card: card}}}}}
}

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
  - {token: system-reader, user: auditor, roles: [reader]}
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
		got := c.call(t, method, path, body, "X-Auth-Token", role, "X-Service-Token", "service")
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
	{"delete profile", "DELETE", "/v2/device_profiles/" + instanceA, ""},
	{"requests", "GET", "/v2/accelerator_requests", ""},
	{"request", "GET", "/v2/accelerator_requests/" + instanceA, ""},
	{"new request", "POST", "/v2/accelerator_requests", "[]"},
	{"bind", "PATCH", "/v2/accelerator_requests", bindBody(binding{instanceA, "rack1", fakeProvider, instanceA})},
	{"unbind", "PATCH", "/v2/accelerator_requests", `{"` + instanceA + `": [{"op": "remove", "path": "/hostname"}, {"op": "remove", "path": "/instance_uuid"}, {"op": "remove", "path": "/device_rp_uuid"}]}`},
	{"delete", "DELETE", "/v2/accelerator_requests?arqs=x", ""},
	{"devices", "GET", "/v2/devices", ""},
	{"disable", "POST", "/v2/devices/x/disable", ""},
	{"enable", "POST", "/v2/devices/x/enable", ""},
	{"program", "PATCH", "/v2/deployables/x/program", "[]"},
	{"attributes", "GET", "/v2/attributes", ""},
	{"new attribute", "POST", "/v2/attributes", "[]"},
	{"delete attribute", "DELETE", "/v2/attributes/" + instanceA, ""},
}

func policiesOf(t *testing.T, c client) string {
	t.Helper()
	var rows []string
	for _, row := range policyRows {
		rows = append(rows, row.operation+" "+allowed(t, c, row.method, row.path, row.body))
	}
	return strings.Join(rows, "\n")
}

// roles says by operation who may; what it does not name everybody may.
type roles map[string]string

// and are those roles with changes.
func (r roles) and(changes roles) roles {
	all := maps.Clone(r)
	maps.Copy(all, changes)
	return all
}

// table has a row for each of policyRows.
func (r roles) table() string {
	rows := make([]string, 0, len(policyRows))
	for _, row := range policyRows {
		rows = append(rows, row.operation+" "+cmp.Or(r[row.operation], everybody))
	}
	return strings.Join(rows, "\n")
}

// Everybody, admins only, or nobody with a token of a project. Where an operation
// has no route all get a 404.
const (
	everybody = "AMMRSO"
	readers   = "AMMR--"
	adminOnly = "A-----"
	nobody    = "------"
)

var (
	firstRoles   = roles{"profile": adminOnly, "new profile": adminOnly, "delete profile": adminOnly, "request": adminOnly}
	systemRoles  = firstRoles.and(roles{"profiles": readers, "profile": nobody, "new profile": nobody, "delete profile": nobody})
	switchRoles  = roles{"disable": adminOnly, "enable": adminOnly}
	readerRoles  = firstRoles.and(switchRoles).and(roles{"profiles": readers})
	writerRoles  = switchRoles.and(roles{"new profile": adminOnly, "delete profile": adminOnly, "program": adminOnly, "new attribute": adminOnly, "delete attribute": adminOnly})
	fixedRoles   = writerRoles.and(roles{"profiles": readers, "profile": adminOnly, "new request": "AMM---", "devices": adminOnly, "attributes": adminOnly})
	personaRoles = writerRoles.and(roles{
		"profiles": readers, "profile": readers, "requests": readers, "request": readers, "new request": "AMM-S-", "bind": "AMM-S-",
		"unbind": "AMM-S-", "delete": "AMM-S-", "devices": "AM----", "attributes": "AM----",
	})
)

var callerObservations = []observation{
	{
		fields: []string{"Policies"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			return policiesOf(t, releaseClient(t, release, withRoles()))
		},
		first: firstRoles.table(),
		changes: []change{
			{from: "11.0.0", value: firstRoles.and(switchRoles).table()},
			{from: "13.0.0", value: readerRoles.table()},
			{at: fixedVersions, value: fixedRoles.table()},
			{from: "17.0.0", value: writerRoles.table()},
		},
	},
	{
		fields: []string{"NewPolicies"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			return policiesOf(t, releaseClient(t, release, withRoles(), fakecyborg.WithNewPolicies()))
		},
		first: firstRoles.table(),
		changes: []change{
			{from: "6.0.0", value: systemRoles.table()},
			{from: "11.0.0", value: systemRoles.and(switchRoles).table()},
			{from: "13.0.0", value: readerRoles.table()},
			{at: fixedVersions, value: fixedRoles.table()},
			{from: "17.0.0", value: personaRoles.table()},
		},
	},
	{
		fields: []string{"Policies", "NewPolicies"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			var seen []string
			for _, options := range [][]fakecyborg.Option{{withRoles()}, {withRoles(), fakecyborg.WithNewPolicies()}} {
				c := releaseClient(t, release, options...)
				for _, token := range []string{"system", "system-reader"} {
					show := c.call(t, "GET", "/v2/device_profiles/"+instanceA, "", "X-Auth-Token", token)
					create := c.call(t, "POST", "/v2/device_profiles", "[]", "X-Auth-Token", token)
					seen = append(seen, fmt.Sprint(show.status != http.StatusForbidden, create.status != http.StatusForbidden))
				}
			}
			return strings.Join(seen, ", ")
		},
		first: "true true, false false, true true, false false",
		changes: []change{
			{from: "6.0.0", value: "true true, true false, true true, true false"},
			{from: "13.0.0", value: "false false, false false, false false, false false"},
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
		fields: []string{"ProjectOperations", "ProjectTokensOnly"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			c := releaseClient(t, release, withRoles())
			profiles := c.call(t, "GET", "/v2/device_profiles", "", "X-Auth-Token", "system")
			text := "shown"
			if profiles.status == http.StatusForbidden {
				text = profiles.faultString(t)
			}
			return fmt.Sprint(text, " ", c.call(t, "GET", "/v2/accelerator_requests", "", "X-Auth-Token", "system").status)
		},
		first: "shown 200",
		changes: []change{
			{from: "13.0.0", value: `"cyborg:device_profile:get_all": "rule:project_reader_or_admin" requires a scope of ['project'], request was made with system scope. 200`},
			{at: fixedVersions, value: "Access was denied to the following resource: cyborg:device_profile:get_all 403"},
		},
	},
	{
		fields: []string{"Drivers"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			var known []string
			for _, name := range driver.Names() {
				_, err := fakecyborg.New(fakecyborg.WithRelease(release), fakecyborg.WithSeed(oneCard(name)))
				if err == nil {
					known = append(known, name)
				}
			}
			return strings.Join(known, " ")
		},
		first: "aichip fake fpga pgpu",
		changes: []change{
			{from: "5.0.0", value: "aichip fake fpga inspur_fpga pgpu qat"},
			{from: "6.0.0", value: "aichip fake fpga inspur_fpga nic pgpu qat ssd"},
			{from: "9.0.0", value: "aichip fake fpga inspur_fpga nic pgpu qat ssd xilinx_fpga"},
			{from: "10.1.0", value: "aichip fake fpga inspur_fpga nic pgpu qat ssd vgpu xilinx_fpga"},
			{from: "14.0.0", value: strings.Join(driver.Names(), " ")},
		},
	},
	{
		fields: []string{"PCIOwner"},
		observe: func(t *testing.T, release fakecyborg.Release) string {
			t.Helper()
			server, err := fakecyborg.New(fakecyborg.WithRelease(release), fakecyborg.WithSeed(oneCard("pci")))
			if err != nil {
				return "refused"
			}
			c := clientOf(server)
			before := c.call(t, "GET", "/v2/attributes", "").body
			require.NoError(t, server.Discover(t.Context(), "rack1"))
			require.Equal(t, before, c.call(t, "GET", "/v2/attributes", "").body, "a report finds the same")
			return strconv.FormatBool(strings.Contains(before, "OWNER_CYBORG"))
		},
		first: "refused", changes: []change{{from: "14.0.0", value: "false"}, {from: "17.0.0", value: "true"}},
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
