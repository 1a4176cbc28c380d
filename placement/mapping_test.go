package placement

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// offering returns a client of a Placement that offers microversions up to newest and has these candidates.
func offering(t *testing.T, newest string, candidates ...Candidate) *Client {
	t.Helper()
	c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		requests, summaries := []any{}, make(map[string]any)
		for _, candidate := range candidates {
			taken := make(map[string]any)
			for provider, resources := range candidate.Allocations {
				taken[provider] = map[string]any{"resources": resources}
				summaries[provider] = map[string]any{"root_provider_uuid": candidate.RootProvider}
			}
			request := map[string]any{"allocations": taken}
			if candidate.Mapping != nil {
				request["mappings"] = candidate.Mapping
			}
			requests = append(requests, request)
		}
		return respond(r, http.StatusOK, map[string]any{"allocation_requests": requests, "provider_summaries": summaries}), nil
	})))
	pretend(t, c, newest)
	return c
}

// twoCards is a candidate for two groups of one FPGA each, on two cards of a host.
func twoCards(host string, mapping map[string][]string) Candidate {
	return Candidate{
		RootProvider: host, Mapping: mapping,
		Allocations: map[string]map[string]int64{host: {"VCPU": 2}, host + "-a": {"FPGA": 1}, host + "-b": {"FPGA": 1}},
	}
}

func twoFPGAs() *requestspec.Request {
	return request(requestspec.Group{Resources: map[string]int64{"VCPU": 2}}, devices(0, "FPGA", 1), devices(1, "FPGA", 1))
}

// Mappings are believed only if they add up to what is allocated; one bad candidate does not spoil the others.
func TestMappingsMustAddUp(t *testing.T) {
	t.Parallel()
	good := twoCards("good", map[string][]string{"": {"good"}, "device_profile_0": {"good-b"}, "device_profile_1": {"good-a"}})
	tests := []struct {
		name   string
		change func(c *Candidate)
		want   string
		kind   error
	}{
		{"two groups on one card", func(c *Candidate) { c.Mapping["device_profile_1"] = []string{"bad-a"} }, `provider bad-a is allocated 1 FPGA, its groups ["device_profile_0" "device_profile_1"] take 2`, requestspec.ErrNoMapping},
		{"a provider of another host", func(c *Candidate) { c.Mapping["device_profile_1"] = []string{"good-a"} }, "provider bad-b is allocated 1 FPGA", requestspec.ErrNoMapping},
		{"two providers of one group", func(c *Candidate) { c.Mapping["device_profile_1"] = []string{"bad-b", "bad-a"} }, "the group has 2 providers, it must have one", requestspec.ErrNoMapping},
		{"no provider of a group", func(c *Candidate) { delete(c.Mapping, "device_profile_1") }, "group device_profile_1: the mappings have no entry for the group", requestspec.ErrMappingMissing},
		{"nothing mapped", func(c *Candidate) { c.Mapping = map[string][]string{} }, "the mappings have no entry for the group", requestspec.ErrMappingMissing},
		{"more allocated than asked for", func(c *Candidate) { c.Allocations["bad-b"]["FPGA"] = 2 }, "provider bad-b is allocated 2 FPGA", requestspec.ErrNoMapping},
		{"the flavor's own group too small", func(c *Candidate) { c.Allocations["bad"]["VCPU"] = 1 }, "the unsuffixed group takes 2 VCPU from one provider", requestspec.ErrNoMapping},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bad := twoCards("bad", map[string][]string{"": {"bad"}, "device_profile_0": {"bad-a"}, "device_profile_1": {"bad-b"}})
			found, err := offering(t, "1.39", bad).Candidates(t.Context(), twoFPGAs())
			require.NoError(t, err)
			assert.Equal(t, []Candidate{bad}, found.List, "before it is changed it is good")
			assert.Empty(t, found.LeftOut)

			test.change(&bad)
			found, err = offering(t, "1.39", bad, good).Candidates(t.Context(), twoFPGAs())
			require.NoError(t, err)
			assert.Equal(t, []Candidate{good}, found.List)
			require.Len(t, found.LeftOut, 1)
			assertUnusable(t, found.LeftOut[0], test.want, test.kind)

			_, err = offering(t, "1.39", bad, bad).Candidates(t.Context(), twoFPGAs())
			assertUnusable(t, err, test.want, test.kind)
			assert.ErrorContains(t, err, "get allocation candidates: none of 2 can be used: the candidate on bad: match groups to providers: ")
		})
	}
}

func assertUnusable(t *testing.T, err error, want string, kind error) {
	t.Helper()
	require.ErrorIs(t, err, ErrMapping)
	require.ErrorIs(t, err, kind)
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, err, "the candidate on bad: ")
}

// hopeless asks for devices whose amounts add up in too many ways to find out which of the host's cards gives which.
func hopeless(host string) (*requestspec.Request, Candidate) {
	req := request()
	var total int64
	for i := range 40 {
		amount := int64(1_000_003 + 7919*i*i + 31*i*i*i)
		req.Groups = append(req.Groups, devices(i, "FPGA", amount))
		total += amount
	}
	candidate := Candidate{RootProvider: host, Allocations: map[string]map[string]int64{host + "-rest": {"FPGA": total - 3*(total/4)}}}
	for _, card := range []string{"-a", "-b", "-c"} {
		candidate.Allocations[host+card] = map[string]int64{"FPGA": total / 4}
	}
	return req, candidate
}

// From an old server, a candidate that takes too long to match or that no arrangement fits does not spoil the others.
func TestCandidatesThatCannotBeMatchedAreLeftOut(t *testing.T) {
	t.Parallel()
	req, long := hopeless("bad")
	_, good := hopeless("good")
	_, impossible := hopeless("bad")
	good.Allocations = map[string]map[string]int64{"good-a": {"FPGA": 0}}
	for _, group := range req.Groups {
		good.Allocations["good-a"]["FPGA"] += group.Resources["FPGA"]
	}
	impossible.Allocations = map[string]map[string]int64{"bad-a": {"FPGA": 1}}

	found, err := offering(t, "1.33", long, impossible, impossible, good).Candidates(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, found.List, 1)
	assert.Equal(t, "good", found.List[0].RootProvider)
	assert.Len(t, found.List[0].Mapping, len(req.Groups))
	require.Len(t, found.LeftOut, 2, "equal candidates are looked at once")
	assertUnusable(t, found.LeftOut[0], "ask Placement with microversion 1.34", requestspec.ErrSearchLimit)
	assertUnusable(t, found.LeftOut[1], "", requestspec.ErrNoMapping)

	_, err = offering(t, "1.33", impossible).Candidates(t.Context(), req)
	assertUnusable(t, err, "", requestspec.ErrNoMapping)
	assert.True(t, strings.HasPrefix(err.Error(), "get allocation candidates: none of 1 can be used: "), err)
}

// A search that is given up is no reason to leave a candidate out.
func TestMatchingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBroken)
	req, long := hopeless("bad")
	offered := allocationRequest{Allocations: make(map[string]resources)}
	for provider, taken := range long.Allocations {
		offered.Allocations[provider] = resources{taken}
	}
	found := &Candidates{Summaries: make(map[string]ProviderSummary)}
	err := found.add(ctx, &candidatesAnswer{Requests: []allocationRequest{offered}}, ask(req, 33))
	require.ErrorIs(t, err, errBroken)
	require.NotErrorIs(t, err, ErrMapping)
	assert.Empty(t, found.LeftOut)
}
