package placementtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// asked is a request that a fuzzer makes up.
type asked struct {
	method, path, query, body string
	version, accept           string
}

// ask sends a request straight to the handler, with headers that no HTTP client would send, and checks what every answer has.
func (q asked) ask(t *testing.T, s *placementtest.Server) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), q.method, "/", strings.NewReader(q.body))
	r.URL = &url.URL{Path: q.path, RawQuery: q.query}
	r.Header.Set("Openstack-Api-Version", q.version)
	r.Header.Set("X-Auth-Token", "admin")
	r.Header.Set("X-Roles", "admin,service")
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.accept != "" {
		r.Header.Set("Accept", q.accept)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), "the option WithSearchSteps allows more") {
		require.Less(t, w.Code, http.StatusInternalServerError, "%s", w.Body)
	}
	checkDialect(t, w)
	return w
}

// checkDialect looks whether an answer is of the form that the API's answers have: JSON, the errors form with the reply's own
// status, or an error in one of the two other forms that a caller can prefer.
func checkDialect(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	require.NotEmpty(t, w.Header().Get("X-Openstack-Request-Id"))
	var body any
	switch form := w.Header().Get("Content-Type"); {
	case w.Body.Len() == 0:
		require.Contains(t, []int{http.StatusOK, http.StatusCreated, http.StatusNoContent}, w.Code)
		return
	case form != "application/json":
		require.Contains(t, []string{"text/html; charset=UTF-8", "text/plain; charset=UTF-8"}, form)
		require.GreaterOrEqual(t, w.Code, http.StatusBadRequest)
		require.Contains(t, w.Body.String(), strconv.Itoa(w.Code))
		return
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), "%s", w.Body)
	if w.Code < http.StatusBadRequest {
		return
	}
	list := items(t, object(t, body)["errors"])
	require.Len(t, list, 1)
	require.InDelta(t, w.Code, object(t, list[0])["status"], 0)
	require.Equal(t, http.StatusText(w.Code), object(t, list[0])["title"])
}

// minorVersion is a microversion out of any number.
func minorVersion(minor uint8) string { return fmt.Sprintf("placement 1.%d", minor%40) }

// FuzzCandidates asks a server with the worked trees in it any question about candidates, in any microversion. It is answered or
// refused; only a search that takes too many steps is given up.
func FuzzCandidates(f *testing.F) {
	for _, q := range workedQueries {
		f.Add(uint8(39), q.query)
	}
	f.Add(uint8(39), "resources=VCPU:+1_0&required=in:A,!B&member_of=!in:x&limit=%zz&same_subtree=,&in_tree=%ff")
	f.Add(uint8(10), "resources=VCPU:1,VCPU:2")
	f.Add(uint8(25), "resources1=PGPU:1&required1=OWNER_CYBORG&member_of1=in:"+aggregateA+"&group_policy=isolate&limit=9")
	f.Add(uint8(36), "resources_F=FPGA:1&required_N=HW_NUMA_ROOT&same_subtree=_N,_F&root_required=!COMPUTE_NODE&group_policy=none")
	s, a := newAPI(f, placementtest.WithSearchSteps(100_000))
	a.load(workedTree(f))
	f.Fuzz(func(t *testing.T, minor uint8, query string) {
		w := asked{method: http.MethodGet, path: "/allocation_candidates", query: query, version: minorVersion(minor)}.ask(t, s)
		want := []int{http.StatusOK, http.StatusBadRequest, http.StatusInternalServerError} // the last for want of steps
		if minor%40 < 10 {
			want = []int{http.StatusNotFound, http.StatusBadRequest}
		}
		require.Contains(t, want, w.Code, "%s", w.Body)
	})
}

// FuzzFilters asks lists and usages with any filter, in any microversion.
func FuzzFilters(f *testing.F) {
	paths := []string{"/resource_providers", "/traits", "/usages", "/resource_classes"}
	f.Add(uint8(0), uint8(39), "name=x&uuid="+providerP+"&in_tree="+providerP+"&member_of=!in:"+aggregateA+"&required=in:A,B&resources=PGPU:1")
	f.Add(uint8(0), uint8(18), "required=OWNER_CYBORG&resources=PGPU:1,VCPU:+2&member_of="+aggregateA)
	f.Add(uint8(1), uint8(6), "name=startswith:CUSTOM_&associated=TrUe")
	f.Add(uint8(1), uint8(39), "name=in:A,B,&associated=false")
	f.Add(uint8(2), uint8(38), "project_id=p&user_id=u&consumer_type=all")
	f.Add(uint8(2), uint8(9), "project_id=%ff&user_id=")
	s, a := newAPI(f)
	a.load(workedTree(f))
	f.Fuzz(func(t *testing.T, which, minor uint8, query string) {
		w := asked{method: http.MethodGet, path: paths[int(which)%len(paths)], query: query, version: minorVersion(minor)}.ask(t, s)
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound}, w.Code, "%s", w.Body)
	})
}

// FuzzHeaders sends any microversion and any Accept header. An answer that is no refusal names the version that it is of.
func FuzzHeaders(f *testing.F) {
	for _, version := range []string{"", "placement 1.39", "placement latest", "compute 2.1, placement 1.5", "placement 1.x", "placement  01 . 7 "} {
		for _, accept := range []string{"", "*/*", "text/html", "text/plain;q=0.1, application/json;q=.5", "application/*;q=x", ";;,,"} {
			f.Add(version, accept)
		}
	}
	f.Add("placement 1.99999999999999999999", "application/json;q=NaN")
	f.Add("placement 1.-1", "a/b;q=-1")
	s, a := newAPI(f)
	a.load(workedTree(f))
	f.Fuzz(func(t *testing.T, version, accept string) {
		w := asked{method: http.MethodGet, path: "/resource_providers", version: version, accept: accept}.ask(t, s)
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest, http.StatusNotAcceptable}, w.Code, "%s", w.Body)
		if w.Code == http.StatusOK {
			require.Regexp(t, `^placement 1\.[0-9]{1,2}$`, w.Header().Get("Openstack-Api-Version"))
			require.Equal(t, "application/json", w.Header().Get("Content-Type"))
		}
	})
}

// writes are the requests that take a body.
var writes = []struct{ method, path string }{
	{http.MethodPut, "/resource_providers/" + providerP + "/inventories"},
	{http.MethodPut, "/resource_providers/" + providerP + "/traits"},
	{http.MethodPut, "/allocations/" + consumerX},
	{http.MethodPost, "/reshaper"},
	{http.MethodPost, "/allocations"},
	{http.MethodPost, "/resource_providers"},
	{http.MethodPut, "/resource_providers/" + providerP + "/aggregates"},
	{http.MethodPost, "/resource_classes"},
	{http.MethodPut, "/resource_providers/" + providerP},
	{http.MethodPost, "/resource_providers/" + providerP + "/inventories"},
	{http.MethodPut, "/resource_providers/" + providerP + "/inventories/PGPU"},
	{http.MethodPut, "/resource_classes/CUSTOM_A"},
}

// FuzzBody feeds the bodies of the writes, in any microversion. A refused write moves no generation and takes nothing.
func FuzzBody(f *testing.F) {
	give := `{"allocations":{"` + providerP + `":{"resources":{"PGPU":1}}},"project_id":"p","user_id":"u"`
	f.Add(uint8(0), uint8(39), `{"resource_provider_generation":1,"inventories":{"PGPU":{"total":2.0,"allocation_ratio":1e3}}}`)
	f.Add(uint8(0), uint8(25), `{"resource_provider_generation":1e0,"inventories":{"PGPU":{"total":2,"reserved":2}}}`)
	f.Add(uint8(1), uint8(39), `{"resource_provider_generation":1,"traits":["OWNER_NOVA"]}`)
	f.Add(uint8(2), uint8(0), `{"allocations":[{"resource_provider":{"uuid":"`+providerP+`"},"resources":{"PGPU":1}}]}`)
	f.Add(uint8(2), uint8(12), give+`}`)
	f.Add(uint8(2), uint8(28), give+`,"consumer_generation":null}`)
	f.Add(uint8(2), uint8(39), give+`,"consumer_generation":null,"consumer_type":"X","mappings":{"":["`+providerP+`"]}}`)
	f.Add(uint8(3), uint8(30), `{"inventories":{"`+providerP+`":{"resource_provider_generation":1,"inventories":{}}},"allocations":{}}`)
	f.Add(uint8(4), uint8(13), `{"`+consumerX+`":`+give+`}}`)
	f.Add(uint8(5), uint8(14), `{"name":"x","uuid":"`+providerQ+`","parent_provider_uuid":"`+providerP+`"}`)
	f.Add(uint8(6), uint8(18), `["`+aggregateA+`"]`)
	f.Add(uint8(6), uint8(19), `{"aggregates":[],"resource_provider_generation":1}`)
	f.Add(uint8(7), uint8(2), `{"name":"CUSTOM_B"}`)
	f.Add(uint8(8), uint8(37), `{"name":"","parent_provider_uuid":null}`)
	f.Add(uint8(9), uint8(39), `{"resource_class":"VCPU","total":9}`)
	f.Add(uint8(10), uint8(26), `{"resource_provider_generation":1,"total":1,"reserved":1,"step_size":2147483647}`)
	f.Add(uint8(11), uint8(6), `{"name":"CUSTOM_B"}`)
	f.Fuzz(func(t *testing.T, which, minor uint8, body string) {
		s, a := newAPI(t)
		a.one(providerP, 4)
		a.must(http.MethodPut, "/resource_classes/CUSTOM_A", nil)
		before := a.generation(providerP)
		to := writes[int(which)%len(writes)]
		w := asked{method: to.method, path: to.path, body: body, version: minorVersion(minor)}.ask(t, s)
		if w.Code >= http.StatusBadRequest {
			require.Equal(t, before, a.generation(providerP))
			require.Zero(t, s.AllocationCount())
		}
	})
}
