package classad

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readAds(tb testing.TB, file string) []Ad {
	tb.Helper()
	var ads []Ad
	require.NoError(tb, json.Unmarshal([]byte(readFile(tb, "testdata/captures/"+file)), &ads))
	return ads
}

// TestCaptures matches recorded jobs with recorded slots and compares every attribute that is an expression with what a
// real HTCondor made of it (testdata/real/captures.py says how).
func TestCaptures(t *testing.T) {
	t.Parallel()
	slots := readAds(t, "condor_status_full.json")
	jobs := map[string][]Ad{}
	seen := map[string]int{}
	for line := range strings.Lines(readFile(t, "testdata/real/captures.txt")) {
		column := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, column, 6)
		file, side, name, want := column[0], column[3], column[4], column[5]
		if jobs[file] == nil {
			jobs[file] = readAds(t, file)
		}
		i, err := strconv.Atoi(column[1])
		require.NoError(t, err)
		j, err := strconv.Atoi(column[2])
		require.NoError(t, err)
		my, target := jobs[file][i], slots[j]
		if side == "slot" {
			my, target = target, my
		}
		got := my.Eval(name, target)
		assert.Equal(t, want, got.String(), line)
		seen[want]++
	}
	for _, value := range []string{"true", "false", "undefined"} {
		assert.Positive(t, seen[value], "no expression of the captures is "+value)
	}
}

// TestCapturesText parses every expression of the recorded ads; its text is HTCondor's own.
func TestCapturesText(t *testing.T) {
	t.Parallel()
	count := 0
	for _, file := range []string{"condor_q.json", "condor_q_full_job.json", "condor_q_groupby.json", "condor_status_full.json"} {
		var ads []map[string]any
		require.NoError(t, json.Unmarshal([]byte(readFile(t, "testdata/captures/"+file)), &ads))
		for _, ad := range ads {
			for name, value := range ad {
				text, _ := value.(string)
				expression, ok := Unwrap(text)
				if !ok {
					continue
				}
				e, err := Parse(expression)
				require.NoError(t, err, name)
				assert.Equal(t, expression, e.String(), name)
				assert.Empty(t, e.Unknown(), name)
				count++
			}
		}
	}
	assert.Greater(t, count, 50)
}

// TestRequireGPUs evaluates the constraint of a recorded job for the devices of a recorded slot, one by one and with
// countMatches, and one for a slot that is only expected.
func TestRequireGPUs(t *testing.T) {
	t.Parallel()
	jobs, slots := readAds(t, "condor_q.json"), readAds(t, "condor_status_full.json")
	job := jobs[slices.IndexFunc(jobs, func(ad Ad) bool { _, ok := ad.Lookup("RequireGPUs"); return ok })]
	slot := slots[slices.IndexFunc(slots, func(ad Ad) bool { _, ok := ad.Lookup("AvailableGPUs"); return ok })]
	require7, ok := job.Lookup("requiregpus")
	require.True(t, ok)

	devices, ok := slot.Eval("AvailableGPUs", Ad{}).List()
	require.True(t, ok)
	require.Len(t, devices, 1)
	device, ok := devices[0].Ad()
	require.True(t, ok)
	assert.Equal(t, Text("Tesla T4"), device.Eval("DeviceName", Ad{}))
	assert.True(t, require7.Eval(device, job).IsTrue())

	count, err := Parse("countMatches(MY.RequireGPUs,TARGET.AvailableGPUs)")
	require.NoError(t, err)
	assert.Equal(t, Int(1), count.Eval(job, slot))

	for _, tt := range []struct {
		name       string
		capability []float64
		want       int64
	}{
		{"none", nil, 0},
		{"old", []float64{6.1, 3.5}, 0},
		{"some", []float64{8.6, 6.1, 7.0}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list []Value
			for _, capability := range tt.capability {
				var gpu Ad
				gpu.Set("Capability", Real(capability))
				list = append(list, Nested(gpu))
			}
			var expected Ad
			expected.Set("AvailableGPUs", List(list...))
			assert.Equal(t, Int(tt.want), count.Eval(job, expected))
		})
	}
}

// TestRequests evaluates request attributes that are expressions: the groups of condor_q -group-by.
func TestRequests(t *testing.T) {
	t.Parallel()
	var cpus, memory []int64
	for _, group := range readAds(t, "condor_q_groupby.json") {
		c, ok := group.Eval("RequestCpus", Ad{}).Int()
		require.True(t, ok)
		m, ok := group.Eval("RequestMemory", Ad{}).Int()
		require.True(t, ok)
		cpus, memory = append(cpus, c), append(memory, m)
	}
	assert.Contains(t, cpus, int64(3))
	assert.Contains(t, memory, int64(6144))
}
