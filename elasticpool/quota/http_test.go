package quota_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// call does one request over HTTP in memory.
func call(t *testing.T, s *quota.Server, method, path, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func TestHTTPReads(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	const juno = `{"queue":"juno","min":100,"max":400,"available":50,"used":0,"leased":0,"fair":50}`
	w := call(t, s, http.MethodGet, "/quota/JUNO", "")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.JSONEq(t, juno, w.Body.String())
	w = call(t, s, http.MethodGet, "/quota", "")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.JSONEq(t, `{"queues":[{"queue":"LHAASO","min":100,"max":400,"available":50,"used":20,"leased":0,"fair":70},`+juno+`]}`, w.Body.String())
}

func TestHTTPLease(t *testing.T) {
	t.Parallel()
	s, l := newServer(t)
	w := call(t, s, http.MethodPost, "/quota/juno/leases", `{"want":7,"class":"gpu","ttl_s":60}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body.String())
	var got quota.LeaseResponse
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
	assert.Equal(t, 7, got.Lease.Units)
	assert.Equal(t, "gpu", got.Lease.Class)
	assert.Equal(t, quota.Answer{Queue: "juno", Min: 100, Max: 400, Available: 7, Leased: 7, Fair: 50}, got.Quota)
	require.Len(t, l.Leases(), 1)

	location := w.Header().Get("Location")
	assert.Equal(t, "/quota/juno/leases/"+got.Lease.ID, location)
	w = call(t, s, http.MethodDelete, location, "")
	assert.JSONEq(t, `{"released":7}`, w.Body.String())
	assert.Equal(t, http.StatusNotFound, call(t, s, http.MethodDelete, location, "").Code)
	require.NoError(t, l.Observe(time.Now(), 1000, due(0, 0)))
	assert.Empty(t, l.Leases())
}

func TestHTTPQueueWithASlash(t *testing.T) {
	t.Parallel()
	l, err := quota.NewLedger([]quota.LedgerQueue{{Name: "group/juno 1%", Max: 5}}, nil)
	require.NoError(t, err)
	require.NoError(t, l.Observe(start, 10, map[string]quota.Usage{"group/juno 1%": {Fair: 5}}))
	s, err := quota.NewServer(l)
	require.NoError(t, err)
	w := call(t, s, http.MethodPost, "/quota/group%2Fjuno%201%25/leases", `{"want":2}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body.String())
	assert.Equal(t, http.StatusOK, call(t, s, http.MethodDelete, w.Header().Get("Location"), "").Code)
}

func TestHTTPProblems(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, quota.WithLimits(quota.Limits{MaxLine: 200}))
	tests := []struct {
		name, method, path, body string
		header                   []string
		status                   int
		detail                   string
	}{
		{"an unknown queue", http.MethodGet, "/quota/nobody", "", nil, 404, "no such queue"},
		{"a lease for an unknown queue", http.MethodPost, "/quota/nobody/leases", `{"want":1}`, nil, 404, "no such queue"},
		{"an unknown lease", http.MethodDelete, "/quota/juno/leases/x", "", nil, 404, "no such lease in force"},
		{"no JSON", http.MethodPost, "/quota/juno/leases", `want=1`, nil, 400, "not understood"},
		{"two values", http.MethodPost, "/quota/juno/leases", `{"want":1}{"want":1}`, nil, 400, "more than one"},
		{"a misspelt field", http.MethodPost, "/quota/juno/leases", `{"want":1,"TTL":5}`, nil, 400, "unknown field"},
		{"no need", http.MethodPost, "/quota/juno/leases", `{"want":0}`, nil, 400, "want has to be at least 1"},
		{"a long body", http.MethodPost, "/quota/juno/leases", `{"class":"` + strings.Repeat("x", 300) + `"}`, nil, 413, "too large"},
		{"a form of a web page", http.MethodPost, "/quota/juno/leases", `{"want":1}`, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"another method", http.MethodPut, "/quota/juno", "", nil, 405, "does not know PUT"},
		{"another path", http.MethodGet, "/quotas", "", nil, 404, "there is nothing at /quotas"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := call(t, s, tt.method, tt.path, tt.body, tt.header...)
			assert.Equal(t, tt.status, w.Code)
			assert.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
			var p quota.Problem
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
			assert.Equal(t, tt.status, p.Status)
			assert.Contains(t, p.Detail, tt.detail)
		})
	}
}

func TestHTTPNothingFree(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t)
	require.Equal(t, http.StatusCreated, call(t, s, http.MethodPost, "/quota/juno/leases", `{"want":50}`).Code)
	assert.Equal(t, http.StatusConflict, call(t, s, http.MethodPost, "/quota/juno/leases", `{"want":1}`).Code)
}

func TestHTTPToken(t *testing.T) {
	t.Parallel()
	s, _ := newServer(t, quota.WithToken("s3cret"))
	for _, header := range []string{"", "Bearer", "Bearer other", "Basic s3cret", "s3cret"} {
		w := call(t, s, http.MethodGet, "/quota", "", "Authorization", header)
		assert.Equal(t, http.StatusUnauthorized, w.Code, header)
		assert.Equal(t, "Bearer", w.Header().Get("WWW-Authenticate"))
		assert.NotContains(t, w.Body.String(), "s3cret")
	}
	assert.Equal(t, http.StatusOK, call(t, s, http.MethodGet, "/quota", "", "Authorization", "bearer s3cret").Code)
}

func TestHTTPBrokenJournal(t *testing.T) {
	t.Parallel()
	var broken error
	l, err := quota.NewLedger(slides(), func(quota.Event) error { return broken })
	require.NoError(t, err)
	require.NoError(t, l.Observe(start, 9, due(0, 0)))
	s, err := quota.NewServer(l)
	require.NoError(t, err)
	broken = errors.New("disk full")
	assert.Equal(t, http.StatusServiceUnavailable, call(t, s, http.MethodPost, "/quota/juno/leases", `{"want":1}`).Code)
}
