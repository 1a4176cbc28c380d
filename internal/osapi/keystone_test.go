package osapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// keystone is the smallest Keystone that gophercloud logs in to.
type keystone struct {
	url     string
	catalog []map[string]any
	delay   time.Duration // of the next logins
	expires string        // end of the next tokens
	lose    int           // that many logins get no answer

	mu     sync.Mutex
	logins []string // bodies of POST auth/tokens
}

func (k *keystone) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.Method + " " + strings.TrimSuffix(r.URL.Path, "/") {
	case "GET ":
		w.WriteHeader(http.StatusMultipleChoices)
		_, _ = fmt.Fprintf(w, `{"versions": {"values": [{"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": "%s/v3/"}]}]}}`, k.url)
	case "POST /v3/auth/tokens":
		body, _ := io.ReadAll(r.Body)
		time.Sleep(k.delay)
		k.mu.Lock()
		k.logins = append(k.logins, string(body))
		token, lost := fmt.Sprintf("token-%d", len(k.logins)), len(k.logins) <= k.lose
		k.mu.Unlock()
		if lost {
			panic(http.ErrAbortHandler) // the connection ends
		}
		w.Header().Set("X-Subject-Token", token)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"expires_at": cmp.Or(k.expires, "2100-01-01T00:00:00.000000Z"), "catalog": k.catalog,
		}})
	default:
		http.NotFound(w, r)
	}
}

func (k *keystone) loginCount() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.logins)
}

func (k *keystone) lastLogin(t *testing.T) string {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	require.NotEmpty(t, k.logins, "nobody logged in")
	return k.logins[len(k.logins)-1]
}

// addEndpoint puts an endpoint into the catalog.
func (k *keystone) addEndpoint(service, iface, region, url string) {
	k.catalog = append(k.catalog, map[string]any{
		"type": service, "name": service,
		"endpoints": []map[string]any{{"interface": iface, "region": region, "region_id": region, "url": url}},
	})
}

func startKeystone(t *testing.T) *keystone {
	t.Helper()
	k := new(keystone)
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)
	k.url = server.URL
	return k
}

// startService serves the handler over HTTP.
func startService(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// inMemory calls the handler in a goroutine, without sockets, and honours the
// request's context.
type inMemory struct{ handler http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	done := make(chan *http.Response, 1)
	go func() {
		recorder := httptest.NewRecorder()
		m.handler.ServeHTTP(recorder, r)
		resp := recorder.Result()
		resp.Request = r
		done <- resp
	}()
	select {
	case resp := <-done:
		return resp, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// recorder counts requests and keeps their bodies.
type recorder struct {
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
}

func (c *recorder) record(t *testing.T, r *http.Request) int {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("read the body of a request: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, string(body))
	c.heads = append(c.heads, r.Header.Clone())
	return len(c.bodies)
}

func (c *recorder) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.bodies)
}
