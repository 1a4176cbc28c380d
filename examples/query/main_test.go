package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// query runs the program on a standard input and returns what it prints.
func query(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err := run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return stdout.String(), err
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestFilesBesideTheProgram(t *testing.T) {
	t.Parallel()
	raw, err := query(t, "", "-raw")
	require.NoError(t, err)
	assert.Equal(t, "limit=1000&requireddevice_profile_0=CUSTOM_FPGA_INTEL"+
		"&resources=DISK_GB%3A21%2CMEMORY_MB%3A8192%2CVCPU%3A4"+
		"&resourcesdevice_profile_0=FPGA%3A1"+
		"&root_required=COMPUTE_ACCELERATORS%2C%21COMPUTE_STATUS_DISABLED\n", raw)
	pretty, err := query(t, "")
	require.NoError(t, err)
	assert.Contains(t, pretty, "\nresources=DISK_GB:21,MEMORY_MB:8192,VCPU:4\n")
}

// TestYAMLKeepsOrder gives a profile whose answer depends on the order of its keys.
func TestYAMLKeepsOrder(t *testing.T) {
	t.Parallel()
	flavor := write(t, "f.json", `{"vcpus":1,"memory_mb":0,"root_gb":0,"ephemeral_gb":0,"swap_mb":0,"extra_specs":{"accel:device_profile":"p"}}`)
	for text, want := range map[string]string{
		"name: p\ngroups: [{resources1:FPGA: 2, resources:FPGA: 5}]": "resourcesdevice_profile_0=FPGA:5",
		"name: p\ngroups: [{resources:FPGA: 5, resources1:FPGA: 2}]": "resourcesdevice_profile_0=FPGA:2",
		`{"name":"p","groups":[{"resources:FPGA":0x10}]}`:            "resourcesdevice_profile_0=FPGA:16",
	} {
		out, err := query(t, "", "-lenient", "-flavor", flavor, "-profile", write(t, "p.yaml", text))
		require.NoError(t, err)
		assert.Contains(t, out, want)
	}
}

func TestBadInputNamesItsPlace(t *testing.T) {
	t.Parallel()
	flavor := write(t, "flavor.yaml", "vcpus: 1\nextra_specs: {accel:device_profile: gpu}")
	for _, tc := range []struct {
		name string
		args []string
		want []string
	}{
		{"misspelt class", []string{"-flavor", flavor, "-profile", write(t, "p.yaml", "name: gpu\ngroups: [{resources:PGPUS: '1'}]")}, []string{"device profile gpu, group 0", "resources:PGPUS"}},
		{"other profile", []string{"-flavor", flavor, "-profile", write(t, "p.yaml", "name: fpga\ngroups: []")}, []string{`"gpu"`, `p.yaml has "fpga"`, "with -profile"}},
		{"no profile", []string{"-flavor", flavor}, []string{"flavor.yaml", `"gpu"`, "with -profile"}},
		{"no profile, lenient", []string{"-flavor", flavor, "-lenient"}, []string{"flavor.yaml", `"gpu"`, "with -profile"}},
		{"impossible profile", []string{"-flavor", write(t, "f.yaml", "extra_specs: {accel:device_profile: a b}")}, []string{`"a b" is not a valid profile name`}},
		{"two profiles", []string{"-flavor", write(t, "f.yaml", "extra_specs: {accel:device_profile: a, accel:device_profile_name: b}")}, []string{"give one of them"}},
		{"misspelt profile key", []string{"-flavor", write(t, "f.yaml", "vcpus: 1\nextra_specs: {accel:device_profil: gpu}")}, []string{"write accel:device_profile"}},
		{"unknown key", []string{"-flavor", write(t, "f.yaml", "vcpu: 1")}, []string{"f.yaml:1: vcpu: unknown key, known keys are"}},
		{"unknown key of a profile", []string{"-flavor", flavor, "-profile", write(t, "p.json", "{\"name\": \"gpu\",\n\"group\": []}")}, []string{"p.json:2: group: unknown key"}},
		{"empty file", []string{"-flavor", write(t, "f.yaml", "")}, []string{"f.yaml:1: the file is empty"}},
		{"unknown flag", []string{"-flavour", flavor}, []string{"-flavour", "-h lists the flags"}},
		{"no file", []string{"-flavor", filepath.Join(t.TempDir(), "none.yaml")}, []string{"none.yaml"}},
		{"profile alone", []string{"-profile", flavor}, []string{"-profile needs -flavor"}},
		{"two modes", []string{"-jsonl", "-mapping"}, []string{"no other mode"}},
		{"empty URL", []string{"-explain", ""}, []string{"-explain is empty"}},
		{"address for a URL", []string{"-explain", "127.0.0.1:80"}, []string{`-explain "127.0.0.1:80": want a URL`}},
		{"raw and explain", []string{"-raw", "-explain", "http://127.0.0.1:1"}, []string{"one of -raw, -explain and -cloud"}},
		{"cloud and explain", []string{"-cloud", "c", "-explain", "http://127.0.0.1:1"}, []string{"one of -raw, -explain and -cloud"}},
		{"cloud that is not there", []string{"-cloud", "no-such-cloud"}, []string{"connect to placement"}},
		{"asks for nothing", []string{"-flavor", write(t, "f.yaml", "name: f")}, []string{"f.yaml: request: nothing is asked for"}},
		{"stray argument", []string{"flavor.yaml"}, []string{"unexpected argument"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, err := query(t, "", tc.args...)
			require.Error(t, err)
			assert.Empty(t, out)
			for _, want := range tc.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// TestRecordedCasesInBulk runs every recorded case through the bulk modes.
func TestRecordedCasesInBulk(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, flag string }{
		{"requestspec-cases.jsonl", "-jsonl"},
		{"mapping-cases.jsonl", "-mapping"},
		{"mapping-by-mappings-cases.jsonl", "-mappings"},
	} {
		t.Run(tc.flag, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("..", "..", "requestspec", "testdata", tc.file))
			require.NoError(t, err)
			var inputs strings.Builder
			var expected []map[string]any
			for line := range bytes.Lines(content) {
				var c struct {
					Input    json.RawMessage
					Expected map[string]any
				}
				require.NoError(t, json.Unmarshal(line, &c))
				inputs.Write(append(c.Input, '\n'))
				expected = append(expected, c.Expected)
			}
			out, err := query(t, inputs.String(), "-lenient", tc.flag)
			require.NoError(t, err)
			answers := bufio.NewScanner(strings.NewReader(out))
			for _, want := range expected {
				require.True(t, answers.Scan())
				var got map[string]any
				require.NoError(t, json.Unmarshal(answers.Bytes(), &got))
				assert.Equal(t, want["error"], got["error"])
				if want["error"] != nil {
					continue
				}
				for _, key := range []string{"query", "mapping", "arq_providers"} {
					assert.Equal(t, want[key], got[key])
				}
			}
			assert.False(t, answers.Scan(), "one answer per case")
		})
	}
}

func TestBadLinesAreAnswered(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, flag, line, want string }{
		{"not closed", "-jsonl", `{`, "the line ends inside the JSON object"},
		{"no JSON", "-jsonl", `{flavor: 1}`, "invalid character 'f'"},
		{"list", "-jsonl", `[{"flavor":{}}]`, "want a JSON object"},
		{"null", "-mapping", `null`, "want a JSON object"},
		{"two objects", "-jsonl", `{"flavor":{}} {}`, "one object per line"},
		{"no flavor", "-jsonl", `{}`, "flavor is missing"},
		{"unknown key", "-jsonl", `{"flavor":{},"device_profile":[]}`, `unknown key "device_profile"; known keys are boot_from_volume, compute_nodes, destination, device_profiles, flavor,`},
		{"unknown key of a flavor", "-jsonl", `{"flavor":{"vcpu":1}}`, `flavor.vcpu: unknown key "vcpu"; known keys are ephemeral_gb, extra_specs,`},
		{"unknown key of a port", "-jsonl", `{"flavor":{},"ports":[{"uuid":"p"}]}`, `ports[0].uuid: unknown key "uuid"; known keys are device_profile, groups, id,`},
		{"number for an extra spec", "-jsonl", `{"flavor":{"extra_specs":{"a":1}}}`, "flavor.extra_specs: want a text, got number"},
		{"text for a truth value", "-jsonl", `{"flavor":{},"boot_from_volume":"yes"}`, "boot_from_volume: want true or false, got string"},
		{"object for a list", "-jsonl", `{"flavor":{},"ports":{}}`, "ports: want a list, got object"},
		{"list for an object", "-jsonl", `{"flavor":[]}`, "flavor: want an object, got array"},
		{"group is no object", "-jsonl", `{"flavor":{},"device_profiles":[{"name":"p","groups":[1]}]}`, "must be a JSON object"},
		{"unknown key of a mapping", "-mapping", `{"alocation":[]}`, `unknown key "alocation"; known keys are allocation, groups;`},
		{"unknown key of a group", "-mapping", `{"groups":[{"suffix":"1"}]}`, `groups[0].suffix: unknown key "suffix"; known keys are aggregates,`},
		{"unknown key of mappings", "-mappings", `{"groups":[]}`, `unknown key "groups"; known keys are flavor_arqs, group_ids, mappings, port_arqs;`},
		{"uuid is a number", "-mappings", `{"flavor_arqs":[{"uuid":1}]}`, "uuid: want a text, got number"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, lenient := range []string{"-lenient=false", "-lenient"} {
				out, err := query(t, "\n\n"+tc.line+"\n", tc.flag, lenient)
				require.NoError(t, err)
				var got answer
				require.NoError(t, json.Unmarshal([]byte(out), &got))
				assert.Equal(t, "bad_input", got.Error)
				assert.Contains(t, got.Message, "line 3: ")
				assert.Contains(t, got.Message, tc.want)
				assert.NotRegexp(t, `json:|Go |main\.|requestspec`, got.Message)
			}
		})
	}
}

// TestLinesThatOnlyNovaTakes gives lines that strict mode refuses by their place and lenient mode answers as Nova does.
func TestLinesThatOnlyNovaTakes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, line, strict, code, want string }{
		{"text for a size", `{"flavor":{"vcpus":"1"}}`, `flavor.vcpus: want a whole number, got "1"`, "bad_input", "VCPU%3A1"},
		{"fraction", `{"flavor":{"vcpus":1.5}}`, `flavor.vcpus: want a whole number, got 1.5`, "bad_input", "VCPU%3A1"},
		{"key twice", `{"flavor":{"vcpus":1,"vcpus":2}}`, `flavor.vcpus: the key occurs twice`, "bad_input", "VCPU%3A2"},
		{"port amount as text", `{"flavor":{"vcpus":1},"ports":[{"id":"p","resource_request":{"resources":{"FPGA":"2"}}}]}`, `port p, resource request: "FPGA" = "2": amount must be a whole number`, "bad_amount", "resourcesp=FPGA%3A2"},
		{"wide port amount", `{"flavor":{"vcpus":1},"ports":[{"id":"p","resource_request":{"resources":{"FPGA":9223372036854775808}}}]}`, `port p, resource request: "FPGA" = "9223372036854775808": no provider can have more`, "never_fits", "resourcesp=FPGA%3A9223372036854775808"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, err := query(t, tc.line, "-jsonl", "-lenient")
			require.NoError(t, err)
			assert.Contains(t, out, tc.want)
			out, err = query(t, tc.line, "-jsonl")
			require.NoError(t, err)
			var got answer
			require.NoError(t, json.Unmarshal([]byte(out), &got))
			assert.Equal(t, tc.code, got.Error)
			assert.Contains(t, got.Message, tc.strict)
		})
	}
}

func TestGoodLineAfterABadOne(t *testing.T) {
	t.Parallel()
	out, err := query(t, "{\n\n{\"flavor\":{\"vcpus\":1}}", "-jsonl")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "line 1: ")
	assert.Contains(t, lines[1], `"query":"limit=1000&resources=VCPU%3A1`)
}

// TestDocumentedLines runs the examples of the documentation, which have every key.
func TestDocumentedLines(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	text := strings.ReplaceAll(string(source), "\n//\t ", " ")
	lines := regexp.MustCompile(`(?m)^//\t(\{.*\})$`).FindAllStringSubmatch(text, -1)
	require.Len(t, lines, 3)
	for i, tc := range []struct {
		flag, want string
		schema     any
	}{
		{"-jsonl", `{"query":`, casefile.Query{}},
		{"-mapping", `{"mapping":{"device_profile_0":["rp1"]}}`, casefile.Mapping{}},
		{"-mappings", `"arq_providers":{"a1":"rp1","a2":"rp2"}`, casefile.Mappings{}},
	} {
		out, err := query(t, lines[i][1], tc.flag)
		require.NoError(t, err)
		assert.Contains(t, out, tc.want)
		for _, field := range reflect.VisibleFields(reflect.TypeOf(tc.schema)) {
			assert.Contains(t, lines[i][1], `"`+field.Tag.Get("json")+`":`)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	out, err := query(t, "", "-h")
	require.NoError(t, err)
	assert.Contains(t, out, "-mappings")
}

// TestExplain asks a Placement that has no provider at all.
func TestExplain(t *testing.T) {
	t.Parallel()
	server := placementtest.Start(t)
	flavor := write(t, "flavor.yaml", "vcpus: 1\nextra_specs: {accel:device_profile: fpga}")
	profile := write(t, "profile.yaml", "name: fpga\ngroups: [{resources:FPGA: '1'}]")
	out, err := query(t, "", "-flavor", flavor, "-profile", profile, "-explain", server.URL())
	require.ErrorIs(t, err, errNoHost)
	assert.Contains(t, out, "absent")
	assert.Contains(t, out, "device_profile_0")
}

// TestExplainWhatFits asks for what two hosts have, by the URL of a server that has its Placement below it at first.
func TestExplainWhatFits(t *testing.T) {
	t.Parallel()
	services := http.NewServeMux()
	api, err := placementtest.New(placementtest.WithPrefix("/placement"))
	require.NoError(t, err)
	services.Handle("/placement/", api)
	services.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"versions": [{"id": "v2.0", "min_version": "2.0", "max_version": "2.3"}]}`)
	})
	server := httptest.NewServer(services)
	t.Cleanup(server.Close)
	client, err := placement.New(t.Context(), placement.WithEndpoint(server.URL+"/placement"), placement.WithToken("admin"))
	require.NoError(t, err)
	for _, host := range []string{"one", "two"} {
		_, err = client.Report(t.Context(), placement.Tree{Providers: []placement.TreeProvider{{
			UUID: uuid.NewString(), Name: host, Traits: []string{"COMPUTE_ACCELERATORS"},
			Inventories: map[string]placement.Inventory{"VCPU": {Total: 2}, "FPGA": {Total: 1}},
		}}}, nil)
		require.NoError(t, err)
	}
	flavor := write(t, "flavor.json", `{"vcpus": 1, "ram": 0, "swap": "", "properties": "accel:device_profile='fpga'"}`)
	profile := write(t, "profile.yaml", "name: fpga\ngroups: [{resources:FPGA: '1'}]")
	args := []string{"-flavor", flavor, "-profile", profile, "-explain"}

	out, err := query(t, "", append(args, server.URL+"/placement")...)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^fits +all groups together: 2 candidates, for example on (one|two)$`, out)

	for _, path := range []string{"", "/", "/accelerator"} {
		out, err = query(t, "", append(args, server.URL+path)...)
		require.ErrorContains(t, err, "this is no Placement, but the server has one: give "+server.URL+"/placement")
		assert.Empty(t, out)
	}
}

// TestExplainWithPortsAndImage gives ports and an image by files; each of them is a group or a condition of its own.
func TestExplainWithPortsAndImage(t *testing.T) {
	t.Parallel()
	server := placementtest.Start(t)
	flavor := write(t, "flavor.yaml", "vcpus: 1\nmemory_mb: 1\nextra_specs: {accel:device_profile: gpu}")
	gpu := write(t, "gpu.yaml", "name: gpu\ngroups: [{resources:PGPU: '1'}]")
	nic := write(t, "nic.yaml", "name: nic\ngroups:\n  - resources:CUSTOM_NIC: '1'")
	ports := write(t, "ports.yaml", "ports:\n  - {id: p1, vnic_type: accelerator-direct, device_profile: nic}\n"+
		"  - id: p2\n    resource_request: {resources: {NET_BW_EGR_KILOBIT_PER_SEC: 1000}, required: [CUSTOM_NET]}\n"+
		"  - id: p3\n    resource_request: {request_groups: [{id: g, resources: {CUSTOM_A: 1}, required: [CUSTOM_B]}], same_subtree: [g]}")
	image := write(t, "image.json", `{"properties": {"trait:CUSTOM_IMAGE": "required"}}`)
	args := []string{"-flavor", flavor, "-profile", gpu, "-profile", nic, "-ports", ports, "-image", image}

	out, err := query(t, "", append(args, "-explain", server.URL())...)
	require.ErrorIs(t, err, errNoHost)
	for _, group := range []string{"device_profile_0 ", "device_profile_0p1", "p2", "g"} {
		assert.Contains(t, out, group)
	}
	out, err = query(t, "", args...)
	require.NoError(t, err)
	assert.Equal(t, "group_policy=none\nlimit=1000\nrequired=CUSTOM_IMAGE\nrequiredg=CUSTOM_B\nrequiredp2=CUSTOM_NET\n"+
		"resources=MEMORY_MB:1,VCPU:1\nresourcesdevice_profile_0=PGPU:1\nresourcesdevice_profile_0p1=CUSTOM_NIC:1\n"+
		"resourcesg=CUSTOM_A:1\nresourcesp2=NET_BW_EGR_KILOBIT_PER_SEC:1000\n"+
		"root_required=COMPUTE_ACCELERATORS,!COMPUTE_STATUS_DISABLED\nsame_subtree=g\n", out)
}

// TestFindingsOfPortsAndImageHaveLines gives a fault in each of the files.
func TestFindingsOfPortsAndImageHaveLines(t *testing.T) {
	t.Parallel()
	flavor := write(t, "flavor.yaml", "vcpus: 1\nmemory_mb: 1")
	nic := write(t, "nic.yaml", "name: nic\ngroups:\n  - resources:CUSTOM_NIC: '1'\n    resources:FPGAS: '0'")
	ports := write(t, "ports.yaml", "ports:\n  - {id: p0}\n  - id: p1\n    vnic_type: accelerator-direct\n    device_profile: nic\n"+
		"  - id: p2\n    device_profile: nic")
	image := write(t, "image.yaml", "properties:\n  hw_x: y\n  trait:CUSTOM_IMAGE: forbidden")
	_, err := query(t, "", "-flavor", flavor, "-profile", nic, "-ports", ports, "-image", image)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "nic.yaml:4: port p1, device profile nic, group 0: ")
	assert.Contains(t, err.Error(), `ports.yaml:7: port p2: "device_profile" = "nic": `)
	assert.Contains(t, err.Error(), `image.yaml:3: image: "trait:CUSTOM_IMAGE" = "forbidden": `)

	_, err = query(t, "", "-flavor", flavor, "-ports", ports)
	require.ErrorContains(t, err, `ports.yaml:5: port p1: "device_profile" = "nic": there is no device profile of this name`)
	_, err = query(t, "", "-flavor", flavor, "-ports", write(t, "p.yaml", "ports:\n  - uuid: p"))
	require.ErrorContains(t, err, "p.yaml:2: ports[0].uuid: unknown key, known keys are device_profile, groups, id,")
	_, err = query(t, "", "-flavor", flavor, "-image", write(t, "i.yaml", "property: {}"))
	require.ErrorContains(t, err, "i.yaml:1: property: unknown key, known keys are properties")
	_, err = query(t, "", "-jsonl", "-ports", ports)
	require.ErrorContains(t, err, "no other mode")
}

// TestExplainAnotherService asks a server that is no Placement.
func TestExplainAnotherService(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, err := query(t, "", "-explain", server.URL)
	require.ErrorContains(t, err, "this is no Placement: it shows no versions")
}

// TestExplainIsToldByTheClientAboutTokens asks a server that shows nothing without a token, not even its versions.
func TestExplainIsToldByTheClientAboutTokens(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	_, err := query(t, "", "-explain", server.URL)
	require.ErrorIs(t, err, placement.ErrUnauthorized)
}

// TestFindingsHaveLines gives two faults; what follows from one of them is not listed.
func TestFindingsHaveLines(t *testing.T) {
	t.Parallel()
	flavor := write(t, "flavor.yaml", "vcpus: 1\nmemory_mb: 1\nextra_specs:\n  accel:device_profile: gpu\n  group_polcy: none")
	profile := write(t, "profile.yaml", "name: gpu\ngroups:\n  - resources:VGPU: 1\n  - resources:FPGAS: 1")
	_, err := query(t, "", "-flavor", flavor, "-profile", profile)
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.NotEmpty(t, lines)
	assert.NotContains(t, err.Error(), "build request")
	assert.NotContains(t, err.Error(), "asks for no resource")
	assert.Contains(t, err.Error(), `profile.yaml:4: device profile gpu, group 1: "resources:FPGAS" = "1": `)
	assert.Contains(t, err.Error(), "did you mean FPGA?")
	_, err = query(t, "", "-flavor", write(t, "f.json", "{\"vcpus\": 1,\n\"properties\":\n\n{\"group_polcy\": \"none\"}}"))
	require.ErrorContains(t, err, `f.json:4: flavor: "group_polcy" = "none": `)
	_, err = query(t, "", "-flavor", write(t, "f.yaml", "vcpus: 1\nextra_specs:\n\n  group_polcy: none"))
	require.ErrorContains(t, err, `f.yaml:4: flavor: "group_polcy" = "none": `)
}
