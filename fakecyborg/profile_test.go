package fakecyborg_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

func TestCreateProfileRefuses(t *testing.T) {
	t.Parallel()
	group := func(inner string) string { return `[{"name": "p", "groups": [` + inner + `]}]` }
	for _, test := range []struct {
		name, body string
		status     int
		text       string
	}{
		{name: "one key object", body: `{"name": "p"}`, status: 500, text: "0"},
		{name: "number", body: `5`, status: 500, text: "object of type 'int' has no len()"},
		{name: "longer text", body: `"xy"`, status: 400, text: "Only one device profile allowed per POST request for now."},
		{name: "list of null", body: `[null]`, status: 500, text: "'NoneType' object has no attribute 'get'"},
		{name: "name zero", body: `[{"name": 0}]`, status: 500, text: "DeviceProfile name needed."},
		{name: "name a list", body: `[{"name": ["p"]}]`, status: 500, text: "expected string or bytes-like object, got 'list'"},
		{name: "groups an object", body: `[{"name": "p", "groups": {"a": 1}}]`, status: 500, text: "'str' object has no attribute 'items'"},
		{name: "groups a number", body: `[{"name": "p", "groups": 1}]`, status: 500, text: "'int' object is not iterable"},
		{name: "group a list", body: group(`["x"]`), status: 500, text: "'list' object has no attribute 'items'"},
		{name: "numbered group", body: group(`{"resources1:FPGA": "1"}`), status: 400, text: "Device profile group keys must be of the form ^(resources:|trait:|accel:)"},
		{name: "standard trait", body: group(`{"trait: OWNER_CYBORG ": "required"}`), status: 400, text: "Unsupported trait name format OWNER_CYBORG, should start with CUSTOM_"},
		{name: "trait value null", body: group(`{"trait:CUSTOM_A": null}`), status: 400, text: "Unsupported trait value None, the value must be one among ['required', 'forbidden']"},
		{name: "trait value a list", body: group(`{"trait:CUSTOM_A": ["it's", 1.0, true]}`), status: 400, text: `Unsupported trait value ["it's", 1.0, True], the value must be one among ['required', 'forbidden']`},
		{name: "unknown class", body: group(`{"resources:PCI_DEVICE": 1}`), status: 400, text: "Unsupported resource class PCI_DEVICE"},
		{name: "amount null", body: group(`{"resources:FPGA": null}`), status: 500, text: "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'"},
		{name: "amount infinite", body: group(`{"resources:FPGA": 1e999}`), status: 500, text: "cannot convert float infinity to integer"},
		{name: "amount infinite and negative", body: group(`{"resources:FPGA": -1e999}`), status: 500, text: "cannot convert float infinity to integer"},
		{name: "amount infinite as text", body: group(`{"resources:FPGA": "1e999"}`), status: 400, text: "Resources number 1e999 is invalid"},
		{name: "amount a list", body: group(`{"resources:FPGA": []}`), status: 500, text: "int() argument must be a string, a bytes-like object or a real number, not 'list'"},
		{name: "every key is checked as it was sent", body: group(`{"resources: FPGA": "1", "resources:FPGA": "x"}`), status: 400, text: "Resources number x is invalid"},
		{name: "accel an object", body: group(`{"resources:FPGA": 1, "accel:x": {}}`), status: 500, text: "A string is required in field accel:x, not a dict"},
		{name: "description a list", body: `[{"name": "p", "groups": [{}], "description": []}]`, status: 500, text: "A string is required in field description, not a list"},
		{name: "created at no time", body: `[{"name": "p", "groups": [{}], "created_at": "soon"}]`, status: 500, text: "Unable to parse date string 'soon'"},
		{name: "name too long", body: `[{"name": "` + strings.Repeat("n", 256) + `", "groups": [{}]}]`, status: 500, text: `Remote error: DBDataError (pymysql.err.DataError) (1406, "Data too long for column 'name' at row 1")`},
		{name: "taken name in another case", body: `[{"name": "One-FPGA", "groups": [{}]}]`, status: 409, text: "A device_profile with name One-FPGA already exists."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t)
			refused := c.call(t, "POST", "/v2/device_profiles", test.body)
			assert.Equal(t, test.status, refused.status)
			assert.Equal(t, test.text, refused.firstLine(t))
			assert.Equal(t, 4, strings.Count(c.call(t, "GET", "/v2/device_profiles", "").body, `"name"`), "nothing is stored")
		})
	}
}

func TestCreateProfileStoresText(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	created := c.call(t, "POST", "/v2/device_profiles/ignored",
		`[{"name": "p\n", "description": 7, "created_at": "2020-02-03T04:05:06", "uuid": "99999999-2222-4333-8444-555555555555",
		   "groups": [{"resources: CUSTOM_ü😀 ": 1e20, "accel:a": true, "accel:b": 1.50, "trait:CUSTOM_lower:x": "forbidden"}, {}]}]`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	sameBytes(t, `{"uuid": "99999999-2222-4333-8444-555555555555", "name": "p\n", "description": "7", `+
		`"groups": [{"accel:a": "True", "accel:b": "1.5", "trait:CUSTOM_lower:x": "forbidden", "resources:CUSTOM_\u00fc\ud83d\ude00": "1e+20"}, {}], `+
		`"created_at": "2020-02-03T04:05:06+00:00", "updated_at": null, `+
		`"links": [{"href": "http://cyborg.invalid/accelerator/v2/device_profiles/99999999-2222-4333-8444-555555555555", "rel": "self"}]}`, created.body)

	again := c.call(t, "POST", "/v2/device_profiles", `[{"name": "q", "uuid": "99999999-2222-4333-8444-555555555555", "groups": [{}]}]`)
	assert.Equal(t, 500, again.status)
	assert.Equal(t, "DeviceProfile with uuid 99999999-2222-4333-8444-555555555555 already exists.", again.firstLine(t))
}

// A profile whose uuid is none breaks the list for everybody, and stays.
func TestProfileWithBadUUID(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	const text = "Expected a uuid but received zzz."
	assert.Equal(t, text, c.call(t, "POST", "/v2/device_profiles", `[{"name": "bad", "uuid": "zzz", "groups": [{}]}]`).faultString(t))
	listed := c.call(t, "GET", "/v2/device_profiles", "")
	assert.Equal(t, 400, listed.status)
	assert.Equal(t, text, listed.faultString(t))
	assert.Equal(t, 200, c.call(t, "GET", "/v2/device_profiles?name=one-fpga", "").status)
	assert.Equal(t, 200, c.call(t, "GET", "/v2/device_profiles/bad", "", "OpenStack-API-Version", "accelerator 2.2").status)
	assert.Equal(t, 400, c.call(t, "DELETE", "/v2/device_profiles/bad", "").status)
}

func TestDeleteProfiles(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arq := c.makeARQs(t, "one-fpga")[0]
	inUse := c.call(t, "DELETE", "/v2/device_profiles/one-fpga", "")
	assert.Equal(t, 500, inUse.status)
	assert.True(t, strings.HasPrefix(inUse.faultString(t), "Remote error: DBReferenceError"), inUse.body)

	missing := c.call(t, "DELETE", "/v2/device_profiles?value=three-fpga,nope,two-groups", "")
	assert.Equal(t, 404, missing.status)
	assert.Equal(t, "Device Profile not found with name=nope", missing.faultString(t))
	left := c.call(t, "GET", "/v2/device_profiles", "").body
	assert.NotContains(t, left, "three-fpga", "deleted before the first failure")
	assert.Contains(t, left, "two-groups")

	require.Equal(t, 204, c.call(t, "DELETE", "/v2/accelerator_requests/"+arq.UUID, "").status)
	assert.Equal(t, 204, c.call(t, "DELETE", "/v2/device_profiles/ONE-fpga%20", "").status, "the database folds case and trailing blanks")
}

func TestListProfilesByName(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for query, want := range map[string]int{"": 4, "?name=": 0, "?name=One-fpga": 0, "?name=two-groups,one-fpga": 2, "?name=one-fpga,": 1, "?name=one-fpga, two-groups": 1} {
		got := c.call(t, "GET", "/v2/device_profiles"+strings.ReplaceAll(query, " ", "%20"), "")
		assert.Equal(t, want, strings.Count(got.body, `"name"`), query)
	}
}

func TestDescriptionOfSeedProfile(t *testing.T) {
	t.Parallel()
	c := newClientOf(t, fakecyborg.WithSeed(fakecyborg.Seed{DeviceProfiles: []fakecyborg.DeviceProfile{
		{Name: "p", Description: "words", Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}}}},
	}}))
	assert.Contains(t, c.call(t, "GET", "/v2/device_profiles", "").body, `"description": "words"`)
}
