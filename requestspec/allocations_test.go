package requestspec

import (
	"math"
	"math/big"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is done for each guest and each candidate takes few allocations: once they were 127 for the query of three groups, 71 for the
// search, and 53 for the check of the mappings.
func TestFewAllocations(t *testing.T) { //nolint:paralleltest // allocations of others would count
	in := Input{Flavor: Flavor{
		VCPUs: 4, MemoryMB: 8192, RootGB: 20, ExtraSpecs: map[string]string{"accel:device_profile": "gpu", "group_policy": "none"},
	}}
	var groups []Group
	var allocation []ProviderAllocation
	for i := range 3 {
		in.Profile = append(in.Profile, ProfileGroup{{"resources:FPGA", "1"}, {"trait:CUSTOM_X", "required"}})
		groups = append(groups, Group{Suffix: RequesterID(i, ""), Resources: map[string]int64{"FPGA": 1}, Required: []string{"CUSTOM_X"}})
		allocation = append(allocation, ProviderAllocation{Provider: strconv.Itoa(i), Resources: map[string]int64{"FPGA": 1}, Traits: []string{"CUSTOM_X"}})
	}
	mappings, err := Match(t.Context(), groups, allocation, nil)
	require.NoError(t, err)
	for _, work := range []struct {
		name string
		most float64
		do   func() error
	}{
		{"query", 80, func() error {
			request, err := Build(in)
			if err == nil {
				request.Query()
			}
			return err
		}},
		{"search", 40, func() error { _, err := Match(t.Context(), groups, allocation, nil); return err }},
		{"mappings", 15, func() error { _, err := Match(t.Context(), groups, allocation, mappings); return err }},
	} {
		assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { require.NoError(t, work.do()) }), work.most, work.name)
	}
}

func TestEscapedAsQueriesAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		assert.Equal(t, "a="+url.QueryEscape(text), string(appendEscaped([]byte("a="), text)))
	})
}

func TestTotalOfAnyAmounts(t *testing.T) {
	t.Parallel()
	amount := rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64Range(math.MaxInt64-9, math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		var sum total
		want := new(big.Int)
		for _, n := range rapid.SliceOf(amount).Draw(t, "amounts") {
			sum.add(n)
			want.Add(want, big.NewInt(n))
		}
		assert.Equal(t, want.String(), sum.String())
	})
}
