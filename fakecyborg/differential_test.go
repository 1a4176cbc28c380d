package fakecyborg_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a comparison with a real 14.0.0-3+deb13u1 of Debian, request by request,
// has found (functional/differential).
func TestFoundByComparison(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	device := c.call(t, "GET", "/v2/devices", "").listOf(t, "devices")[0].UUID
	deployable := c.call(t, "GET", "/v2/deployables", "").listOf(t, "deployables")[0].UUID
	program := "/v2/deployables/" + deployable + "/program"
	number := "Invalid input for field/attribute deployable_id. Value: 'x'. unable to convert to integer. Error: invalid literal for int() with base 10: 'x'"
	for _, query := range []string{"type=fpga", "vendor=0XABCD", "hostname=RACK1%20"} {
		assert.NotEmpty(t, c.call(t, "GET", "/v2/devices?"+query, "").listOf(t, "devices"), query)
	}
	for _, query := range []string{"filters.field=name", "filters.field=name&filters.value="} {
		assert.JSONEq(t, `{"deployables": []}`, c.call(t, "GET", "/v2/deployables?"+query, "").body, query)
	}
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		text                     string
	}{
		{"a number that is none", "GET", "/v2/attributes?deployable_id=x", "", 400, number},
		{"it is looked at before the names", "GET", "/v2/attributes?deployable_id=x&color=red", "", 400, number},
		{"two unknown names", "GET", "/v2/devices?b=1&a=1", "", 400, `Unknown argument: "a, b"`},
		{"an empty instance", "DELETE", "/v2/accelerator_requests?arqs=&instance=", "", 400, "Invalid input for field/attribute instance. Value: ''. unable to convert to uuid. Error: Expected a uuid but received ."},
		{"the query instead of the path", "GET", "/v2/devices/" + instanceA + "?uuid=" + device, "", 200, ""},
		{"the query that is no uuid", "GET", "/v2/deployables/" + deployable + "?uuid=abc", "", 400, "Expected a uuid but received abc."},
		{"an attribute named in the query", "DELETE", "/v2/attributes?uuid=" + instanceA, "", 404, "Attribute not found with uuid=" + instanceA},
		{"uuids in a list of profiles are names", "DELETE", "/v2/device_profiles?value=" + instanceA + "," + instanceB, "", 404, "Device Profile not found with name=" + instanceA},
		{"a filter without value", "GET", "/v2/deployables?filters.field=board", "", 200, ""},
		{"a filter with an empty value", "GET", "/v2/deployables?filters.field=name&filters.value=", "", 200, ""},
		{"a value without field", "GET", "/v2/deployables?filters.value=x", "", 200, ""},
		{"a filter that is a text", "GET", "/v2/devices?filters=x", "", 400, "Invalid input for field/attribute filters. Value: 'x'. unable to convert to ArrayType. Error: FilterType() takes no arguments"},
		{"a filter before unknown names", "GET", "/v2/devices?filters.field=x&color=red", "", 400, "Invalid input for field/attribute field. Value: 'x'. Value should be one of: parent_uuid, root_uuid, board, availability, interface_type, instance_uuid, limit, marker, sort_key, sort_dir, name"},
		{"an empty filter", "GET", "/v2/devices?filters=", "", 200, ""},
		{"an empty key to sort by", "GET", "/v2/devices?filters.field=sort_key&filters.value=", "", 200, ""},
		{"program null", "PATCH", program, "null", 500, "'NoneType' object is not subscriptable"},
		{"program an object", "PATCH", program, "{}", 400, "Invalid input for field/attribute program_info. Value: '{}'. Value not a valid list: {}"},
		{"program an operation null", "PATCH", program, "[null]", 500, "'NoneType' object is not subscriptable"},
		{"program without path", "PATCH", program, `[{"op": "add", "value": 1}]`, 400, "Invalid input for field/attribute path. Value: 'None'. Mandatory field missing."},
		{"program without value", "PATCH", program, `[{"path": "/a", "op": "add"}]`, 400, "'add' and 'replace' operations need a value"},
		{"program without op", "PATCH", program, `[{"path": "/a", "value": 1}]`, 400, "Invalid input for field/attribute op. Value: 'None'. Mandatory field missing."},
		{"program a value that is an object", "PATCH", program, `[{"path": "/a", "op": "add", "value": {"image_uuid": "abc"}}]`, 500, "0"},
		{"program a value that is a text", "PATCH", program, `[{"path": "/a", "op": "add", "value": "x"}]`, 500, "string indices must be integers, not 'str'"},
		{"attribute a list", "POST", "/v2/attributes", "[]", 500, "cyborg.objects.attribute.Attribute() argument after ** must be a mapping, not list"},
		{"attribute with a key null", "POST", "/v2/attributes", `{"deployable_id": 1, "key": null, "value": "v"}`, 500, "Field `key' cannot be None"},
		{"a profile's name an object", "POST", "/v2/accelerator_requests", `{"device_profile_name": {"a": 1}}`, 500, "dict can not be used as parameter"},
		{"a profile's name a list of one", "POST", "/v2/accelerator_requests", `{"device_profile_name": ["one-fpga"]}`, 201, ""},
		{"a list of one that is none", "POST", "/v2/accelerator_requests", `{"device_profile_name": ["none"]}`, 404, "Device Profile not found with name=['none']"},
		{"program a text for an operation", "PATCH", program, `["x"]`, 500, "'str' object has no attribute 'keys'"},
		{"digits of other scripts", "POST", "/v2/device_profiles", `[{"name": "other-digits", "groups": [{"resources:FPGA": "٣"}]}]`, 201, ""},
		{"two segments for the arguments of a deletion", "DELETE", "/v2/accelerator_requests/a/b", "", 400, "Invalid input for field/attribute instance. Value: 'b'. unable to convert to uuid. Error: Expected a uuid but received b."},
		{"both arguments of a deletion", "DELETE", "/v2/accelerator_requests/a/" + instanceA, "", 500, "Object action delete failed because: Provide either an ARQ uuid list or an instance UUID"},
		{"an action without its device", "POST", "/v2/devices/enable", "", 400, `Missing argument: "uuid"`},
		{"an action whose device is in the query", "POST", "/v2/devices/disable?uuid=abc", "", 404, "Device not found with uuid=abc"},
		{"an action with a body", "POST", "/v2/devices/disable", "x", 400, "Request is not in valid JSON format"},
		{"program without deployable", "PATCH", "/v2/deployables/program", "", 400, `Missing argument: "uuid"`},
		{"a profile's id that is no number", "POST", "/v2/device_profiles", `[{"name": "own-id", "groups": [{}], "id": "x"}]`, 500, "invalid literal for int() with base 10: 'x'"},
		{"a profile's id null", "POST", "/v2/device_profiles", `[{"name": "own-id", "groups": [{}], "id": null}]`, 500, "Field `id' cannot be None"},
		{"a profile's id out of range", "POST", "/v2/device_profiles", `[{"name": "own-id", "groups": [{}], "id": 99999999999}]`, 500, `Remote error: DBDataError (pymysql.err.DataError) (1264, "Out of range value for column 'id' at row 1")`},
		{"a profile's id that is taken", "POST", "/v2/device_profiles", `[{"name": "own-id", "groups": [{}], "id": true, "uuid": "` + instanceA + `"}]`, 500, "DeviceProfile with uuid " + instanceA + " already exists."},
		{"a profile's time that is none", "POST", "/v2/device_profiles", `[{"name": "own-id", "groups": [{}], "updated_at": 5}]`, 500, "A datetime.datetime is required in field updated_at, not a int"},
		{"the first wrong field counts", "POST", "/v2/device_profiles", `[{"name": "own-id", "groups": [{}], "uuid": [], "id": "x"}]`, 500, "A string is required in field uuid, not a list"},
		{"a path in the place of the body", "PATCH", "/v2/accelerator_requests/x", "", 500, "'str' object has no attribute 'items'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, test.method, test.path, test.body)
			assert.Equal(t, test.status, got.status, got.body)
			if test.text != "" {
				assert.Equal(t, test.text, got.firstLine(t))
			}
		})
	}
}

// What the same comparison has found in paths, methods and headers.
func TestFoundByComparisonAroundOperations(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	const (
		page  = `"<html>\n <head>\n  <title>`
		json  = "application/json"
		bytes = `{"error_message": "{\"code\": 400, \"title\": \"Bad Request\", \"description\": \"\"}"}`
	)
	for _, test := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		part                     string
	}{
		{name: "any method of an unknown path", method: "FOO", path: "/v2/nothing", header: []string{"Accept", json}, status: 405, part: "Method Not Allowed"},
		{name: "a path that is no text", method: "POST", path: "/v2/devices/%FF", header: []string{"Accept", json}, status: 400, part: bytes},
		{name: "a form that is not served", method: "GET", path: "/v2/devices.xml", header: []string{"Accept", json}, status: 404, part: `\"description\": null}`},
		{name: "the form in the path counts first", method: "GET", path: "/v2/devices.json", header: []string{"Accept", "text/html"}, status: 200},
		{name: "an Accept that is none", method: "GET", path: "/v2/devices", header: []string{"Accept", "x"}, status: 200},
		{name: "errors for one", method: "GET", path: "/v2/nothing", header: []string{"Accept", "x"}, status: 404, part: page},
		{name: "json of no quality", method: "GET", path: "/v2/devices", header: []string{"Accept", "application/json;q=0"}, status: 200},
		{name: "a page of a method", method: "PUT", path: "/v2/devices", header: []string{"Accept", "text/html"}, status: 405, part: `for this resource. <br /><br />\n\n </body>\n</html>"}`},
		{name: "a text of a wrong Accept", method: "GET", path: "/v2/devices", header: []string{"Accept", "text/plain"}, status: 406, part: `to your browser (content of type text/plain. \n\n "}`},
		{name: "a number as Python reads it", method: "GET", path: "/v2", header: []string{"Accept", json, "OpenStack-API-Version", "2_0.1"}, status: 406, part: "Version 20.1 requested"},
		{name: "one that is good", method: "GET", path: "/v2", header: []string{"OpenStack-API-Version", "+2. 3"}, status: 200},
		{name: "capital letters", method: "POST", path: "/v2/device_profiles", body: "[]", header: []string{"Content-Type", "Application/JSON"}, status: 415, part: "Unknown mimetype: Application/JSON"},
		{name: "no type of a POST", method: "POST", path: "/v2/device_profiles", body: "[]", header: []string{"Content-Type", ""}, status: 400, part: "Unknown argument"},
		{name: "no type of a PATCH", method: "PATCH", path: "/v2/accelerator_requests", body: "{}", header: []string{"Content-Type", ""}, status: 415, part: `Unknown mimetype: \"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, test.method, test.path, test.body, test.header...)
			assert.Equal(t, test.status, got.status, got.body)
			assert.Contains(t, got.body, test.part)
			if strings.Contains(test.name, "unknown path") {
				assert.Equal(t, "GET", got.header.Get("Allow"))
			}
		})
	}
}

// OPTIONS is answered in front of everything, tokens included.
func TestOptions(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, path := range []string{"/", "/v2/devices", "/v2/nothing"} {
		got := c.call(t, http.MethodOptions, path, "", "OpenStack-API-Version", "9.9")
		assert.Equal(t, http.StatusOK, got.status)
		assert.Empty(t, got.body)
		assert.Equal(t, "0", got.header.Get("Content-Length"))
		assert.Empty(t, got.header.Get("X-Openstack-Request-Id"))
	}
}

// A value that is no text fails the bind once the request was found.
func TestBindOfAValueThatIsNoText(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arq := c.makeARQs(t, "one-fpga")[0]
	body := bindBody(binding{arq.UUID, "rack1", instanceB, instanceA})
	refused := c.call(t, "PATCH", "/v2/accelerator_requests", strings.Replace(body, `"rack1"`, "[]", 1))
	assert.Equal(t, http.StatusInternalServerError, refused.status)
	require.Contains(t, refused.firstLine(t), "A string is required in field hostname, not a list")
	assert.Equal(t, "Initial", c.showARQ(t, arq.UUID).State)
}

// A bind that spells a request's uuid otherwise finds the request, and then nothing under its own uuid.
func TestBindUnderAnotherForm(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	arq := c.makeARQs(t, "one-fpga")[0]
	refused := c.call(t, "PATCH", "/v2/accelerator_requests", bindBody(binding{strings.ToUpper(arq.UUID), "rack1", instanceB, instanceA}))
	assert.Equal(t, http.StatusInternalServerError, refused.status)
	assert.Contains(t, refused.body, `"faultstring\": \"'\\\\'`+arq.UUID+`\\\\'\\\\nTraceback`)
	assert.Equal(t, "Initial", c.showARQ(t, arq.UUID).State)

	both := bindBody(binding{strings.ToUpper(arq.UUID), "rack1", instanceB, instanceA}, binding{arq.UUID, "rack1", instanceB, instanceA})
	refused = c.call(t, "PATCH", "/v2/accelerator_requests", both)
	assert.Equal(t, http.StatusNotFound, refused.status, "under both forms it is found, and the provider is not")
}

// A profile can be given an id, which says where it stands in lists, and a uuid
// that is taken counts before a name that is.
func TestProfileWithItsOwnID(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	made := c.call(t, "POST", "/v2/device_profiles", `[{"name": "first", "groups": [{}], "id": -5, "updated_at": "2020-01-02T03:04:05"}]`)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	profiles := c.call(t, "GET", "/v2/device_profiles", "").listOf(t, "device_profiles")
	assert.Equal(t, "first", profiles[0].Name)
	assert.Contains(t, made.body, `"updated_at": "2020-01-02T03:04:05+00:00"`)
	one := c.call(t, "GET", "/v2/device_profiles/first", "", "OpenStack-API-Version", "2.2")
	assert.Contains(t, one.body, `"updated_at": "2020-01-02 03:04:05+00:00"`)

	both := c.call(t, "POST", "/v2/device_profiles", `[{"name": "first", "groups": [{}], "uuid": "`+profiles[1].UUID+`"}]`)
	assert.Equal(t, http.StatusInternalServerError, both.status)
	assert.Equal(t, "DeviceProfile with uuid "+profiles[1].UUID+" already exists.", both.firstLine(t))
}

// What an action is asked of more than one thing fails late, and may be asked by anybody.
func TestActionOfALongerPath(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	assert.Equal(t, http.StatusNotFound, c.call(t, "POST", "/v2/devices/a/b/enable", "", "Accept", "application/json").status)
	assert.Equal(t, http.StatusNotAcceptable, c.call(t, "POST", "/v2/devices/a/b/enable", "", "Accept", "text/html").status)
	other := c.call(t, "PATCH", "/v2/deployables", "[]", "Accept", "text/html")
	assert.Equal(t, http.StatusNotFound, other.status, "this one fails before")
	assert.Equal(t, "GET", c.call(t, "POST", "/v2/devices", "").header.Get("Allow"), "actions are no methods")
}
