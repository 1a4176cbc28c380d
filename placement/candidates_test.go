package placement

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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
			assert.Equal(t, test.want, root(all.taken(Candidate{Allocations: taken}), all.Summaries))
		})
	}
}

func TestSharedDiskAndItsHost(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		disk := TreeProvider{
			UUID: newConsumer().UUID, Name: "disk-" + s.Tag, Traits: []string{sharingTrait},
			Inventories: map[string]Inventory{"CUSTOM_DISK_" + s.Tag: {Total: 100}},
		}
		mustReport(t, c, Tree{Providers: []TreeProvider{disk}}, nil)
		aggregate := newConsumer().UUID
		join(t, c, disk.UUID, aggregate)
		join(t, c, s.Host.UUID, aggregate)

		group := flavor()
		group.Resources["CUSTOM_DISK_"+s.Tag] = 10
		found, err := c.Candidates(t.Context(), request(group, devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		require.Len(t, found.List, 1)
		assert.Equal(t, s.Host.UUID, found.List[0].RootProvider)
		assert.ElementsMatch(t, []string{s.Host.UUID, disk.UUID}, found.List[0].Mapping[""])
	})
}

func TestLimitOfCandidates(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.32", "1.39"} {
		c := inMemory(t, placementtest.WithMaxVersion(version))
		s := newScene()
		s.report(t, c)
		req := request(flavor(), devices(0, s.GPU, 1))
		req.RootRequired = []string{"COMPUTE_ACCELERATORS"}
		for limit, want := range map[int]int{0: 2, 1: 1, 2: 2, 3: 2} {
			req.Limit = limit
			found, err := c.Candidates(t.Context(), req)
			require.NoError(t, err)
			assert.Len(t, found.List, want, "limit %d at %s", limit, version)
		}
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

// For random requests, candidates keep what was asked, and an old server's candidates are those of a new one.
func TestCandidatesSatisfyTheRequest(t *testing.T) {
	t.Parallel()
	s := newScene()
	s.Cards = append(s.Cards, TreeProvider{
		UUID: "5d7c2b35-31a4-4f06-8e1c-6d2a1c0e4b10", Name: "mixed", Traits: []string{s.Fast, "CUSTOM_OLD"},
		Inventories: map[string]Inventory{s.FPGA: {Total: 2}, s.GPU: {Total: 2}},
	})
	recent, old := inMemory(t), inMemory(t, placementtest.WithMaxVersion("1.32"))
	s.report(t, recent)
	s.report(t, old)
	rapid.Check(t, func(rt *rapid.T) {
		req := request(flavor())
		for i := range rapid.IntRange(1, 4).Draw(rt, "groups") {
			group := devices(i, rapid.SampledFrom([]string{s.FPGA, s.GPU}).Draw(rt, "class"), rapid.Int64Range(1, 2).Draw(rt, "amount"))
			switch rapid.SampledFrom([]string{"", "required", "forbidden"}).Draw(rt, "traits") {
			case "required":
				group.Required = []string{s.Fast}
			case "forbidden":
				group.Forbidden = []string{"CUSTOM_OLD"}
			}
			req.Groups = append(req.Groups, group)
		}
		req.GroupPolicy = rapid.SampledFrom([]string{"none", "isolate"}).Draw(rt, "policy")
		var taken []map[string]bool
		for _, c := range []*Client{recent, old} {
			found, err := c.Candidates(t.Context(), req)
			require.NoError(rt, err)
			allocations := make(map[string]bool)
			for _, candidate := range found.List {
				checkCandidate(rt, req, candidate, found.Summaries)
				allocations[fmt.Sprint(candidate.Allocations)] = true
			}
			taken = append(taken, allocations)
		}
		assert.Equal(rt, taken[0], taken[1])
	})
}

// checkCandidate fails unless each group's provider has its traits and the groups add up to the allocations.
func checkCandidate(t require.TestingT, req *requestspec.Request, candidate Candidate, summaries map[string]ProviderSummary) {
	sum := map[string]map[string]int64{}
	served := make(map[string]bool)
	for _, group := range req.Groups {
		provider := candidate.RootProvider
		if group.Suffix != "" {
			var err error
			provider, err = candidate.Provider(group.Suffix)
			require.NoError(t, err)
			assert.False(t, req.GroupPolicy == "isolate" && served[provider], "isolated groups share a provider")
			served[provider] = true
		}
		sum = sumAllocations(sum, map[string]map[string]int64{provider: group.Resources})
		for _, trait := range group.Required {
			assert.Contains(t, summaries[provider].Traits, trait)
		}
		for _, trait := range group.Forbidden {
			assert.NotContains(t, summaries[provider].Traits, trait)
		}
	}
	assert.Equal(t, candidate.Allocations, sum)
}

// The words for old servers are also right on a real one.
func TestOldWords(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		pretend(t, c, "1.32")
		s := newScene()
		s.report(t, c)
		req := request(flavor(), devices(0, s.FPGA, 1), devices(1, s.GPU, 1, s.Fast))
		req.RootRequired, req.RootForbidden = []string{"COMPUTE_ACCELERATORS"}, []string{"COMPUTE_STATUS_DISABLED"}
		found, err := c.Candidates(t.Context(), req)
		require.NoError(t, err)
		require.Len(t, found.List, 1)
		checkCandidate(t, req, found.List[0], found.Summaries)
		assert.Equal(t, s.Host.UUID, found.List[0].RootProvider)
		claim, err := c.Claim(t.Context(), newConsumer(), found.List[0])
		require.NoError(t, err)
		require.NoError(t, c.Release(t.Context(), claim))
	})
}

func TestTooOldServerIsRefusedWithBothVersions(t *testing.T) {
	t.Parallel()
	subtree := request(flavor(), devices(0, "FPGA", 1))
	subtree.SameSubtree = [][]string{{"device_profile_0"}}
	forbidden, tree, empty := flavor(), flavor(), devices(0, "FPGA", 1)
	forbidden.ForbiddenAggregates = []string{"5d7c2b35-31a4-4f06-8e1c-6d2a1c0e4b01"}
	tree.InTree = "5d7c2b35-31a4-4f06-8e1c-6d2a1c0e4b02"
	empty.Resources = nil
	aggregates := devices(0, "FPGA", 1)
	aggregates.Aggregates = [][]string{{"5d7c2b35-31a4-4f06-8e1c-6d2a1c0e4b01"}}
	tests := []struct {
		name    string
		offered string
		request *requestspec.Request
		want    string
	}{
		{"same_subtree", "1.35", subtree, "same_subtree needs microversion 1.36, but this placement offers only up to 1.35"},
		{"group without resources", "1.35", request(flavor(), empty), "a group without resources needs microversion 1.36"},
		{"mapping of aggregates", "1.33", request(flavor(), aggregates), "the mapping of a group with aggregates needs microversion 1.34"},
		{"mapping of a shared class", "1.33", request(flavor(), devices(0, "VCPU", 1)), "a class that the flavor asks for, too needs microversion 1.34"},
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

// An old server's root traits are looked up in its answers, of which none is unbounded: a limit that hides the hosts that
// have them is raised until enough are found.
func TestRootTraitsOfAnOldServerAreAskedForWithALimit(t *testing.T) {
	t.Parallel()
	var limits []string
	c, _ := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/allocation_candidates") {
				limits = append(limits, r.URL.Query().Get("limit"))
			}
			return next.RoundTrip(r)
		})
	}, placementtest.WithMaxVersion("1.34"))
	class, last := "CUSTOM_MANY", ""
	for i := range 12 {
		last = newConsumer().UUID
		host := TreeProvider{UUID: last, Name: fmt.Sprint("host", i), Inventories: map[string]Inventory{class: {Total: 1}}}
		if i == 11 {
			host.Traits = []string{"CUSTOM_SPECIAL"}
		}
		mustReport(t, c, Tree{Providers: []TreeProvider{host}}, nil)
	}
	req := request(requestspec.Group{Resources: map[string]int64{class: 1}})
	for _, test := range []struct {
		limit int
		want  []string
	}{{1, []string{"4", "32"}}, {2, []string{"8", "64"}}, {100, []string{"400"}}, {200_000, []string{"200000"}}, {0, []string{""}}} {
		limits = nil
		req.Limit, req.RootRequired = test.limit, []string{"CUSTOM_SPECIAL"}
		found, err := c.Candidates(t.Context(), req)
		require.NoError(t, err)
		require.Len(t, found.List, 1)
		assert.Equal(t, last, found.List[0].RootProvider)
		assert.Equal(t, test.want, limits)
	}
}

// The raising ends; that nothing was found by then is no answer.
func TestRootTraitsOfAnOldServerAmongTooManyCandidates(t *testing.T) {
	t.Parallel()
	var limits []int
	one := `,{"allocations": {"r": {"resources": {"VCPU": 1}}}}`
	c := newClient(t, WithEndpoint("http://old.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			return nil, err
		}
		limits = append(limits, limit)
		return answerWith(200, `{"allocation_requests": [`+strings.Repeat(one, limit)[1:]+`], "provider_summaries": {"r": {"root_provider_uuid": "r"}}}`)(r)
	})))
	pretend(t, c, "1.34")
	req := request(requestspec.Group{Resources: map[string]int64{"VCPU": 1}})
	req.RootRequired, req.Limit = []string{"CUSTOM_SPECIAL"}, 100
	_, err := c.Candidates(t.Context(), req)
	assert.Equal(t, []int{400, 3200, 25_600, 100_000}, limits)
	require.ErrorIs(t, err, ErrVersion)
	require.ErrorContains(t, err, "none of the first 100000 candidates has them, and there are more")
}
