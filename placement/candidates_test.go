package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestCandidatesMapEachGroupToItsProvider(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)

		req := request(flavor(), devices(0, s.FPGA, 1), devices(1, s.GPU, 2, s.Fast))
		req.RootRequired = []string{"COMPUTE_ACCELERATORS"}
		found, err := c.Candidates(t.Context(), req)
		require.NoError(t, err)

		want := []Candidate{{
			Allocations: map[string]map[string]int64{
				s.Host.UUID:     {"VCPU": 2, "MEMORY_MB": 1024},
				s.Cards[0].UUID: {s.FPGA: 1},
				s.Cards[2].UUID: {s.GPU: 2},
			},
			Mapping: map[string][]string{
				"": {s.Host.UUID}, "device_profile_0": {s.Cards[0].UUID}, "device_profile_1": {s.Cards[2].UUID},
			},
			RootProvider: s.Host.UUID,
		}}
		assert.Empty(t, cmp.Diff(want, found.List))
		assert.Equal(t, ProviderSummary{
			Resources: map[string]Usage{s.GPU: {Capacity: 2}}, Traits: []string{s.Fast}, Parent: s.Host.UUID, Root: s.Host.UUID,
		}, found.Summaries[s.Cards[2].UUID])
		assert.Equal(t, Usage{Capacity: 16}, found.Summaries[s.Host.UUID].Resources["VCPU"])
	})
}

func TestCandidatesOfNothing(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		found, err := c.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 2)))
		require.NoError(t, err)
		assert.Empty(t, found.List)
	})
}

func TestCandidatesOfUnknownClass(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		_, err := c.Candidates(t.Context(), request(devices(0, "CUSTOM_NOBODY_HAS_THIS", 1)))
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 400, e.StatusCode)
		assert.Equal(t, "placement.undefined_code", e.Code)
		assert.Contains(t, err.Error(), "CUSTOM_NOBODY_HAS_THIS")
		assert.Contains(t, err.Error(), "get allocation candidates: 400 ")
		assert.NotEmpty(t, e.RequestID)
	})
}

// The root of a candidate is the compute node also when a sharing provider takes part.
func TestRootProviderIsNotTheSharingProvider(t *testing.T) {
	t.Parallel()
	all := &Candidates{Summaries: map[string]ProviderSummary{
		"a-disk": {Root: "a-disk", Traits: []string{"HW_CPU_X86_AVX", sharingTrait}},
		"b-gpu":  {Root: "z-host", Parent: "z-host"},
		"z-host": {Root: "z-host"},
	}}
	tests := []struct {
		name      string
		providers []string
		want      string
	}{
		{"host and shared disk", []string{"a-disk", "z-host"}, "z-host"},
		{"card and shared disk", []string{"a-disk", "b-gpu"}, "z-host"},
		{"only the shared disk", []string{"a-disk"}, "a-disk"},
		{"nothing", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			taken := make(map[string]map[string]int64)
			for _, provider := range test.providers {
				taken[provider] = map[string]int64{"X": 1}
			}
			assert.Equal(t, test.want, all.root(taken))
		})
	}
}

// A server of the Train release knows neither string suffixes nor mappings nor root_required, and gives the same answers.
func TestOldServerGivesTheSameCandidates(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.29", "1.32", "1.33", "1.34", "1.35", "1.36", "1.39"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := inMemory(t, placementtest.WithMaxVersion(version))
			s, other := newScene(), newScene()
			s.report(t, c)
			other.Host.Traits = append(other.Host.Traits, "COMPUTE_STATUS_DISABLED")
			other.report(t, c)

			req := request(flavor(), devices(0, s.FPGA, 1), requestspec.Group{Suffix: "2", Resources: map[string]int64{s.GPU: 1}},
				devices(1, s.GPU, 1, s.Fast))
			req.RootRequired, req.RootForbidden = []string{"COMPUTE_ACCELERATORS"}, []string{"COMPUTE_STATUS_DISABLED"}
			found, err := c.Candidates(t.Context(), req)
			require.NoError(t, err)
			require.Len(t, found.List, 2)
			for _, candidate := range found.List {
				assert.Equal(t, s.Host.UUID, candidate.RootProvider)
				for id, card := range map[string]string{"device_profile_0": s.Cards[0].UUID, "device_profile_1": s.Cards[2].UUID} {
					got, err := candidate.Provider(id)
					require.NoError(t, err)
					assert.Equal(t, card, got)
				}
			}
			claim, err := c.Claim(t.Context(), newConsumer(), found.List[0])
			require.NoError(t, err)
			require.NoError(t, c.Release(t.Context(), claim))

			req = request(flavor(), devices(0, other.FPGA, 1))
			req.RootForbidden = []string{"COMPUTE_STATUS_DISABLED"}
			found, err = c.Candidates(t.Context(), req)
			require.NoError(t, err)
			assert.Empty(t, found.List)
		})
	}
}

func TestTooOldServerIsRefusedWithBothVersions(t *testing.T) {
	t.Parallel()
	subtree := request(flavor(), devices(0, "FPGA", 1))
	subtree.SameSubtree = [][]string{{"device_profile_0"}}
	forbidden, tree, empty := flavor(), flavor(), devices(0, "FPGA", 1)
	forbidden.ForbiddenAggregates = []string{"5d7c2b35-31a4-4f06-8e1c-6d2a1c0e4b01"}
	tree.InTree = "5d7c2b35-31a4-4f06-8e1c-6d2a1c0e4b02"
	empty.Resources = nil
	tests := []struct {
		name    string
		offered string
		request *requestspec.Request
		want    string
	}{
		{"same_subtree", "1.35", subtree, "same_subtree or a group without resources needs microversion 1.36, but this placement offers only up to 1.35"},
		{"group without resources", "1.35", request(flavor(), empty), "needs microversion 1.36"},
		{"forbidden aggregate", "1.31", request(forbidden), "a forbidden aggregate needs microversion 1.32, but this placement offers only up to 1.31"},
		{"in_tree", "1.30", request(tree), "in_tree needs microversion 1.31, but this placement offers only up to 1.30"},
		{"nested providers", "1.28", request(flavor()), "a tree of providers needs microversion 1.29, but this placement offers only up to 1.28"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := inMemory(t, placementtest.WithMaxVersion(test.offered)).Candidates(t.Context(), test.request)
			require.ErrorIs(t, err, ErrVersion)
			assert.Contains(t, err.Error(), test.want)
		})
	}
}

func TestProviderOfAGroup(t *testing.T) {
	t.Parallel()
	candidate := Candidate{Mapping: map[string][]string{"": {"a", "b"}, "device_profile_0": {"a"}}}
	provider, err := candidate.Provider("device_profile_0")
	require.NoError(t, err)
	assert.Equal(t, "a", provider)
	for _, id := range []string{"", "device_profile_1"} {
		_, err := candidate.Provider(id)
		require.ErrorIs(t, err, ErrMapping)
	}
}
