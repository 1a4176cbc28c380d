package placementtest_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// TestSchemaWording checks the words that name the broken rule of a schema, and the places in schema and value.
func TestSchemaWording(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.one(providerP, 2)
	inventories := "/resource_providers/" + providerP + "/inventories"
	claim := func(allocations any) obj {
		return obj{"allocations": allocations, "project_id": "p", "user_id": "u"}
	}
	for _, test := range []struct {
		name, version, method, path string
		body                        any
		want                        []string
	}{
		{"type", "", "POST", "/resource_classes", obj{"name": 1}, []string{"1 is not of type 'string'", "'type' in schema['properties']['name']:"}},
		{"required", "", "POST", inventories, obj{"total": 1}, []string{"'required' in schema:", "On instance:"}},
		{
			"minimum", "", "POST", inventories,
			obj{"resource_class": "FPGA", "total": 0},
			[]string{"'minimum' in schema['properties']['total']:", "On instance['total']:", "     0"},
		},
		{"maximum", "", "POST", inventories, obj{"resource_class": "FPGA", "total": 1 << 31}, []string{"'maximum' in schema['properties']['total']:"}},
		{"maxLength", "", "POST", "/resource_classes", obj{"name": "CUSTOM_" + strings.Repeat("A", 249)}, []string{"is too long", "'maxLength' in"}},
		{"minLength", "", "GET", "/usages?project_id=", nil, []string{"'minLength' in schema['properties']['project_id']:"}},
		{"pattern", "", "PUT", "/resource_classes/MINE", nil, []string{"'pattern' in"}},
		{"pattern of a query", "", "GET", "/allocation_candidates?resources=VCPU:1&limit=x", nil, []string{"'pattern' in schema['properties']['limit']:"}},
		{"enum", "", "GET", "/allocation_candidates?resources=VCPU:1&group_policy=x", nil, []string{"'x' is not one of ['none', 'isolate']", "'enum' in"}},
		{"format", "", "POST", "/resource_providers", obj{"name": "x", "uuid": "x"}, []string{"'format' in schema['properties']['uuid']:"}},
		{
			"below a pattern", "1.12", "PUT", "/allocations/" + consumerX, claim(obj{providerP: obj{"resources": obj{"PGPU": 0}}}),
			[]string{
				"schema['properties']['allocations']['patternProperties']['^[0-9a-fA-F-]{36}$']['properties']['resources']",
				"On instance['allocations']['" + providerP + "']['resources']['PGPU']:",
			},
		},
		{
			"in a list", "1.8", "PUT", "/allocations/" + consumerX, claim([]obj{{"resources": obj{"PGPU": 1}}}),
			[]string{"'required' in schema['properties']['allocations']['items']:", "On instance['allocations'][0]:"},
		},
		{"minItems", "1.8", "PUT", "/allocations/" + consumerX, claim([]obj{}), []string{"'minItems' in"}},
		{"minProperties", "1.12", "PUT", "/allocations/" + consumerX, claim(obj{}), []string{"does not have enough properties", "'minProperties' in"}},
		{"additionalProperties", "", "POST", "/resource_classes", obj{"name": "CUSTOM_A", "more": 1}, []string{"'additionalProperties' in schema:"}},
		{
			"one pattern per word", "1.33", "GET", "/allocation_candidates?resources1@=VCPU:1", nil,
			[]string{"'resources1@' does not match any of the regexes:", "'^resources([a-zA-Z0-9_-]{1,64})?$', '^required", "'^in_tree"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := a.in(t).at(orLatest(test.version)).do(test.method, test.path, test.body)
			require.Equal(t, http.StatusBadRequest, got.status, "%s", got.raw)
			for _, words := range test.want {
				assert.Contains(t, got.refused(t)["detail"], words)
			}
		})
	}
}

// TestReasonWording checks reasons that list all there is to say, and bytes that clients compare.
func TestReasonWording(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.must(http.MethodPost, "/resource_providers", obj{"uuid": providerP, "name": "p"})
	inventories := "/resource_providers/" + providerP + "/inventories"
	stock := obj{"DISK_GB": obj{"total": 9}, "VCPU": obj{"total": 9}, "MEMORY_MB": obj{"total": 9}}
	a.must(http.MethodPut, inventories, obj{"resource_provider_generation": 0, "inventories": stock})
	a.at("1.36").must(http.MethodPut, "/allocations/"+consumerX, obj{
		"allocations": obj{providerP: obj{"resources": obj{"DISK_GB": 1, "VCPU": 1}}},
		"project_id":  "p", "user_id": "u", "consumer_generation": nil,
	})
	candidates := "/allocation_candidates?"
	for _, test := range []struct {
		name, version, method, path string
		body                        any
		want                        string
	}{
		{"every class in use, oldest first", "", "DELETE", inventories, nil, "Inventory for 'VCPU, DISK_GB' on resource provider '" + providerP + "' in use"},
		{"all orphaned traits", "1.25", "GET", candidates + "required1=A&required=B&resources2=VCPU:1", nil, "orphaned traits keys: required, required1 "},
		{"forbidden traits are no orphans", "1.25", "GET", candidates + "required=!A", nil, "All request groups must specify resources."},
		{
			"all orphaned aggregates", "1.25", "GET", candidates + "member_of=" + providerP + "&member_of3=" + providerP, nil,
			"orphaned member_of keys: member_of, member_of3 ",
		},
		{"no group", "1.25", "GET", candidates + "group_policy=none", nil, "At least one request group"},
		{
			"nothing to create", "", "POST", inventories,
			obj{"resource_class": "FPGA", "total": 1, "reserved": 2},
			"Unable to create inventory for resource provider",
		},
		{
			"nothing to update", "", "PUT", inventories + "/VCPU",
			obj{"total": 1, "reserved": 2, "resource_provider_generation": 2},
			"Unable to update inventory for resource provider",
		},
		{"the method by name", "", "OPTIONS", "/resource_providers", nil, "The method OPTIONS is not allowed for this resource."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := a.in(t).at(orLatest(test.version)).do(test.method, test.path, test.body)
			assert.Contains(t, got.refused(t)["detail"], test.want)
		})
	}
	t.Run("angle brackets stay as they are", func(t *testing.T) {
		t.Parallel()
		got := a.in(t).at("").do(http.MethodGet, "/resource_providers?resources=VCPU:-2", nil)
		assert.NotContains(t, string(got.raw), `\u003e`)
		got = a.in(t).at("1.4").do(http.MethodGet, "/resource_providers?resources=VCPU:-2", nil)
		assert.Contains(t, string(got.raw), "requires amount >= 1. Got: -2.")
	})
}

// TestDeprecatedPolicy shows that the option opens the reshaper to administrators, and only to them.
func TestDeprecatedPolicy(t *testing.T) {
	t.Parallel()
	reshape := obj{"inventories": obj{providerP: obj{"resource_provider_generation": 0, "inventories": obj{}}}, "allocations": obj{}}
	_, a := newAPI(t, placementtest.WithDeprecatedPolicy())
	assert.Equal(t, "placement.resource_provider.not_found", a.do(http.MethodPost, "/reshaper", reshape).code(t))
	a.token = "somebody"
	assert.Equal(t, http.StatusForbidden, a.do(http.MethodPost, "/reshaper", reshape).status)
}

// TestContentLengthThatIsNoNumber sends what no HTTP client would, hence the bare connection.
func TestContentLengthThatIsNoNumber(t *testing.T) {
	t.Parallel()
	s := placementtest.Start(t)
	for _, test := range []struct {
		name, head, want string
		status           int
	}{
		{"words", "Content-Length: hi mom", "content-length header must be an integer", http.StatusBadRequest},
		{"negative", "content-length: -1", "content-length header must be an integer", http.StatusBadRequest},
		{"a head that is broken elsewhere", "Content-Length: 0\r\nno colon", "400 Bad Request", http.StatusBadRequest},
		{"a number", "Content-Length: 0", `"versions"`, http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
			require.NoError(t, err)
			defer func() { require.NoError(t, c.Close()) }()
			_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: placement\r\n"+test.head+"\r\n\r\n")
			require.NoError(t, err)
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, test.status, resp.StatusCode)
			assert.Contains(t, string(body), test.want)
		})
	}
}
