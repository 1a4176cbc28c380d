package placementtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// The tests of this file are public bug reports, each as small as it can be.

// small is one provider of a small tree; below is the uuid of its parent.
func small(end, below string, inventories map[string]obj, traits ...string) treeProvider {
	p := treeProvider{UUID: providerUUID(end), Name: end, Inventories: inventories, Traits: traits}
	if below != "" {
		parent := providerUUID(below)
		p.Parent = &parent
	}
	return p
}

func (p treeProvider) member(aggregates ...string) treeProvider {
	for _, end := range aggregates {
		p.Aggregates = append(p.Aggregates, providerUUID(end))
	}
	return p
}

// providerUUID ends in up to four hexadecimal digits.
func providerUUID(end string) string {
	return "00000000-0000-4000-8000-" + strings.Repeat("0", 12-len(end)) + end
}

func of(class string, total int) map[string]obj { return map[string]obj{class: {"total": total}} }

// servedBy returns, per candidate, the only provider of a suffix.
func servedBy(t *testing.T, a api, suffix, query string) []string {
	t.Helper()
	var uuids []string
	for _, mapping := range mappings(t, a, "/allocation_candidates?"+query) {
		uuids = append(uuids, fmt.Sprint(mapping[suffix]))
	}
	return uuids
}

// Only the root's aggregates were looked at (Launchpad nova 1792503).
func TestAggregatesOfChildren(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.load(treeFile{Providers: []treeProvider{
		small("1", "", nil).member("a"),
		small("11", "1", of("VCPU", 4)).member("c"),
		small("12", "1", of("VCPU", 4)),
	}})
	assert.Equal(t, []string{"[" + providerUUID("11") + "]"}, servedBy(t, a, "", "resources=VCPU:1&member_of="+providerUUID("c")))
	assert.Len(t, servedBy(t, a, "", "resources=VCPU:1&member_of="+providerUUID("a")), 2, "the root's aggregate covers its tree")
	assert.Len(t, servedBy(t, a, "1", "resources1=VCPU:1&member_of1="+providerUUID("c")), 1)
	assert.Empty(t, servedBy(t, a, "1", "resources1=VCPU:1&member_of1="+providerUUID("a")), "a suffixed group needs its own provider in it")
}

// Candidates of equal devices were all built before the limit (Launchpad nova 2070257, 2126751).
func TestEqualDevices(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.load(treeFile{Providers: eightPGPUs()})
	query := "/allocation_candidates?resources=VCPU:1&group_policy=none"
	for n, want := range []int{1: 8, 2: 56, 3: 336, 4: 1680} {
		if n > 0 {
			query += fmt.Sprintf("&resources%d=PGPU:1", n)
			require.Len(t, mappings(t, a, query), want, "%d groups", n)
		}
	}
}

func TestLimitEndsTheSearchAmongEqualDevices(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t, placementtest.WithSearchSteps(20_000))
	a.load(treeFile{Providers: eightPGPUs()})
	const six = "/allocation_candidates?resources=VCPU:1&group_policy=none" +
		"&resources1=PGPU:1&resources2=PGPU:1&resources3=PGPU:1&resources4=PGPU:1&resources5=PGPU:1&resources6=PGPU:1"
	require.Len(t, mappings(t, a, six+"&limit=10"), 10)
	assert.Equal(t, http.StatusInternalServerError, a.do(http.MethodGet, six, nil).status, "all 20,160 orders take more steps than allowed")
}

// eightPGPUs is a host with eight equal devices.
func eightPGPUs() []treeProvider {
	providers := []treeProvider{small("1", "", of("VCPU", 64))}
	for i := range 8 {
		providers = append(providers, small(fmt.Sprint("1", i), "1", of("PGPU", 1)))
	}
	return providers
}

// Traits that any one of is enough and forbidden ones were mixed up (the rules of Placement 1.39).
func TestAnyTraitAndForbiddenTrait(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.load(treeFile{Providers: []treeProvider{small("1", "", of("VCPU", 4), "HW_CPU_X86_SSE", "HW_CPU_X86_SSE2")}})
	const any2 = "resources=VCPU:1&required=in:HW_CPU_X86_SSE,HW_CPU_X86_SSE2"
	assert.Len(t, servedBy(t, a, "", any2), 1)
	assert.Empty(t, servedBy(t, a, "", any2+"&required=!HW_CPU_X86_SSE"))
	answer := a.do(http.MethodGet, "/allocation_candidates?resources=VCPU:1&required=in:HW_CPU_X86_SSE,!HW_CPU_X86_SSE2", nil)
	assert.Equal(t, http.StatusBadRequest, answer.status)
}

// Disks were joined to hosts that they are not shared with (Launchpad nova 1763907).
func TestDisksServeTheirOwnHosts(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	const shares = "MISC_SHARES_VIA_AGGREGATE"
	a.load(treeFile{Providers: []treeProvider{
		small("1", "", of("VCPU", 4)).member("a"),
		small("2", "", map[string]obj{"VCPU": {"total": 4}, "DISK_GB": {"total": 10}}).member("b"),
		small("d1", "", of("DISK_GB", 10), shares).member("a"),
		small("d2", "", of("DISK_GB", 10), shares).member("e"),
	}})
	var got []string
	for _, mapping := range mappings(t, a, "/allocation_candidates?resources=VCPU:1,DISK_GB:1") {
		got = append(got, text(t, mapping))
	}
	require.Len(t, got, 2)
	assert.ElementsMatch(t, []bool{true, false}, []bool{strings.Contains(got[0], providerUUID("d1")), strings.Contains(got[1], providerUUID("d1"))})
	for _, mapping := range got {
		assert.NotContains(t, mapping, providerUUID("d2"))
		assert.Equal(t, strings.Contains(mapping, providerUUID("1")+`"`), strings.Contains(mapping, providerUUID("d1")), mapping)
	}
}

// Consumers of before consumer types could not be read any more (Storyboard 2009167).
func TestConsumersWithoutAType(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.load(treeFile{Providers: []treeProvider{small("1", "", of("VCPU", 4))}})
	claim := obj{
		"allocations": obj{providerUUID("1"): obj{"resources": obj{"VCPU": 1}}}, "project_id": "p", "user_id": "u", "consumer_generation": nil,
	}
	a.at("1.36").must(http.MethodPut, "/allocations/"+consumerX, claim)
	assert.Equal(t, "unknown", a.must(http.MethodGet, "/allocations/"+consumerX, nil).json["consumer_type"])
	want := obj{"unknown": obj{"consumer_count": 1.0, "VCPU": 1.0}}
	assert.Equal(t, want, a.must(http.MethodGet, "/usages?project_id=p", nil).json["usages"])
	assert.Equal(t, want, a.must(http.MethodGet, "/usages?project_id=p&consumer_type=unknown", nil).json["usages"])
	assert.Equal(t, obj{"VCPU": 1.0}, a.at("1.37").must(http.MethodGet, "/usages?project_id=p", nil).json["usages"])
}
