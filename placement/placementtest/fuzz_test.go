package placementtest_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// FuzzQuery asks a server with the worked trees in it any question about candidates. Whatever the query, the server answers 200 or 400 and changes nothing.
func FuzzQuery(f *testing.F) {
	for _, q := range workedQueries {
		f.Add(q.query)
	}
	f.Add("resources=VCPU:+1_0&required=in:A,!B&member_of=!in:x&limit=%zz&same_subtree=,&in_tree=%ff")
	s, a := newAPI(f)
	a.load(workedTree(f))
	f.Fuzz(func(t *testing.T, raw string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/allocation_candidates", nil)
		r.URL = &url.URL{Path: "/allocation_candidates", RawQuery: raw}
		r.Header.Set("OpenStack-API-Version", "placement 1.39")
		r.Header.Set("X-Auth-Token", "admin")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, w.Code, "%s", w.Body)
	})
}

// FuzzBody feeds the bodies of the writes. Whatever the body, the server answers below 500, and a refused write moves no generation.
func FuzzBody(f *testing.F) {
	f.Add(uint8(0), `{"resource_provider_generation":1,"inventories":{"PGPU":{"total":2.0,"allocation_ratio":1e3}}}`)
	f.Add(uint8(1), `{"resource_provider_generation":1,"traits":["OWNER_NOVA"]}`)
	f.Add(uint8(2), `{"allocations":{"`+providerP+`":{"resources":{"PGPU":1}}},"project_id":"p","user_id":"u",`+
		`"consumer_generation":null,"consumer_type":"X","mappings":{"":["`+providerP+`"]}}`)
	f.Add(uint8(3), `{"inventories":{"`+providerP+`":{"resource_provider_generation":1,"inventories":{}}},"allocations":{}}`)
	paths := []struct{ method, path string }{
		{http.MethodPut, "/resource_providers/" + providerP + "/inventories"},
		{http.MethodPut, "/resource_providers/" + providerP + "/traits"},
		{http.MethodPut, "/allocations/" + consumerX},
		{http.MethodPost, "/reshaper"},
		{http.MethodPost, "/allocations"},
		{http.MethodPost, "/resource_providers"},
		{http.MethodPut, "/resource_providers/" + providerP + "/aggregates"},
		{http.MethodPost, "/resource_classes"},
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		_, a := newAPI(t, placementtest.WithoutAuth())
		a.one(providerP, 4)
		before := a.generation(providerP)
		to := paths[int(which)%len(paths)]
		got := a.do(to.method, to.path, strings.ToValidUTF8(body, ""))
		require.Less(t, got.status, http.StatusInternalServerError, "%s", got.raw)
		if got.status >= http.StatusBadRequest {
			require.NotEmpty(t, got.code(t))
			require.Equal(t, before, a.generation(providerP))
		}
	})
}
