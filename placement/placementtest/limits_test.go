package placementtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// patience is a context that ends after it has been looked at so many times.
type patience struct {
	context.Context
	looks atomic.Int64
}

func (p *patience) Err() error {
	if p.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// classesOfMany are what each of the twelve providers below one root of manyTree has.
var classesOfMany = strings.Split("VCPU,PCPU,MEMORY_MB,DISK_GB,PGPU,VGPU,NUMA_CORE,NUMA_THREAD", ",")

// manyTree has twelve equal providers below a root, and two that have FPGAs, each with a trait of its own.
func manyTree() treeFile {
	root := "00000000-0000-4000-8000-000000000000"
	f := treeFile{Providers: []treeProvider{{UUID: root, Name: "root"}}}
	for i := range 14 {
		p := treeProvider{UUID: fmt.Sprintf("00000000-0000-4000-8000-0000000000%02d", i+1), Parent: &root, Inventories: map[string]obj{}}
		p.Name = p.UUID
		for _, class := range classesOfMany {
			p.Inventories[class] = obj{"total": 100}
		}
		if i >= 12 {
			p.Inventories = map[string]obj{"FPGA": {"total": 100}}
			p.Traits = []string{fmt.Sprintf("CUSTOM_FPGA_%d", i-12)}
		}
		f.Providers = append(f.Providers, p)
	}
	return f
}

// TestSearchIsBounded asks questions whose naive answer takes longer than anybody lives. A dead end that shows early ends the
// search at once; any other walk ends when its caller has gone, so that no writer waits for it.
func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	s, a := newAPI(t)
	a.load(manyTree())
	plain := "resources=FPGA:1," + strings.Join(classesOfMany, ":1,") + ":1"
	last := "resources=" + strings.Join(classesOfMany, ":1,") + ":1,FPGA:1"
	twelve := groups(12)
	for _, test := range []struct {
		name, query string
		status      int
	}{
		{"a trait that nobody has", plain + "&required=HW_CPU_X86_VMX", http.StatusOK},
		{"two traits of one class, known early", plain + "&required=CUSTOM_FPGA_0,CUSTOM_FPGA_1", http.StatusOK},
		{"two traits of one class, known late", last + "&required=CUSTOM_FPGA_0,CUSTOM_FPGA_1", http.StatusServiceUnavailable},
		{"siblings in a subtree", "resources_X=FPGA:1&same_subtree=_0,_X&group_policy=none" + twelve, http.StatusOK},
		{"siblings in a subtree, last", "same_subtree=_X,_11&group_policy=none" + twelve + "&resources_X=FPGA:1", http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx := &patience{Context: t.Context()}
			ctx.looks.Store(100)
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/allocation_candidates?limit=1&"+test.query, nil)
			r.Header.Set("Openstack-Api-Version", "placement 1.39")
			r.Header.Set("X-Auth-Token", "admin")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			require.Equal(t, test.status, w.Code, "%s", w.Body)
			if test.status == http.StatusOK {
				var got obj
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
				require.Empty(t, items(t, got["allocation_requests"]))
			}
		})
	}
}

// TestSearchBudget asks questions that an unhurried caller would wait for: one without any answer, and ones with more answers than
// memory holds. Each ends with a refusal that names the option; a question with a limit is answered.
func TestSearchBudget(t *testing.T) {
	t.Parallel()
	twelve := groups(12)
	everything := "resources=" + strings.Join(classesOfMany, ":1,") + ":1,FPGA:1"
	for _, test := range []struct {
		name, query string
		enough      bool
	}{
		{"no answer", everything + "&required=CUSTOM_FPGA_0,CUSTOM_FPGA_1", false},
		{"many answers of the plain group", everything, false},
		{"many answers of groups", "group_policy=none" + twelve, false},
		{"many answers that take turns", "group_policy=isolate" + twelve, false},
		{"so many groups that they cannot be combined", "group_policy=none&limit=1" + groups(20_000), false},
		{"the group before ends the search", everything + "&required=CUSTOM_FPGA_0,CUSTOM_FPGA_1&resources_1=CUSTOM_NO:1", false},
		{"a limit", everything + "&limit=100" + twelve + "&group_policy=isolate", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, a := newAPI(t, placementtest.WithSearchSteps(300_000))
			a.load(manyTree())
			got := a.do(http.MethodGet, "/allocation_candidates?"+test.query, nil)
			if test.enough {
				require.Len(t, items(t, got.json["allocation_requests"]), 100)
				return
			}
			require.Equal(t, http.StatusInternalServerError, got.status, "%d bytes", len(got.raw))
			require.Equal(t, codeNone, got.code(t))
			require.Contains(t, got.refused(t)["detail"], "after 300000 steps: ask for fewer groups or set a limit; the option WithSearchSteps")
			require.Zero(t, s.AllocationCount())
		})
	}
}

// meddler is a context that makes a claim while a search looks at it.
type meddler struct {
	context.Context
	looks, after int
	meddle       func()
}

func (m *meddler) Err() error {
	if m.looks++; m.looks == m.after {
		m.meddle()
	}
	return nil
}

// TestClaimDoesNotWaitForASearch claims in the middle of a long search. The search, which began before, does not see the claim.
func TestClaimDoesNotWaitForASearch(t *testing.T) {
	t.Parallel()
	s, a := newAPI(t)
	a.load(manyTree())
	rp := "00000000-0000-4000-8000-000000000001"
	claim := obj{
		"allocations": obj{rp: obj{"resources": obj{"PGPU": 100}}}, "project_id": "p", "user_id": "u",
		"consumer_generation": nil, "consumer_type": "INSTANCE",
	}
	claimed := make(chan int, 1)
	ctx := &meddler{Context: t.Context(), after: 300, meddle: func() {
		go func() { claimed <- a.do(http.MethodPut, "/allocations/"+consumerX, claim).status }()
		select {
		case status := <-claimed:
			claimed <- status
		case <-time.After(10 * time.Second):
		}
	}}
	const question = "/allocation_candidates?group_policy=none&resources_1=PGPU:1&resources_2=VGPU:1&resources_3=VCPU:1&resources_4=PCPU:1"
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, question, nil)
	r.Header.Set("Openstack-Api-Version", "placement 1.39")
	r.Header.Set("X-Auth-Token", "admin")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
	require.Greater(t, ctx.looks, ctx.after, "the search is too short for the claim")
	require.Len(t, claimed, 1, "the claim waited for the search")
	require.Equal(t, http.StatusNoContent, <-claimed)
	require.Equal(t, int64(100), s.Used(rp, "PGPU"))
	require.Equal(t, 12*12*12*12, strings.Count(w.Body.String(), `{"allocations":`))
	var got obj
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
	stock := object(t, object(t, object(t, object(t, got["provider_summaries"])[rp])["resources"])["PGPU"])
	require.Equal(t, obj{"capacity": 100.0, "used": 0.0}, stock)
}

// groups asks for so many groups of one PGPU.
func groups(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "&resources_%d=PGPU:1", i)
	}
	return b.String()
}

// endless is a body without an end that counts what is read of it.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read.Add(int64(len(p)))
	return len(p), nil
}

// TestBodyIsBounded sends bodies without an end: they are refused, and only a caller who may write has any of it read.
func TestBodyIsBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method, path, token string
		length                    int64
		status                    int
		most                      int64
	}{
		{"no length", http.MethodPost, "/resource_providers", "admin", -1, http.StatusRequestEntityTooLarge, 32 << 20},
		{"a length", http.MethodPost, "/resource_providers", "admin", 1 << 40, http.StatusRequestEntityTooLarge, 0},
		{"no such path", http.MethodPost, "/nope", "admin", -1, http.StatusNotFound, 0},
		{"no such method", http.MethodPatch, "/resource_providers", "admin", -1, http.StatusMethodNotAllowed, 0},
		{"no role", http.MethodPost, "/resource_providers", "nobody", -1, http.StatusForbidden, 0},
		{"no body wanted", http.MethodGet, "/resource_providers", "admin", -1, http.StatusOK, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := placementtest.New()
			require.NoError(t, err)
			body := &endless{}
			r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, body)
			r.ContentLength = test.length
			r.Header.Set("Openstack-Api-Version", "placement 1.39")
			r.Header.Set("X-Auth-Token", test.token)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			require.Equal(t, test.status, w.Code, "%s", w.Body)
			require.LessOrEqual(t, body.read.Load(), test.most)
			if test.status >= http.StatusBadRequest {
				require.Contains(t, w.Body.String(), `"code":`)
			}
		})
	}
}

// TestTransportBodyIsBounded does the same in process, where the transport reads the body.
func TestTransportBodyIsBounded(t *testing.T) {
	t.Parallel()
	_, a := newAPI(t)
	body := &endless{}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.base+"/resource_providers", body)
	require.NoError(t, err)
	r.Header.Set("X-Auth-Token", a.token)
	r.Header.Set("OpenStack-API-Version", "placement 1.39")
	r.Header.Set("Content-Type", "application/json")
	got := a.send(r)
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
	require.Equal(t, codeNone, got.code(t))
	require.LessOrEqual(t, body.read.Load(), int64(32<<20))
}
