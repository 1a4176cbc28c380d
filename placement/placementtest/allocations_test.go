package placementtest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

const (
	providerP = "00000000-0000-4000-8000-000000000001"
	providerQ = "00000000-0000-4000-8000-000000000002"
	consumerX = "00000000-0000-4000-8000-0000000000e1"
	consumerY = "00000000-0000-4000-8000-0000000000e2"
	codeStale = "placement.concurrent_update"
	codeNone  = "placement.undefined_code"
)

// one makes a provider with some PGPUs.
func (a api) one(uuid string, total int) {
	a.t.Helper()
	a.must(http.MethodPost, "/resource_providers", obj{"uuid": uuid, "name": uuid})
	a.must(http.MethodPut, "/resource_providers/"+uuid+"/inventories", obj{
		"resource_provider_generation": 0, "inventories": obj{"PGPU": obj{"total": total}},
	})
}

// generation reads a provider's generation.
func (a api) generation(uuid string) int {
	a.t.Helper()
	n, _ := a.must(http.MethodGet, "/resource_providers/"+uuid, nil).json["generation"].(float64)
	return int(n)
}

// give is the body of an allocation of PGPUs.
func give(generation any, amounts map[string]int) obj {
	allocations := obj{}
	for uuid, n := range amounts {
		allocations[uuid] = obj{"resources": obj{"PGPU": n}}
	}
	return obj{
		"allocations": allocations, "project_id": "p", "user_id": "u", "consumer_generation": generation,
		"consumer_type": "INSTANCE",
	}
}

func TestConsumerGenerations(t *testing.T) {
	t.Parallel()
	s, a := newAPI(t)
	a.one(providerP, 4)
	path := "/allocations/" + consumerX
	require.Equal(t, codeStale, a.do(http.MethodPut, path, give(0, map[string]int{providerP: 1})).code(t))
	a.must(http.MethodPut, path, give(nil, map[string]int{providerP: 1}))
	require.Equal(t, codeStale, a.do(http.MethodPut, path, give(nil, map[string]int{providerP: 2})).code(t))
	a.must(http.MethodPut, path, give(1, map[string]int{providerP: 2}))
	got := a.must(http.MethodGet, path, nil).json
	require.InDelta(t, 2, got["consumer_generation"], 0)
	require.Equal(t, "INSTANCE", got["consumer_type"])
	require.EqualValues(t, 2, s.Used(providerP, "PGPU"))

	a.must(http.MethodPut, path, give(2, nil))
	require.Zero(t, s.ConsumerCount(), "a consumer that ends without allocations is forgotten")
	a.must(http.MethodPut, path, give(nil, map[string]int{providerP: 1}))
	require.Equal(t, 1, s.AllocationCount())
	require.Equal(t, http.StatusNoContent, a.do(http.MethodDelete, path, nil).status)
	require.Equal(t, http.StatusNotFound, a.do(http.MethodDelete, path, nil).status)
}

// TestLeftOverConsumer is the oddity that all releases have: a first claim on a provider that does not exist leaves a record.
func TestLeftOverConsumer(t *testing.T) {
	t.Parallel()
	s, a := newAPI(t)
	a.one(providerP, 1)
	path := "/allocations/" + consumerX
	require.Equal(t, http.StatusBadRequest, a.do(http.MethodPut, path, give(nil, map[string]int{providerQ: 1})).status)
	require.Equal(t, 1, s.ConsumerCount())
	require.JSONEq(t, `{"allocations":{}}`, string(a.must(http.MethodGet, path, nil).raw))
	require.Equal(t, codeStale, a.do(http.MethodPut, path, give(nil, map[string]int{providerP: 1})).code(t))
	a.must(http.MethodPut, path, give(0, map[string]int{providerP: 1}))

	require.Equal(t, http.StatusConflict, a.do(http.MethodPut, "/allocations/"+consumerY, give(nil, map[string]int{providerP: 1})).status)
	require.Equal(t, 1, s.ConsumerCount(), "a claim without room leaves nothing")
}

func TestProviderGenerations(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.one(providerP, 4)
	a.one(providerQ, 4)
	require.Equal(t, 1, a.generation(providerP))
	a.must(http.MethodPut, "/allocations/"+consumerX, give(nil, map[string]int{providerP: 1}))
	require.Equal(t, 2, a.generation(providerP))
	a.must(http.MethodPut, "/allocations/"+consumerX, give(1, map[string]int{providerQ: 1}))
	require.Equal(t, 2, a.generation(providerP), "a provider that the new allocations do not name is not touched")
	require.Equal(t, 2, a.generation(providerQ))
	a.must(http.MethodPut, "/allocations/"+consumerX, give(2, nil))
	require.Equal(t, 3, a.generation(providerQ), "a wipe touches what it frees")
	a.must(http.MethodPut, "/allocations/"+consumerX, give(nil, map[string]int{providerQ: 1}))
	a.must(http.MethodDelete, "/allocations/"+consumerX, nil)
	require.Equal(t, 4, a.generation(providerQ), "DELETE does not move it")
	a.must(http.MethodPut, "/resource_providers/"+providerP, obj{"name": "other"})
	require.Equal(t, 2, a.generation(providerP), "a new name does not move it")
	a.at("1.18").must(http.MethodPut, "/resource_providers/"+providerP+"/aggregates", []string{aggregateA})
	require.Equal(t, 2, a.generation(providerP))
	a.must(http.MethodPut, "/resource_providers/"+providerP+"/aggregates", obj{
		"resource_provider_generation": 2, "aggregates": []string{aggregateA},
	})
	require.Equal(t, 3, a.generation(providerP))
	a.must(http.MethodPut, "/resource_providers/"+providerP+"/traits", obj{
		"resource_provider_generation": 3, "traits": []string{},
	})
	require.Equal(t, 3, a.generation(providerP), "the same traits do not move it")
}

// TestMoveWhenOnlyTheSumFits is POST /allocations as Nova's migrations use it.
func TestMoveWhenOnlyTheSumFits(t *testing.T) {
	t.Parallel()
	s, a := newAPI(t)
	a.one(providerP, 1)
	a.must(http.MethodPut, "/allocations/"+consumerX, give(nil, map[string]int{providerP: 1}))
	a.must(http.MethodPost, "/allocations", obj{consumerX: give(1, nil), consumerY: give(nil, map[string]int{providerP: 1})})
	require.Equal(t, 1, s.AllocationCount())
	require.EqualValues(t, 1, s.Used(providerP, "PGPU"))

	refused := a.do(http.MethodPost, "/allocations", obj{
		consumerX: give(nil, map[string]int{providerP: 1}), consumerY: give(1, map[string]int{providerP: 1}),
	})
	require.Equal(t, http.StatusConflict, refused.status)
	require.Equal(t, codeNone, refused.code(t))
	require.Equal(t, 1, s.ConsumerCount(), "all or nothing")
	require.EqualValues(t, 1, s.Used(providerP, "PGPU"))
}

// TestOverCapacity is bug log 17: with room 2 and 4 used, a consumer may shrink or stay, not grow.
func TestOverCapacity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		opts      []placementtest.Option
		from, to  int
		wantFault bool
	}{
		{name: "shrink", from: 2, to: 1},
		{name: "stay", from: 2, to: 2},
		{name: "grow", from: 1, to: 2, wantFault: true},
		{name: "shrink, release 13", opts: []placementtest.Option{placementtest.WithStrictCapacity()}, from: 2, to: 1, wantFault: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, a := newAPI(t, test.opts...)
			a.one(providerP, 4)
			a.must(http.MethodPut, "/allocations/"+consumerX, give(nil, map[string]int{providerP: test.from}))
			a.must(http.MethodPut, "/allocations/"+consumerY, give(nil, map[string]int{providerP: 4 - test.from}))
			a.must(http.MethodPut, "/resource_providers/"+providerP+"/inventories/PGPU", obj{
				"resource_provider_generation": 3, "total": 4, "reserved": 2,
			})
			got := a.do(http.MethodPut, "/allocations/"+consumerX, give(1, map[string]int{providerP: test.to}))
			require.Equal(t, test.wantFault, got.status == http.StatusConflict, "%s", got.raw)
		})
	}
}

func TestReshaper(t *testing.T) {
	t.Parallel()
	s, a := newAPI(t, placementtest.WithoutAuth())
	a.one(providerP, 2)
	a.must(http.MethodPost, "/resource_providers", obj{"uuid": providerQ, "name": "child", "parent_provider_uuid": providerP})
	a.must(http.MethodPut, "/allocations/"+consumerX, give(nil, map[string]int{providerP: 1}))
	shape := func(allocations obj) answer {
		return a.do(http.MethodPost, "/reshaper", obj{
			"inventories": obj{
				providerP: obj{"resource_provider_generation": 2, "inventories": obj{}},
				providerQ: obj{"resource_provider_generation": 0, "inventories": obj{"PGPU": obj{"total": 2}}},
			},
			"allocations": allocations,
		})
	}
	inUse := shape(obj{})
	require.Equal(t, "placement.inventory.inuse", inUse.code(t))
	require.Equal(t, 0, a.generation(providerQ), "a refused write moves nothing")

	require.Equal(t, http.StatusNoContent, shape(obj{consumerX: give(1, map[string]int{providerQ: 1})}).status)
	require.Equal(t, 3, a.generation(providerP))
	require.Equal(t, 3, a.generation(providerQ))
	require.EqualValues(t, 1, s.Used(providerQ, "PGPU"))
	require.Zero(t, s.Used(providerP, "PGPU"))
}

func TestUsages(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.one(providerP, 8)
	a.must(http.MethodPut, "/allocations/"+consumerX, give(nil, map[string]int{providerP: 1}))
	old := give(nil, map[string]int{providerP: 2})
	delete(old, "consumer_generation")
	delete(old, "consumer_type")
	a.at("1.27").must(http.MethodPut, "/allocations/"+consumerY, old)
	for _, test := range []struct{ name, version, query, want string }{
		{"before types", "1.37", "?project_id=p", `{"usages":{"PGPU":3}}`},
		{"by type", "1.38", "?project_id=p", `{"usages":{"INSTANCE":{"consumer_count":1,"PGPU":1},"unknown":{"consumer_count":1,"PGPU":2}}}`},
		{"one type", "1.38", "?project_id=p&consumer_type=INSTANCE", `{"usages":{"INSTANCE":{"consumer_count":1,"PGPU":1}}}`},
		{"all types", "1.38", "?project_id=p&user_id=u&consumer_type=all", `{"usages":{"all":{"consumer_count":2,"PGPU":3}}}`},
		{"no such type", "1.38", "?project_id=p&consumer_type=OTHER", `{"usages":{}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.JSONEq(t, test.want, string(a.in(t).at(test.version).must(http.MethodGet, "/usages"+test.query, nil).raw))
		})
	}
}
