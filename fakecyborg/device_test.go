package fakecyborg_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// deviceJSON is a device or a deployable as tests read it.
type deviceJSON struct {
	UUID       string  `json:"uuid"`
	Name       string  `json:"name"`
	Type       string  `json:"type"`
	Hostname   string  `json:"hostname"`
	Status     *string `json:"status"`
	UpdatedAt  *string `json:"updated_at"`
	Provider   string  `json:"rp_uuid"`
	DeviceID   int     `json:"device_id"`
	Number     int     `json:"num_accelerators"`
	Attributes string  `json:"attributes_list"`
}

func (a answer) listOf(t *testing.T, key string) []deviceJSON {
	t.Helper()
	var lists map[string][]deviceJSON
	require.NoError(t, json.Unmarshal([]byte(a.body), &lists), a.body)
	return lists[key]
}

func TestListDevices(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		name, query string
		types       []string
	}{
		{name: "all", types: []string{"FPGA", "FPGA", "GPU"}},
		{name: "type", query: "?type=GPU", types: []string{"GPU"}},
		{name: "case does not matter to MariaDB", query: "?type=gpu", types: []string{"GPU"}},
		{name: "host", query: "?hostname=rack1&vendor=0x8086", types: []string{"FPGA"}},
		{name: "empty parameter", query: "?type=", types: []string{"FPGA", "FPGA", "GPU"}},
		{name: "filtered are newest first", query: "?filters.field=name&filters.value=x", types: []string{"GPU", "FPGA", "FPGA"}},
		{name: "ascending", query: "?filters.field=sort_dir&filters.value=asc", types: []string{"FPGA", "FPGA", "GPU"}},
		{name: "limit", query: "?filters.field=limit&filters.value=1", types: []string{"GPU"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			types := []string{}
			for _, device := range c.call(t, "GET", "/v2/devices"+test.query, "").listOf(t, "devices") {
				types = append(types, device.Type)
				assert.Nil(t, device.Status)
			}
			assert.Equal(t, test.types, types)
		})
	}
	assert.Equal(t, 400, c.call(t, "GET", "/v2/devices?filters=x", "").status)
	assert.Equal(t, 500, c.call(t, "GET", "/v2/devices?filters.field=limit&filters.value=x", "").status)
}

func TestDeployables(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	list := c.call(t, "GET", "/v2/deployables", "").listOf(t, "deployables")
	require.Len(t, list, 3)
	for i, want := range []deviceJSON{
		{Name: fpgaName, DeviceID: 1, Number: 2, Attributes: `[{"trait0": "CUSTOM_FPGA_INTEL"}, {"trait1": "CUSTOM_FPGA_INTEL_PAC_ARRIA10"}, {"trait2": "CUSTOM_FPGA_REGION_INTEL_BB02"}, {"rc": "FPGA"}, {"trait2": "CUSTOM_FPGA_FUNCTION_ID_INTEL_AA01"}, {"trait2": "CUSTOM_FPGA_FUNCTION_ID_INTEL_AA01"}]`},
		{Name: fakeName, DeviceID: 2, Number: 16, Attributes: `[{"traits1": "CUSTOM_FAKE_DEVICE"}, {"rc": "FPGA"}]`},
		{Name: gpuName, DeviceID: 3, Number: 1, Attributes: `[{"rc": "PGPU"}, {"trait0": "OWNER_CYBORG"}, {"trait1": "CUSTOM_NVIDIA_1DB4"}]`},
	} {
		got := list[i]
		assert.Equal(t, driver.ProviderUUID(want.Name), got.Provider)
		assert.NotNil(t, got.UpdatedAt)
		want.UUID, want.Provider, want.UpdatedAt = got.UUID, got.Provider, got.UpdatedAt
		assert.Equal(t, want, got)
	}
	named := c.call(t, "GET", "/v2/deployables?filters.field=name&filters.value="+fakeName, "").listOf(t, "deployables")
	require.Len(t, named, 1)
	assert.Equal(t, 200, c.call(t, "GET", "/v2/deployables/"+named[0].UUID, "").status)
}

func TestSwitchDevice(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.call(t, "GET", "/v2/devices?type=GPU", "").listOf(t, "devices")[0].UUID
	status := func() string {
		var device deviceJSON
		shown := c.call(t, "GET", "/v2/devices/"+id, "", "OpenStack-API-Version", "accelerator 2.3")
		require.NoError(t, json.Unmarshal([]byte(shown.body), &device))
		return *device.Status
	}
	assert.Equal(t, "enabled", status())
	for range 2 {
		assert.Equal(t, http.StatusNoContent, c.call(t, "POST", "/v2/devices/"+id+"/disable", "").status)
		assert.Equal(t, "maintaining", status())
	}
	assert.Equal(t, http.StatusNoContent, c.call(t, "POST", "/v2/devices/"+id+"/enable", "{}").status)
	assert.Equal(t, "enabled", status())
	assert.Equal(t, http.StatusNotFound, c.call(t, "POST", "/v2/devices/x/enable", "").status)
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	made := c.call(t, "POST", "/v2/attributes", `{"deployable_id": 3, "key": "k", "value": 5, "more": 1}`)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	assert.Regexp(t, `"key": "k", "value": "5", "created_at": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00"`, made.body)
	var attribute deviceJSON
	require.NoError(t, json.Unmarshal([]byte(made.body), &attribute))
	assert.Len(t, c.call(t, "GET", "/v2/attributes?deployable_id=3&key=k", "").listOf(t, "attributes"), 1)
	assert.Len(t, c.call(t, "GET", "/v2/attributes?deployable_id=0", "").listOf(t, "attributes"), 12)
	assert.Contains(t, c.call(t, "GET", "/v2/deployables", "").body, `{\"k\": \"5\"}`)

	for _, test := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"unknown deployable", "POST", "/v2/attributes", `{"deployable_id": 9, "key": "k", "value": "v"}`, 500},
		{"wrapped", "POST", "/v2/attributes", `{"attribute": {"deployable_id": 3, "key": "k", "value": "v"}}`, 500},
		{"uuid twice", "POST", "/v2/attributes", `{"deployable_id": 3, "key": "k", "value": "v", "uuid": "` + attribute.UUID + `"}`, 500},
		{"list", "POST", "/v2/attributes", `[]`, 500},
		{"fraction", "POST", "/v2/attributes", `{"deployable_id": 1.5}`, 500},
		{"fraction of a known id", "POST", "/v2/attributes", `{"deployable_id": 3.9, "key": "k", "value": "v"}`, 201},
		{"text of a known id", "POST", "/v2/attributes", `{"deployable_id": "3", "key": "k", "value": "v"}`, 201},
		{"id beyond every row", "GET", "/v2/attributes?deployable_id=9999999999999999999999", "", 200},
		{"value an object", "POST", "/v2/attributes", `{"deployable_id": 3, "key": "k", "value": {}}`, 500},
		{"id is no number", "GET", "/v2/attributes?deployable_id=x", "", 400},
		{"no uuid", "GET", "/v2/attributes/x", "", 400},
		{"delete without uuid", "DELETE", "/v2/attributes", "", 400},
		{"delete no uuid", "DELETE", "/v2/attributes/x", "", 404},
		{"delete", "DELETE", "/v2/attributes/" + attribute.UUID, "", 204},
		{"delete again", "DELETE", "/v2/attributes/" + attribute.UUID, "", 404},
	} {
		got := c.call(t, test.method, test.path, test.body)
		assert.Equal(t, test.status, got.status, "%s: %s", test.name, got.body)
	}
}

// Numbers that no column or no int() holds are the 500 of the layer that stumbles.
func TestAttributeDeployableIDs(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for id, want := range map[string]string{
		"9999999999999999999999":  `(pymysql.err.DataError) (1264, "Out of range value for column 'deployable_id' at row 1")`,
		"-9999999999999999999999": `(pymysql.err.DataError) (1264, "Out of range value for column 'deployable_id' at row 1")`,
		"2147483648":              `(pymysql.err.DataError) (1264, "Out of range value for column 'deployable_id' at row 1")`,
		"1e300":                   `(pymysql.err.DataError) (1264, "Out of range value for column 'deployable_id' at row 1")`,
		"2147483647":              "(pymysql.err.IntegrityError) (1452, 'Cannot add or update a child row: a foreign key constraint fails (`cyborg`.`attributes`, CONSTRAINT `attributes_ibfk_1` FOREIGN KEY (`deployable_id`) REFERENCES `deployables` (`id`))')",
		"1e999":                   "cannot convert float infinity to integer",
		"-1e999":                  "cannot convert float infinity to integer",
		`"x"`:                     "invalid literal for int() with base 10: 'x'",
		"[]":                      "int() argument must be a string, a bytes-like object or a real number, not 'list'",
		"null":                    "Field `deployable_id' cannot be None",
	} {
		got := c.call(t, "POST", "/v2/attributes", `{"key": "k", "value": "v", "deployable_id": `+id+`}`)
		assert.Equal(t, 500, got.status, id)
		assert.Equal(t, want, got.firstLine(t), id)
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.call(t, "GET", "/v2/deployables", "").listOf(t, "deployables")[0].UUID
	const image = "00000000-0000-0000-0000-000000000009"
	patch := func(path, op, value string) string {
		return `[{"path": "` + path + `", "op": "` + op + `", "value": ` + value + `}]`
	}
	good := patch("/program", "replace", `[{"image_uuid": "`+image+`"}]`)
	for _, test := range []struct {
		name, id, body string
		status         int
		text           string
	}{
		{"no driver can", id, good, 500, "FPGA programming failed with return False."},
		{"unknown", image, good, 404, "Deployable not found with uuid=" + image},
		{"no uuid", "x", good, 400, "Invalid input for field/attribute uuid. Value: 'x'. unable to convert to uuid. Error: Expected a uuid but received x."},
		{"internal path", id, patch("/name", "replace", "[]"), 400, "'/name' is an internal attribute and can not be updated"},
		{"image no uuid", id, patch("/program", "add", `[{"image_uuid": 5}]`), 400, "Expected a uuid but received 5."},
		{"no image", id, patch("/program", "add", `[{}]`), 500, "'image_uuid'"},
		{"empty value", id, patch("/program", "add", `[]`), 500, "list index out of range"},
		{"image a text", id, patch("/program", "add", `["x"]`), 500, "string indices must be integers, not 'str'"},
		{"no value to remove", id, `[{"path": "/program", "op": "remove"}]`, 500, "'value'"},
		{"nothing", id, `[]`, 500, "list index out of range"},
		{"an unknown key", id, `[{"color": 1}]`, 400, "Unknown attribute for argument program_info: color"},
		{"move", id, patch("/program", "move", "[]"), 400, "Invalid input for field/attribute op. Value: 'move'. Value should be one of: add, replace, remove"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, "PATCH", "/v2/deployables/"+test.id+"/program", test.body)
			assert.Equal(t, test.status, got.status)
			assert.Equal(t, test.text, got.faultString(t))
		})
	}
	for _, body := range []string{`{}`, patch("program", "add", "[]")} {
		assert.Equal(t, 400, c.call(t, "PATCH", "/v2/deployables/"+id+"/program", body).status, body)
	}
}
