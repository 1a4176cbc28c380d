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
