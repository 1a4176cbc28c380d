package placementtest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

func TestVersionHeader(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, header, want string
		status             int
	}{
		{"none", "", "placement 1.0", 200},
		{"number", "placement 1.20", "placement 1.20", 200},
		{"latest", "placement latest", "placement 1.32", 200},
		{"another service", "compute 2.1", "placement 1.0", 200},
		{"last of several", "compute 2.1, placement 1.5, placement 1.6", "placement 1.6", 200},
		{"too new", "placement 1.33", "", 406},
		{"no such major", "placement 2.0", "", 406},
		{"no number", "placement 1.x", "", 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, a := newAPI(t, placementtest.WithMaxVersion("1.32"))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.base+"/resource_providers", nil)
			require.NoError(t, err)
			r.Header.Set("X-Auth-Token", "admin")
			if test.header != "" {
				r.Header.Set("OpenStack-API-Version", test.header)
			}
			got := a.send(r)
			require.Equal(t, test.status, got.status)
			require.Equal(t, test.want, got.header.Get("OpenStack-API-Version"))
			if test.status == http.StatusNotAcceptable {
				item := got.refused(t)
				require.Equal(t, "1.32", item["max_version"])
				require.Equal(t, "1.0", item["min_version"])
				require.NotContains(t, item, "code")
			}
		})
	}
}

func TestAuth(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	for _, test := range []struct {
		name, token, path string
		status            int
	}{
		{"root without token", "", "/", 200},
		{"no token", "", "/resource_providers", 401},
		{"no role", "somebody", "/resource_providers", 403},
		{"admin", "admin", "/resource_providers", 200},
		{"admin of a project", "admin:demo", "/resource_providers", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			caller := a.in(t)
			caller.token = test.token
			require.Equal(t, test.status, caller.do(http.MethodGet, test.path, nil).status)
		})
	}
	reshape := obj{"inventories": obj{providerP: obj{"resource_provider_generation": 0, "inventories": obj{}}}, "allocations": obj{}}
	require.Equal(t, http.StatusForbidden, a.do(http.MethodPost, "/reshaper", reshape).status, "an admin may not reshape")
	_, open := newAPI(t, placementtest.WithoutAuth())
	open.token = ""
	require.Equal(t, "placement.resource_provider.not_found", open.do(http.MethodPost, "/reshaper", reshape).code(t))
}

// TestRefusals goes through errors that many handlers share, with their codes.
func TestRefusals(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	a.one(providerP, 2)
	a.must(http.MethodPost, "/resource_providers", obj{"uuid": providerQ, "name": "child", "parent_provider_uuid": providerP})
	a.must(http.MethodPut, "/allocations/"+consumerX, give(nil, map[string]int{providerP: 1}))
	inventories := "/resource_providers/" + providerP + "/inventories"
	for _, test := range []struct {
		name, version, method, path string
		body                        any
		status                      int
		code                        string
	}{
		{"unknown path", "", "GET", "/nope", nil, 404, codeNone},
		{"wrong method", "", "PATCH", "/resource_providers", nil, 405, codeNone},
		{"too old for DELETE inventories", "1.4", "DELETE", inventories, nil, 405, ""},
		{"too old for traits", "1.5", "GET", "/traits", nil, 404, ""},
		{"unknown provider", "", "GET", "/resource_providers/nope", nil, 404, codeNone},
		{"malformed body", "", "POST", "/resource_providers", "{", 400, codeNone},
		{"trailing data", "", "POST", "/resource_providers", `{"name":"x"} {}`, 400, codeNone},
		{"extra key", "", "POST", "/resource_providers", obj{"name": "x", "more": 1}, 400, codeNone},
		{"name taken", "", "POST", "/resource_providers", obj{"name": "child"}, 409, "placement.duplicate_name"},
		{"no such parent", "", "POST", "/resource_providers", obj{"name": "x", "parent_provider_uuid": consumerX}, 400, codeNone},
		{"loop", "", "PUT", "/resource_providers/" + providerP, obj{"name": "x", "parent_provider_uuid": providerQ}, 400, codeNone},
		{"un-parent early", "1.36", "PUT", "/resource_providers/" + providerQ, obj{"name": "x", "parent_provider_uuid": nil}, 400, codeNone},
		{"has children", "", "DELETE", "/resource_providers/" + providerP, nil, 409, "placement.resource_provider.cannot_delete_parent"},
		{"stale", "", "PUT", inventories, obj{"resource_provider_generation": 9, "inventories": obj{}}, 409, codeStale},
		{"in use", "", "PUT", inventories, obj{"resource_provider_generation": 2, "inventories": obj{}}, 409, "placement.inventory.inuse"},
		{"in use, all", "", "DELETE", inventories, nil, 409, "placement.inventory.inuse"},
		{"in use, one", "", "DELETE", inventories + "/PGPU", nil, 409, codeStale},
		{"class there already", "", "POST", inventories, obj{"resource_class": "PGPU", "total": 1}, 409, codeStale},
		{"lower-case class", "", "PUT", inventories, obj{"resource_provider_generation": 2, "inventories": obj{"pgpu": obj{"total": 1}}}, 400, codeNone},
		{"bool is no integer", "", "POST", inventories, obj{"resource_class": "FPGA", "total": true}, 400, codeNone},
		{"text is no integer", "", "POST", inventories, obj{"resource_class": "FPGA", "total": "2"}, 400, codeNone},
		{"all reserved, early", "1.25", "POST", inventories, obj{"resource_class": "FPGA", "total": 1, "reserved": 1}, 400, codeNone},
		{"more than all reserved", "", "POST", inventories, obj{"resource_class": "FPGA", "total": 1, "reserved": 2}, 400, codeNone},
		{"standard trait", "", "PUT", "/traits/HW_NEW", nil, 400, codeNone},
		{"standard class", "", "DELETE", "/resource_classes/VCPU", nil, 400, codeNone},
		{"consumer is no uuid", "", "PUT", "/allocations/nope", give(nil, nil), 400, codeNone},
		{"project needed", "", "GET", "/usages", nil, 400, codeNone},
		{"root twice", "", "GET", "/allocation_candidates?resources=VCPU:1&root_required=A&root_required=B", nil, 400, "placement.query.duplicate_key"},
		{"root conflict", "", "GET", "/allocation_candidates?resources=VCPU:1&root_required=A,!A", nil, 400, "placement.query.bad_value"},
		{"no resources", "", "GET", "/allocation_candidates?required_A=X&same_subtree=_A", nil, 400, "placement.query.missing_value"},
		{"loose group", "", "GET", "/allocation_candidates?resources=VCPU:1&required_A=X", nil, 400, "placement.query.bad_value"},
		{"policy needed", "", "GET", "/allocation_candidates?resources1=VCPU:1&resources2=VCPU:1", nil, 400, codeNone},
		{"required and forbidden", "", "GET", "/allocation_candidates?resources=VCPU:1&required=A,!A", nil, 400, codeNone},
		{"no limit", "", "GET", "/allocation_candidates?resources=VCPU:1&limit=0", nil, 400, codeNone},
		{"parameter of a later version", "1.34", "GET", "/allocation_candidates?resources=VCPU:1&root_required=A", nil, 400, codeNone},
		{"suffix of a later version", "1.32", "GET", "/allocation_candidates?resources_A=VCPU:1", nil, 400, codeNone},
		{"trait list without colon", "", "GET", "/traits?name=X", nil, 400, codeNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := a.in(t).at(orLatest(test.version)).do(test.method, test.path, test.body)
			require.Equal(t, test.status, got.status, "%s", got.raw)
			require.Equal(t, test.code, got.code(t), "%s", got.raw)
			require.Equal(t, http.StatusText(test.status), got.refused(t)["title"])
			require.NotEmpty(t, got.header.Get("X-Openstack-Request-Id"))
			if test.status == http.StatusMethodNotAllowed && test.method == "PATCH" {
				require.Equal(t, "GET, POST", got.header.Get("Allow"))
			}
		})
	}
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	for _, test := range []struct {
		name, method, contentType, accept string
		status                            int
		form                              string
	}{
		{"no content type", "POST", "", "", 400, "application/json"},
		{"another content type", "POST", "text/plain", "", 415, "application/json"},
		{"a parameter", "POST", "application/json; charset=utf-8", "", 200, "application/json"},
		{"not JSON", "GET", "", "text/plain", 406, "text/plain; charset=UTF-8"},
		{"HTML", "GET", "", "text/html", 406, "text/html; charset=UTF-8"},
		{"anything", "GET", "", "text/html, */*;q=0.1", 200, "application/json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), test.method, a.base+"/resource_providers", nil)
			require.NoError(t, err)
			if test.method == http.MethodPost {
				r, err = http.NewRequestWithContext(t.Context(), test.method, a.base+"/resource_providers", strings.NewReader(`{"name":"x"}`))
				require.NoError(t, err)
			}
			r.Header.Set("X-Auth-Token", "admin")
			r.Header.Set("OpenStack-API-Version", "placement 1.39")
			if test.contentType != "" {
				r.Header.Set("Content-Type", test.contentType)
			}
			if test.accept != "" {
				r.Header.Set("Accept", test.accept)
			}
			got := a.send(r)
			require.Equal(t, test.status, got.status, "%s", got.raw)
			require.Equal(t, test.form, got.header.Get("Content-Type"))
		})
	}
}

func TestPrefixAndSockets(t *testing.T) {
	t.Parallel()
	s := placementtest.Start(t, placementtest.WithPrefix("/placement"))
	a := api{t: t, client: &http.Client{}, base: s.URL(), token: "admin", version: "1.39"}
	t.Cleanup(a.client.CloseIdleConnections)
	require.Equal(t, http.StatusOK, a.do(http.MethodGet, "/", nil).status)
	require.Equal(t, http.StatusOK, a.do(http.MethodGet, "", nil).status)
	made := a.must(http.MethodPost, "/resource_providers", obj{"uuid": providerP, "name": "x"})
	require.Equal(t, s.URL()+"/resource_providers/"+providerP, made.header.Get("Location"))
	require.Contains(t, string(made.raw), `"/placement/resource_providers/`+providerP+`/inventories"`)
	require.Equal(t, "no-cache", made.header.Get("Cache-Control"))
	require.NotEmpty(t, made.header.Get("Last-Modified"))
	require.ErrorIs(t, s.Listen("127.0.0.1:0"), placementtest.ErrListening)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		opt  placementtest.Option
	}{
		{"too new", placementtest.WithMaxVersion("1.40")},
		{"no number", placementtest.WithMaxVersion("latest")},
		{"no slash", placementtest.WithPrefix("placement")},
		{"slash at the end", placementtest.WithPrefix("/placement/")},
		{"no steps", placementtest.WithSearchSteps(0)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := placementtest.New(test.opt)
			require.ErrorIs(t, err, placementtest.ErrOption)
		})
	}
	s, err := placementtest.New()
	require.NoError(t, err)
	require.ErrorIs(t, s.Listen("0.0.0.0:0"), placementtest.ErrNotLoopback)
	require.Error(t, s.Listen("nonsense"))
}

// TestTransportInBubble shows that the transport needs no sockets and honours the caller's deadline.
func TestTransportInBubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a := newAPI(t)
		time.Sleep(time.Hour)
		require.Equal(t, http.StatusOK, a.do(http.MethodGet, "/resource_providers", nil).status)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+"/", nil)
		require.NoError(t, err)
		_, err = a.client.Do(r) //nolint:bodyclose // there is no response
		require.ErrorIs(t, err, context.Canceled)
	})
}
