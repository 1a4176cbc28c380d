package casefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/requestspec"
)

// TestKeyTwice gives keys that occur twice. Python's json takes the last value of a key whole; Go's decoder would merge.
func TestKeyTwice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, line, place, want string }{
		{"flavor", `{"flavor":{"vcpus":1,"memory_mb":512,"extra_specs":{"resources:FPGA":"1"}},"flavor":{"vcpus":2}}`, "flavor", "resources=VCPU%3A2"},
		{"extra specs", `{"flavor":{"vcpus":1,"extra_specs":{"resources:FPGA":"1"},"extra_specs":{"resources:PGPU":"1"}}}`, "flavor.extra_specs", "resources=PGPU%3A1%2CVCPU%3A1"},
		{"extra spec", `{"flavor":{"vcpus":1,"extra_specs":{"resources:FPGA":"1","resources:FPGA":"2"}}}`, "flavor.extra_specs.resources:FPGA", "resources=FPGA%3A2%2CVCPU%3A1"},
		{"size", `{"flavor":{"vcpus":1,"vcpus":3}}`, "flavor.vcpus", "resources=VCPU%3A3"},
		{"profile group", `{"flavor":{"vcpus":1,"extra_specs":{"accel:device_profile":"p"}},"device_profiles":[{"name":"p","groups":[{"resources:FPGA":"1","resources:FPGA":"2"}]}]}`, "device_profiles[0].groups[0].resources:FPGA", "resourcesdevice_profile_0=FPGA%3A2"},
		{"place of the first", `{"flavor":{"vcpus":1,"extra_specs":{"accel:device_profile":"p"}},"device_profiles":[{"name":"p","groups":[{"resources:FPGA":"1","resources1:FPGA":"5","resources:FPGA":"2"}]}]}`, "device_profiles[0].groups[0].resources:FPGA", "resourcesdevice_profile_0=FPGA%3A5"},
		{"list", `{"flavor":{"vcpus":1},"ports":[{"id":"p","resource_request":{"resources":{"FPGA":1},"required":["CUSTOM_A"]}}],"ports":[{"id":"q","resource_request":{"resources":{"PGPU":1}}}]}`, "ports", "resourcesq=PGPU%3A1"},
		{"port amount", `{"flavor":{"vcpus":1},"ports":[{"id":"p","resource_request":{"resources":{"FPGA":1,"FPGA":2}}}]}`, "ports[0].resource_request.resources.FPGA", "resourcesp=FPGA%3A2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var q casefile.Query
			require.NoError(t, casefile.Decode([]byte(tc.line), &q, casefile.Lenient))
			request, err := q.Build(casefile.Lenient)
			require.NoError(t, err)
			assert.Contains(t, strings.Split(request.Query(), "&"), tc.want)
			assert.NotContains(t, request.Query(), "CUSTOM_A", "nothing of the first value is left")
			require.EqualError(t, casefile.Decode([]byte(tc.line), new(casefile.Query), casefile.Strict), tc.place+": the key occurs twice")
		})
	}
}

// TestSizes gives sizes that are no whole numbers. Nova's flavor converts them (as Python's int() does).
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ value, vcpus, strict string }{
		{`4`, "4", ""},
		{`"4"`, "4", `flavor.vcpus: want a whole number, got "4"`},
		{`" 4 "`, "4", `flavor.vcpus: want a whole number, got " 4 "`},
		{`4.7`, "4", `flavor.vcpus: want a whole number, got 4.7`},
		{`4.0`, "4", `flavor.vcpus: want a whole number, got 4.0`},
		{`1e3`, "1000", `flavor.vcpus: want a whole number, got 1e3`},
		{`true`, "1", `flavor.vcpus: want a whole number, got true`},
		{`"4.7"`, "bad_amount", `flavor.vcpus: want a whole number, got "4.7"`},
		{`null`, "bad_amount", `flavor.vcpus: want a whole number, got null`},
		{`[1]`, "bad_amount", `flavor.vcpus: want a whole number, got [1]`},
		{`1e400`, "bad_amount", `flavor.vcpus: want a whole number, got 1e400`},
		{`9223372036854775807`, "9223372036854775807", ""},
		{`9223372036854775808`, "", `flavor.vcpus: want a whole number, got 9223372036854775808`},
	} {
		t.Run(tc.value, func(t *testing.T) {
			t.Parallel()
			line := []byte(`{"flavor":{"vcpus":` + tc.value + `,"extra_specs":{"resources:MEMORY_MB":"1"}}}`)
			var q casefile.Query
			require.NoError(t, casefile.Decode(line, &q, casefile.Lenient))
			request, err := q.Build(casefile.Lenient)
			if err != nil {
				require.ErrorContains(t, err, "flavor.vcpus: ")
				assert.Equal(t, tc.vcpus, requestspec.Code(err), "%v", err)
			} else {
				assert.Equal(t, tc.vcpus, request.Digits("", "VCPU"))
			}
			_, err = q.Build(casefile.Strict)
			if tc.strict != "" {
				require.EqualError(t, err, tc.strict)
			} else if err != nil {
				assert.NotContains(t, err.Error(), "want a whole number")
			}
		})
	}
}

// TestSwapIsDividedAsFloat gives sizes above 2^53, which Nova's division rounds, and a total above the int64 range.
func TestSwapIsDividedAsFloat(t *testing.T) {
	t.Parallel()
	for swap, want := range map[string]string{
		"9007199254740993":    "8796093022208",    // 2^53 + 1: the float is 2^53
		"9007199254740995":    "8796093022209",    // 2^53 + 3: the float is 2^53 + 4
		"9223372036854775807": "9007199254740992", // 2^63 - 1: the float is 2^63
		"-1":                  "",
	} {
		request := build(t, `{"flavor":{"vcpus":1,"swap_mb":`+swap+`}}`)
		assert.Equal(t, want, request.Digits("", "DISK_GB"), swap)
	}
	request := build(t, `{"flavor":{"vcpus":1,"root_gb":9223372036854775807,"ephemeral_gb":9223372036854775807,"swap_mb":1}}`)
	assert.Equal(t, "18446744073709551615", request.Digits("", "DISK_GB"))
	request = build(t, `{"flavor":{"vcpus":9223372036854775807,"extra_specs":{"hw:cpu_policy":"dedicated","hw:emulator_threads_policy":"isolate"}}}`)
	assert.Equal(t, "9223372036854775808", request.Digits("", "PCPU"))
}

// build builds a line in lenient mode.
func build(t *testing.T, line string) *requestspec.Request {
	t.Helper()
	var q casefile.Query
	require.NoError(t, casefile.Decode([]byte(line), &q, casefile.Lenient))
	request, err := q.Build(casefile.Lenient)
	require.NoError(t, err)
	return request
}

// TestKeysAreExact gives keys in other letters; Go's decoder would take them.
func TestKeysAreExact(t *testing.T) {
	t.Parallel()
	for _, mode := range []casefile.Mode{casefile.Strict, casefile.Lenient} {
		err := casefile.Decode([]byte(`{"Flavor":{}}`), new(casefile.Query), mode)
		require.ErrorContains(t, err, `unknown key "Flavor"; known keys are boot_from_volume`)
		err = casefile.Decode([]byte(`{"flavor":{"VCPUS":1}}`), new(casefile.Query), mode)
		require.ErrorContains(t, err, `flavor.VCPUS: unknown key "VCPUS"; known keys are ephemeral_gb`)
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	err := casefile.Decode([]byte(`{"scheduler_hints":{"a":`+strings.Repeat("[", 1000)), new(casefile.Query), casefile.Lenient)
	require.ErrorContains(t, err, "too deep")
}

// TestRecordedFiles reads the recorded files whole, with every key of them.
func TestRecordedFiles(t *testing.T) {
	t.Parallel()
	queries := read[casefile.Query](t, "requestspec-cases.jsonl")
	assert.Len(t, queries, 150)
	assert.NotEmpty(t, queries[0].Expected.Groups)
	mappings := read[casefile.Mapping](t, "mapping-cases.jsonl")
	assert.Len(t, mappings, 60)
	assert.NotNil(t, mappings[7].Nova, "Nova is wrong there")
	assert.Len(t, read[casefile.Mappings](t, "mapping-by-mappings-cases.jsonl"), 20)
	_, err := casefile.Read[casefile.Query](strings.NewReader("{}\n{\"inputs\":{}}"))
	require.ErrorContains(t, err, `line 2: unknown key "inputs"`)
}

func read[I casefile.Query | casefile.Mapping | casefile.Mappings](t *testing.T, name string) []casefile.Case[I] {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "requestspec", "testdata", name))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	cases, err := casefile.Read[I](file)
	require.NoError(t, err)
	return cases
}

// TestShownKeysArePassedOver gives a flavor and a profile as Nova and Cyborg show them.
func TestShownKeysArePassedOver(t *testing.T) {
	t.Parallel()
	const line = `{"flavor":{"id":"7","flavorid":"7","vcpus":1,"memory_mb":1,"links":[],"is_public":true,"extra_specs":{"accel:device_profile":"p"}},` +
		`"device_profiles":[{"uuid":"u","created_at":"t","updated_at":null,"description":"d","links":[],"name":"p","groups":[{"resources:FPGA":"1"}]}]}`
	for _, mode := range []casefile.Mode{casefile.Strict, casefile.Lenient} {
		var q casefile.Query
		require.NoError(t, casefile.Decode([]byte(line), &q, mode))
		request, err := q.Build(mode)
		require.NoError(t, err)
		assert.Contains(t, request.Query(), "resourcesdevice_profile_0=FPGA%3A1")
	}
	require.ErrorContains(t, casefile.Decode([]byte(`{"flavor":{"uuid":"u"}}`), new(casefile.Query), casefile.Lenient), "unknown key")
}

// TestLimit gives limits; Nova's option must be 1 or more in either mode.
func TestLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]string{"1": "limit=1&", "null": "limit=1000&", "0": "", "-5": ""} {
		var q casefile.Query
		line := `{"flavor":{"vcpus":1},"max_placement_results":` + limit + `}`
		require.NoError(t, casefile.Decode([]byte(line), &q, casefile.Strict))
		for _, mode := range []casefile.Mode{casefile.Strict, casefile.Lenient} {
			request, err := q.Build(mode)
			if want == "" {
				assert.Equal(t, "bad_amount", requestspec.Code(err), limit)
				continue
			}
			require.NoError(t, err)
			assert.Contains(t, request.Query(), want)
		}
	}
}

// TestRepeatedIDs gives groups of one id: nothing can be said of two that are searched for, one entry serves both of two
// that are looked up.
func TestRepeatedIDs(t *testing.T) {
	t.Parallel()
	var m casefile.Mapping
	require.NoError(t, casefile.Decode([]byte(`{"allocation":[{"rp":"a","resources":{"X":2}}],"groups":[{"id":"g","resources":{"X":1}},{"id":"g","resources":{"X":1}}]}`), &m, casefile.Strict))
	_, err := m.Match(t.Context())
	assert.Equal(t, "not_supported", requestspec.Code(err), "%v", err)
	m = casefile.Mapping{}
	require.NoError(t, casefile.Decode([]byte(`{"allocation":[],"groups":[{"id":"g","suffixed":false},{"id":"h","suffixed":false}]}`), &m, casefile.Strict))
	_, err = m.Match(t.Context())
	assert.Equal(t, "not_supported", requestspec.Code(err), "%v", err)

	var l casefile.Mappings
	require.NoError(t, casefile.Decode([]byte(`{"group_ids":["g","g"],"mappings":{"g":["a"]}}`), &l, casefile.Strict))
	mapping, err := l.Match(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"g": {"a"}}, mapping)
}
