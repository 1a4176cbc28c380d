package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
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
		{"flavor is no JSON", "flavor", "{\n\"vcpus\": 1\n\"name\": 2}", "input:3: not valid JSON"},
		{"flavor has an unknown key", "flavor", "{\n\"vcpus\": 1,\n\"cpus\": 2}", "input:3: cpus: unknown key, known keys are"},
		{"flavor has a wrong type", "flavor", "{\n\"vcpus\": \"one\"}", "input:2: vcpus: want a whole number"},
		{"flavor is followed by text", "flavor", "{}\n{}", "input:2: "},
		{"flavor is empty", "flavor", "", "input:1: the file is empty"},
		{"profile has an unknown key", "profile", "name: p\ngroup: []", "input:2: group: unknown key, known keys are"},
		{
			"flavor names another profile", "flavor", `{"vcpus": 1, "extra_specs": {"accel:device_profile": "mine"}}`,
			`asks for the device profile "mine", but the built-in profile.json has "fpga-and-gpu": give the file of "mine" with -profile`,
		},
		{
			"profile has another name", "profile", `{"name": "mine", "groups": [{"resources:FPGA": "1"}]}`,
			`the built-in flavor.json asks for the device profile "fpga-and-gpu", but `,
		},
		{"flavor with a misspelt key", "flavor", "vcpus: 1\nextra_specs: {accel:device_profil: mine}", "write accel:device_profile"},
		{"misspelt class", "profile", `{"name": "fpga-and-gpu", "groups": [{"resources:FPGAA": "1"}]}`, `resources:FPGAA`},
		{"no free device", "profile", `{"name": "fpga-and-gpu", "groups": [{"resources:FPGA": "3"}]}`, "device_profile_0"},
		{"domain is malformed", "domain", "<domain>\n<devices>\n</domain>", "line 3"},
		{"domain has no devices", "domain", "<domain type='kvm'/>", "devices"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, test.content)
			var out bytes.Buffer
			err := run(t.Context(), []string{"-" + test.flag, path}, &out)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "left behind")
			assert.NotContains(t, out.String(), "<domain")
		})
	}
}

// TestFilesThatGoTogether boots from YAML, with numbers where Nova and Cyborg have texts, and without a device.
func TestFilesThatGoTogether(t *testing.T) {
	t.Parallel()
	flavor := write(t, "vcpus: 1\nmemory_mb: 64\nextra_specs:\n  accel:device_profile: mine\n  resources:VCPU: 2\n")
	profile := write(t, "name: mine\ngroups:\n  - resources:FPGA: 1\n")
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-flavor", flavor, "-profile", profile}, &out))
	assert.Contains(t, out.String(), "resourcesdevice_profile_0=FPGA%3A1")
	assert.Contains(t, out.String(), "VCPU%3A2")

	plain := write(t, "vcpus: 1\nmemory_mb: 64\n")
	out.Reset()
	require.NoError(t, run(t.Context(), []string{"-flavor", plain}, &out))
	assert.NotContains(t, out.String(), "<hostdev")
	require.ErrorContains(t, run(t.Context(), []string{"-flavor", plain, "-profile", profile}, &out), "accel:device_profile: mine")
}

// TestProfileOfTheCloud starts a Cyborg that has the profile already.
func TestProfileOfTheCloud(t *testing.T) {
	t.Parallel()
	server := fakecyborg.Start(t, fakecyborg.WithSeedYAML("seed", []byte("device_profiles: [{name: gpu, groups: [{\"resources:PGPU\": \"1\", \"trait:CUSTOM_A\": required}]}]")))
	cyborg, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint(server.URL()+"/v2"))
	require.NoError(t, err)
	for _, test := range []struct{ name, groups, want string }{
		{"same", `[{"trait:CUSTOM_A": "required", "resources:PGPU": 1}]`, ""},
		{"other amount", `[{"trait:CUSTOM_A": "required", "resources:PGPU": "2"}]`, `{"resources:PGPU":"1","trait:CUSTOM_A":"required"}`},
		{"one key less", `[{"resources:PGPU": "1"}]`, `the file has [{"resources:PGPU":"1"}]`},
		{"one group more", `[{"trait:CUSTOM_A": "required", "resources:PGPU": 1}, {"resources:FPGA": 1}]`, `"resources:FPGA":1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := inputFiles{
				flavor:  write(t, "extra_specs: {accel:device_profile: gpu}"),
				profile: write(t, "{name: gpu, groups: "+test.groups+"}"),
			}
			in, err := files.read("cloud")
			require.NoError(t, err)
			made, err := ensureProfile(t.Context(), cyborg, *in.profile)
			assert.False(t, made)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "device profile gpu is already there")
		})
	}
	t.Run("no file", func(t *testing.T) {
		t.Parallel()
		in, err := inputFiles{flavor: write(t, "extra_specs: {accel:device_profile: gpu}")}.read("cloud")
		require.NoError(t, err)
		assert.Nil(t, in.profile, "the cloud has it")
	})
}

// TestNoHostOfTheBuiltInCloud asks for a card that no host of seed.yaml has. The reason is told once, and what they have.
func TestNoHostOfTheBuiltInCloud(t *testing.T) {
	t.Parallel()
	profile := write(t, `{"name": "fpga-and-gpu", "groups": [{"resources:FPGA": "1", "trait:CUSTOM_FPGA_XILINX": "required"}]}`)
	var out bytes.Buffer
	err := run(t.Context(), []string{"-profile", profile}, &out)
	require.ErrorContains(t, err, "placement knows no trait CUSTOM_FPGA_XILINX")
	assert.NotContains(t, out.String(), "CUSTOM_FPGA_XILINX")
	assert.Regexp(t, `step 3  candidates .* failed\n$`, out.String())
	seed, readErr := builtin.ReadFile("seed.yaml")
	require.NoError(t, readErr)
	for _, host := range regexp.MustCompile(`name: (\S+)`).FindAllStringSubmatch(string(seed), -1) {
		require.ErrorContains(t, err, host[1])
	}
	require.ErrorContains(t, err, "-cloud")

	out.Reset()
	require.NoError(t, run(t.Context(), []string{"-h"}, &out))
	assert.Contains(t, out.String(), builtinHosts)
}

// TestHintAtTheServiceToken is for clouds alone, and for those who have not given it.
func TestHintAtTheServiceToken(t *testing.T) {
	t.Parallel()
	refused := fmt.Errorf("bind: %w", cyborgclient.ErrServiceTokenNeeded)
	hinted := cloudNames{user: "demo"}.hint(refused)
	require.ErrorIs(t, hinted, cyborgclient.ErrServiceTokenNeeded)
	require.ErrorContains(t, hinted, "-service-cloud")
	assert.Equal(t, refused, cloudNames{user: "demo", service: "nova"}.hint(refused))
	assert.NoError(t, cloudNames{}.hint(nil))
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestArguments(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, run(t.Context(), []string{"-service-cloud", "nova"}, &bytes.Buffer{}), "-service-cloud goes with -cloud")
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-h"}, &out))
	assert.Contains(t, out.String(), "-profile")
	out.Reset()
	require.ErrorContains(t, run(t.Context(), []string{"-flavour", "f"}, &out), "-flavour; -h lists the flags")
	assert.Empty(t, out.String())
	require.ErrorContains(t, run(t.Context(), []string{"flavor.json"}, &bytes.Buffer{}), `"flavor.json"`)
	require.ErrorContains(t, run(t.Context(), []string{"-domain", "no-such-file"}, &bytes.Buffer{}), "no-such-file")
}
