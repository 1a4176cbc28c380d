package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &out))
	for _, want := range []string{
		"step 1  device profiles", "step 8  domain XML", "free 4  claim",
		"resourcesdevice_profile_0=FPGA%3A1", "device_profile_0  mixed-1_0000:5e:00.0", "PCI 0000:5e:00.0",
		`<address domain='0x0000' bus='0x5e' slot='0x00' function='0x0'/>`, `<!-- the root disk -->`,
	} {
		assert.Contains(t, out.String(), want)
	}
	assert.Equal(t, 2, strings.Count(out.String(), "<hostdev "))
}

func TestJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-json"}, &out))
	var result struct {
		Steps  []stepLine        `json:"steps"`
		Query  string            `json:"query"`
		ARQs   []json.RawMessage `json:"arqs"`
		Domain string            `json:"domain"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &result))
	assert.Len(t, result.Steps, 8)
	assert.Len(t, result.ARQs, 2)
	assert.Contains(t, result.Query, "group_policy=none")
	assert.Equal(t, 2, strings.Count(result.Domain, "<hostdev "))
}

// TestBadInput gives each file in turn a fault; the one error names its place.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, flag, content, want string }{
		{"flavor is no JSON", "flavor", "{\n\"vcpus\": 1,\n}", "input:3: "},
		{"flavor has an unknown key", "flavor", "{\n\"vcpus\": 1,\n\"cpus\": 2}", "input:3: json: unknown field \"cpus\""},
		{"flavor has a wrong type", "flavor", "{\n\"vcpus\": \"one\"}", "input:2: "},
		{"flavor is followed by text", "flavor", "{}\n{}", "text after the JSON object"},
		{
			"unknown profile", "flavor", `{"vcpus": 1, "memory_mb": 1, "extra_specs": {"accel:device_profile": "nobody"}}`,
			`device profiles: get device profile nobody`,
		},
		{"misspelt class", "profile", `{"name": "fpga-and-gpu", "groups": [{"resources:FPGAA": "1"}]}`, `resources:FPGAA`},
		{"no free device", "profile", `{"name": "fpga-and-gpu", "groups": [{"resources:FPGA": "3"}]}`, "device_profile_0"},
		{"domain is malformed", "domain", "<domain>\n<devices>\n</domain>", "line 3"},
		{"domain has no devices", "domain", "<domain type='kvm'/>", "devices"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "input")
			require.NoError(t, os.WriteFile(path, []byte(test.content), 0o600))
			var out bytes.Buffer
			err := run(t.Context(), []string{"-" + test.flag, path}, &out)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "left behind")
			assert.NotContains(t, out.String(), "<domain")
		})
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, run(t.Context(), []string{"flavor.json"}, &bytes.Buffer{}), `"flavor.json"`)
	require.ErrorContains(t, run(t.Context(), []string{"-domain", "no-such-file"}, &bytes.Buffer{}), "no-such-file")
}
