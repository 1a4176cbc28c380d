package casefile_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/casefile"
)

// fuzzLine reads lines in both modes: errors say nothing of Go, and what strict reading takes is what lenient reading
// takes.
func fuzzLine[I any](f *testing.F, use func(*testing.T, I), seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var strict, lenient I
		err := casefile.Decode(line, &lenient, casefile.Lenient)
		if err == nil {
			assert.True(t, json.Valid(line))
			use(t, lenient)
		} else {
			assert.NotRegexp(t, `json: |Go (value|struct)|casefile|requestspec`, err.Error())
		}
		if casefile.Decode(line, &strict, casefile.Strict) == nil {
			require.NoError(t, err, "lenient reading takes what strict reading takes")
			a, errA := json.Marshal(strict)
			b, errB := json.Marshal(lenient)
			require.NoError(t, errA)
			require.NoError(t, errB)
			assert.Empty(t, cmp.Diff(string(a), string(b)))
		}
	})
}

func FuzzQueryLine(f *testing.F) {
	fuzzLine(f, func(t *testing.T, q casefile.Query) {
		t.Helper()
		if request, err := q.Build(casefile.Lenient); err == nil {
			assert.NotNil(t, request)
		}
	}, `{"flavor":{"vcpus":1,"vcpus":"2"},"device_profiles":[{"groups":[{"a":1,"a":2}]}]}`, `{"Flavor":[],"x":{}}`,
		`{"flavor":{},"ports":[{"id":"p","resource_request":{"resources":{"A":1e400}}}]}`, `{"flavor":{}} {}`)
}

func FuzzMappingLine(f *testing.F) {
	fuzzLine(f, func(t *testing.T, m casefile.Mapping) {
		t.Helper()
		if len(m.Groups) > 4 || len(m.Allocation) > 4 {
			return
		}
		mapping, err := m.Match(t.Context())
		assert.True(t, err != nil || len(mapping) <= len(m.Groups))
	}, `{"allocation":[{"rp":"a","resources":{"FPGA":1},"traits":["T"]}],"groups":[{"id":"g","resources":{"FPGA":1}}]}`,
		`{"groups":[{"id":"g","suffixed":false}]}`)
}

func FuzzMappingsLine(f *testing.F) {
	fuzzLine(f, func(t *testing.T, m casefile.Mappings) {
		t.Helper()
		mapping, err := m.Match(t.Context())
		assert.True(t, err != nil || len(mapping) <= len(m.GroupIDs))
	}, `{"group_ids":["g"],"mappings":{"g":["a"]},"flavor_arqs":[{"uuid":"u","device_profile_group_id":"0","x":1}]}`,
		`{"port_arqs":[{"port":"p","arq":null}],"flavor_arqs":null}`)
}
