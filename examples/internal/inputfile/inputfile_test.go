package inputfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/examples/internal/inputfile"
	"github.com/novacyborg/novacyborg/requestspec"
)

func ExampleFlavor() {
	flavor, err := inputfile.Flavor("flavor.yaml", []byte("vcpus: 4\nextra_specs: {resources:VCPU: 2}"))
	fmt.Println(flavor.VCPUs, flavor.ExtraSpecs, err)
	_, err = inputfile.Flavor("flavor.yaml", []byte("vcpus: 4\nmemory_mb: much"))
	fmt.Println(err)
	// Output:
	// 4 map[resources:VCPU:2] <nil>
	// flavor.yaml:2: memory_mb: want a whole number, got "much"
}

func ExampleDeviceProfile() {
	profile, err := inputfile.DeviceProfile("profile.yaml", []byte("name: gpu\ngroups: [{resources:PGPU: 1}]"))
	fmt.Println(profile.Name, profile.Groups, err)
	// Output:
	// gpu [[{resources:PGPU 1}]] <nil>
}

// TestYAMLAndJSONSayTheSame gives one flavor in several ways.
func TestYAMLAndJSONSayTheSame(t *testing.T) {
	t.Parallel()
	want := requestspec.Flavor{
		Name: "f", VCPUs: 4, MemoryMB: 8, RootGB: 1, EphemeralGB: 2, SwapMB: 3,
		ExtraSpecs: map[string]string{"resources:VCPU": "4", "hw:x": "true", "hw:y": "1.50", "hw:z": "0x10", "hw:w": "no"},
	}
	for name, text := range map[string]string{
		"JSON":     `{"name":"f","vcpus":4,"memory_mb":8,"root_gb":1,"ephemeral_gb":2,"swap_mb":3,"extra_specs":{"resources:VCPU":4,"hw:x":true,"hw:y":1.50,"hw:z":"0x10","hw:w":"no"}}`,
		"tabs":     "{\n\t\"name\": \"f\",\n\t\"vcpus\": 4, \"memory_mb\": 8, \"root_gb\": 1, \"ephemeral_gb\": 2, \"swap_mb\": 3,\n\t\"extra_specs\": {\n\t\t\"resources:VCPU\": \"4\", \"hw:x\": \"true\", \"hw:y\": \"1.50\", \"hw:z\": \"0x10\", \"hw:w\": \"no\"\n\t}\n}\n",
		"YAML":     "name: f\nvcpus: 4\nmemory_mb: 8\nroot_gb: 1\nephemeral_gb: 2\nswap_mb: 3\nextra_specs:\n  resources:VCPU: 4\n  hw:x: true\n  hw:y: 1.50\n  hw:z: 0x10\n  hw:w: no\n",
		"quotes":   "name: 'f'\nvcpus: '4'\nmemory_mb: \"8\"\nroot_gb: 1\nephemeral_gb: 2\nswap_mb: 3\nextra_specs: {'resources:VCPU': '4', hw:x: 'true', hw:y: '1.50', hw:z: '0x10', hw:w: 'no'}",
		"an alias": "name: f\nvcpus: &n 4\nmemory_mb: 8\nroot_gb: 1\nephemeral_gb: 2\nswap_mb: 3\nextra_specs: {resources:VCPU: *n, hw:x: true, hw:y: 1.50, hw:z: 0x10, hw:w: no}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := inputfile.Flavor("f", []byte(text))
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(want, got))
		})
	}
}

func TestProfileKeepsOrderAndDigits(t *testing.T) {
	t.Parallel()
	got, err := inputfile.DeviceProfile("p", []byte("name: p\ndescription: d\ngroups:\n"+
		"  - {z: 1, a: '1', m: 0x10, y: 2.50, b: true, c: null, x: 99999999999999999999, v: .5}\n  - {}"))
	require.NoError(t, err)
	want := inputfile.Profile{Description: "d", Profile: requestspec.Profile{Name: "p", Groups: []requestspec.ProfileGroup{{
		{Key: "z", Value: json.Number("1")},
		{Key: "a", Value: "1"},
		{Key: "m", Value: json.Number("16")},
		{Key: "y", Value: json.Number("2.50")},
		{Key: "b", Value: true},
		{Key: "c"},
		{Key: "x", Value: json.Number("99999999999999999999")},
		{Key: "v", Value: json.Number("0.5")},
	}, {}}}}
	assert.Empty(t, cmp.Diff(want, got))
}

func TestErrorsNameTheirPlace(t *testing.T) {
	t.Parallel()
	const known = "known keys are ephemeral_gb, extra_specs, memory_mb, name, root_gb, swap_mb, vcpus"
	const knownOfProfile = "known keys are description, groups, name"
	for _, tc := range []struct{ name, kind, text, want string }{
		{"unknown key", "flavor", "vcpus: 1\nvcpu: 2", "f:2: vcpu: unknown key, " + known},
		{"unknown key of a profile", "profile", "{\"name\": \"p\",\n\"group\": []}", "f:2: group: unknown key, " + knownOfProfile},
		{"text for a number", "flavor", "{\n\"vcpus\": \"one\"}", `f:2: vcpus: want a whole number, got "one"`},
		{"fraction", "flavor", "vcpus: 1.5", `f:1: vcpus: want a whole number, got "1.5"`},
		{"no number", "flavor", "vcpus: .nan", `f:1: vcpus: want a whole number, got ".nan"`},
		{"nothing for a number", "flavor", "vcpus:", "f:1: vcpus: want a whole number, got nothing"},
		{"list for a number", "flavor", "vcpus: [1]", "f:1: vcpus: want a whole number, got a list"},
		{"list for a text", "flavor", "name: [a]", "f:1: name: want a text, got a list"},
		{"list for extra specs", "flavor", "vcpus: 1\nextra_specs:\n  - a: b", "f:3: extra_specs: want keys and values, got a list"},
		{"nothing for an extra spec", "flavor", "extra_specs:\n  hw:x:", "f:2: extra_specs.hw:x: want a text, got nothing"},
		{"object for an extra spec", "flavor", "extra_specs:\n  accel: {device_profile: x}", "f:2: extra_specs.accel: want a text, got keys and values"},
		{"key twice", "flavor", "vcpus: 1\nname: a\nvcpus: 2", "f:3: vcpus: the key is already in line 1"},
		{"extra spec twice", "flavor", "extra_specs:\n  a: 1\n  a: 2", "f:3: extra_specs.a: the key is already in line 2"},
		{"list for a key", "flavor", "vcpus: 1\n? [a]\n: 1", "f:2: want a plain key, got a list"},
		{"merge", "flavor", "extra_specs: &a {x: y}\n<<: *a", `f:2: want a plain key, got "<<"`},
		{"list for the file", "flavor", "- vcpus: 1", "f:1: want one object, got a list: give what `openstack flavor show NAME -f json` prints"},
		{"two profiles", "profile", "[{name: a}, {name: b}]", "f:1: want one object, got a list: give what `openstack accelerator device profile show NAME -f json` prints"},
		{"flavor list", "flavor", `[{"ID": "1", "Name": "f", "RAM": 512, "Disk": 1, "Ephemeral": 0, "VCPUs": 1, "Is Public": true}]`, "f:1: want one object, got a list"},
		{"two names of a key", "flavor", "memory_mb: 1\nram: 1", "f:2: ram: the key is already in line 1, memory_mb and ram are one"},
		{"properties are no text of theirs", "flavor", "properties: a=b", `f:1: properties: want keys and values, or a text such as key='value', key='value', got "a=b"`},
		{"properties twice", "flavor", `properties: "a='1', a='2'"`, "f:1: properties: want keys and values, or a text"},
		{"text for the swap", "flavor", "swap: none", `f:1: swap: want a whole number, got "none"`},
		{"text for the file", "profile", "hello", `f:1: want keys and values, got "hello"`},
		{"empty", "flavor", "", "f:1: the file is empty, " + known},
		{"blank", "profile", "\n# nothing\n", "f:1: the file is empty, " + knownOfProfile},
		{"null", "flavor", "null", "f:1: the file is empty, " + known},
		{"second document", "flavor", "vcpus: 1\n---\nvcpus: 2", "f:2: a second document begins here"},
		{"second object", "flavor", "{}\n{}", "f:2: not valid JSON: invalid character '{' after top-level value"},
		{"list not closed", "flavor", "name: [", "f:1: not valid YAML: "},
		{"comma missing", "flavor", "{\"vcpus\": 4\n\"memory_mb\": 1}", "f:2: not valid JSON: invalid character '\"' after object key:value pair"},
		{"comma missing inside", "flavor", "{\n\"extra_specs\": {\n\"a\": \"b\"\n\"c\": \"d\"}}", "f:4: not valid JSON: invalid character '\"'"},
		{"JSON not closed", "flavor", "{\n\"vcpus\": 4\n", "f:3: not valid JSON: unexpected end of JSON input"},
		{"comma missing in YAML", "profile", "name: p\ngroups: [{a: 1}\n  {b: 2}]", "f:2: not valid YAML: did not find expected ',' or ']'"},
		{"bad indentation", "flavor", "vcpus: 1\n memory_mb: 2", "f:2: not valid YAML: mapping values are not allowed"},
		{"colon missing", "flavor", "vcpus: 1\nmemory_mb\nroot_gb: 1", "f:2: not valid YAML: could not find expected ':'"},
		{"no UTF-8", "flavor", "name: \xff", "f:1: not valid YAML: "},
		{"groups are no list", "profile", "name: p\ngroups: {resources:FPGA: 1}", "f:2: groups: want a list, got keys and values"},
		{"group is no object", "profile", "groups:\n  - resources:FPGA", `f:2: groups[0]: want keys and values, got "resources:FPGA"`},
		{"value is a list", "profile", "groups:\n  - a: 1\n  - b: [1]", "f:3: groups[1].b: want a text or a number, got a list"},
		{"value is no number", "profile", "groups: [{a: .inf}]", `f:1: groups[0].a: want a text or a number, got ".inf"`},
		{"value holds itself", "profile", "groups: [{a: &x [*x]}]", "f:1: groups[0].a: want a text or a number, got a list"},
		{"anchor that is not there", "profile", "name: *x", "f:1: not valid YAML: unknown anchor"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := inputfile.Flavor("f", []byte(tc.text))
			if tc.kind == "profile" {
				_, err = inputfile.DeviceProfile("f", []byte(tc.text))
			}
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), tc.want), "%v", err)
		})
	}
}

func FuzzFlavor(f *testing.F) {
	f.Add([]byte(`{"flavor": {"ram": 1, "swap": "", "properties": "a='b', c='d'"}}`))
	f.Add([]byte(`{"vcpus": 1, "extra_specs": {"a": "b"}}`))
	f.Add([]byte("vcpus: &a [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := inputfile.Flavor("f", content); err != nil {
			assert.Regexp(t, `^f:[1-9][0-9]*: `, err.Error())
		}
	})
}

func FuzzDeviceProfile(f *testing.F) {
	f.Add([]byte(`{"name": "p", "groups": [{"resources:FPGA": "1", "a": 0x10, "b": null}]}`))
	f.Add([]byte("groups: &a [{b: &x 1, c: *x}]"))
	f.Fuzz(func(t *testing.T, content []byte) {
		profile, err := inputfile.DeviceProfile("f", content)
		if err != nil {
			assert.Regexp(t, `^f:[1-9][0-9]*: `, err.Error())
			return
		}
		_, err = json.Marshal(profile.Groups)
		assert.NoError(t, err, "what was read can be sent")
	})
}

// TestFilesOfTheCommandLine gives what the command-line clients print.
func TestFilesOfTheCommandLine(t *testing.T) {
	t.Parallel()
	want := requestspec.Flavor{
		Name: "f", VCPUs: 1, MemoryMB: 512, RootGB: 20, EphemeralGB: 3,
		ExtraSpecs: map[string]string{"accel:device_profile": "gpu", "ram": "it's, 4"},
	}
	for _, text := range []string{
		`{"OS-FLV-DISABLED:disabled": false, "OS-FLV-EXT-DATA:ephemeral": 3, "access_project_ids": null, "description": null, "disk": 20,
"id": "1", "name": "f", "os-flavor-access:is_public": true, "properties": {"accel:device_profile": "gpu", "ram": "it's, 4"},
"ram": 512, "rxtx_factor": 1.0, "swap": 0, "vcpus": 1}`,
		`{"disk": 20, "name": "f", "properties": "accel:device_profile='gpu', ram='it's, 4'", "ram": 512, "swap": "", "vcpus": 1, "OS-FLV-EXT-DATA:ephemeral": 3}`,
		`{"flavor": {"name": "f", "ram": 512, "disk": 20, "vcpus": 1, "swap": "", "OS-FLV-EXT-DATA:ephemeral": 3, "links": [],
"extra_specs": {"accel:device_profile": "gpu", "ram": "it's, 4"}}}`,
	} {
		got, err := inputfile.Flavor("f.json", []byte(text))
		require.NoError(t, err)
		assert.Empty(t, cmp.Diff(want, got))
	}
	got, err := inputfile.Flavor("f.json", []byte(`{"properties": "", "swap": 512}`))
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(requestspec.Flavor{SwapMB: 512, ExtraSpecs: map[string]string{}}, got))

	const profile = `{"uuid": "u", "created_at": "t", "updated_at": null, "name": "p", "groups": [{"resources:FPGA": "1"}]}`
	for _, text := range []string{profile, "[" + profile + "]", `{"device_profile": ` + profile + "}", `{"device_profiles": [` + profile + "]}"} {
		got, err := inputfile.DeviceProfile("p.json", []byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, "p", got.Name)
		assert.Len(t, got.Groups, 1)
	}
}

func TestNameOfTheFileDecidesItsSyntax(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, text, want string }{
		{"f.json", "{\n\"vcpus\": 1,}", "f.json:2: not valid JSON: "},
		{"f.json", "vcpus: 1", "f.json:1: not valid JSON: "},
		{"f.json", " ", "f.json:1: the file is empty"},
		{"f.yaml", "{vcpus: 1\nname: a}", "f.yaml:2: not valid YAML: "},
	} {
		_, err := inputfile.Flavor(tc.file, []byte(tc.text))
		require.Error(t, err)
		assert.True(t, strings.HasPrefix(err.Error(), tc.want), "%v", err)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	content := []byte("name: p\ngroups:\n  - a: 1\n  - b: 1\n    c: 2")
	assert.Equal(t, "f:5", inputfile.Place("f", content, "groups", "1", "c"))
	assert.Equal(t, "f:4", inputfile.Place("f", content, "groups", "1", "d"))
	assert.Equal(t, "f:2", inputfile.Place("f", content, "groups", "2", "c"))
	assert.Equal(t, "f", inputfile.Place("f", content, "vcpus"))
	assert.Equal(t, "f", inputfile.Place("f", nil, "vcpus"))
	shown := []byte("{\"flavor\": {\n\"ram\": 1,\n\"properties\": {\n\"a\": \"b\"}}}")
	assert.Equal(t, "f:4", inputfile.Place("f", shown, "extra_specs", "a"))
	assert.Equal(t, "f:2", inputfile.Place("f", shown, "memory_mb"))
}

func TestPortsKeepAmountsAsWritten(t *testing.T) {
	t.Parallel()
	got, err := inputfile.Ports("p.json", []byte(`{"ports": [{"id": "p", "groups": [{"b": 1, "a": "2"}],
"resource_request": {"resources": {"A": 9223372036854775808, "B": "5", "C": true}, "required": ["T"]}}]}`))
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff([]requestspec.Port{{
		ID: "p", Groups: []requestspec.ProfileGroup{{{Key: "b", Value: json.Number("1")}, {Key: "a", Value: "2"}}},
		ResourceRequest: &requestspec.PortResourceRequest{Required: []string{"T"}, Resources: requestspec.ResourceAmounts{
			"A": json.Number("9223372036854775808"), "B": "5", "C": true,
		}},
	}}, got))
}

func FuzzPorts(f *testing.F) {
	f.Add([]byte(`{"ports": [{"id": "p", "resource_request": {"request_groups": [{"id": "g", "resources": {"A": 1}}]}}]}`))
	f.Add([]byte("ports: &a [*a]"))
	f.Fuzz(func(t *testing.T, content []byte) {
		ports, err := inputfile.Ports("f", content)
		if err != nil {
			assert.Regexp(t, `^f:[1-9][0-9]*: `, err.Error())
			return
		}
		_, err = json.Marshal(ports)
		assert.NoError(t, err, "what was read can be sent")
	})
}

func FuzzImage(f *testing.F) {
	f.Add([]byte("properties: {trait:CUSTOM_A: required, hw_x: 1}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := inputfile.Image("f", content); err != nil {
			assert.Regexp(t, `^f:[1-9][0-9]*: `, err.Error())
		}
	})
}
