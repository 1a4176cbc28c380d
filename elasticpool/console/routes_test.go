package console_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

// ask sends a request to a handler, with headers as name, value, name, value.
func ask(t *testing.T, handler http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+target, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func title(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var p console.Problem
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p), w.Body.String())
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	return p.Title
}

// TestRoutes: every route answers with its kind, and browsers are told to keep, frame and load nothing of others.
func TestRoutes(t *testing.T) {
	t.Parallel()
	c, _ := shown(t)
	for _, test := range []struct {
		method, target, kind, body string
		status                     int
	}{
		{"GET", "/", "text/html; charset=utf-8", "page.js", 200},
		{"GET", "/page.js", "text/javascript; charset=utf-8", "use strict", 200},
		{"GET", "/page.css", "text/css; charset=utf-8", "body", 200},
		{"GET", "/api/status", "application/json", `"pool":"physics"`, 200},
		{"GET", "/api/history", "application/json", `"states":{"building":1,"joined":1}`, 200},
		{"GET", "/api/explain?what=lhaaso", "application/json", "VMs are on their way", 200},
		{"GET", "/api/explain?what=nobody", "application/json", "there is no such queue", 404},
		{"GET", "/api/explain", "application/json", "say what", 400},
		{"GET", "/api/explain?what=" + strings.Repeat("a", 1025), "application/json", "say what", 400},
		{"GET", "/metrics", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "elasticpool_frozen 0", 200},
		{"GET", "/healthz", "application/json", `"ok":true`, 200},
		{"GET", "/nothing", "application/json", "there is nothing at /nothing", 404},
		{"GET", "/static/page.js", "application/json", "there is nothing", 404},
		{"POST", "/api/status", "application/json", "/api/status does not know POST", 405},
		{"GET", "/api/commands", "application/json", "does not know GET", 405},
	} {
		t.Run(test.method+" "+test.target[:min(len(test.target), 40)], func(t *testing.T) {
			t.Parallel()
			w := ask(t, c.Handler(), test.method, test.target, "")
			assert.Equal(t, test.status, w.Code)
			assert.Equal(t, test.kind, w.Header().Get("Content-Type"))
			assert.Contains(t, w.Body.String(), test.body)
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			assert.Equal(t, "DENY", w.Header().Get("X-Frame-Options"))
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			assert.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'self'")
			assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
		})
	}
}

// TestStatusIsThePools: nothing is lost on the way.
func TestStatusIsThePools(t *testing.T) {
	t.Parallel()
	c, p := shown(t)
	var got elasticpool.Status
	require.NoError(t, json.Unmarshal(ask(t, c.Handler(), "GET", "/api/status", "").Body.Bytes(), &got))
	assert.Empty(t, cmp.Diff(p.status, got))
}

// TestBeforeThereIsAPool: a console that listens before its pool is there says so.
func TestBeforeThereIsAPool(t *testing.T) {
	t.Parallel()
	c, err := console.New(policy(), console.WithToken("t"))
	require.NoError(t, err)
	h := c.Trusted()
	for _, target := range []string{"/api/status", "/api/explain?what=x"} {
		w := ask(t, h, "GET", target, "")
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.Equal(t, "the pool is starting", title(t, w))
	}
	assert.Equal(t, http.StatusServiceUnavailable, ask(t, h, "POST", "/api/commands", `{"kind":"freeze"}`, "Content-Type", "application/json").Code)
	assert.Equal(t, "[]\n", ask(t, h, "GET", "/api/history", "").Body.String())
	assert.Equal(t, http.StatusOK, ask(t, h, "GET", "/", "").Code)
	assert.NotContains(t, ask(t, h, "GET", "/metrics", "").Body.String(), "elasticpool_frozen")

	w := ask(t, h, "GET", "/healthz", "")
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	c.Show(&pool{})
	w = ask(t, h, "GET", "/healthz", "")
	assert.Equal(t, http.StatusServiceUnavailable, w.Code, "there was no cycle yet")
	assert.JSONEq(t, `{"ok":false,"last_cycle_s":-1,"error":"the pool is starting"}`, w.Body.String())
	c.Observe(elasticpool.Input{}, elasticpool.Decision{})
	assert.Equal(t, http.StatusOK, ask(t, h, "GET", "/healthz", "").Code)
}

// TestHealth: cycles that fail, or that do not end, are told.
func TestHealth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, p := shown(t)
		time.Sleep(149 * time.Second)
		assert.Equal(t, http.StatusOK, ask(t, c.Handler(), "GET", "/healthz", "").Code)
		time.Sleep(time.Second)
		w := ask(t, c.Handler(), "GET", "/healthz", "")
		assert.Equal(t, http.StatusServiceUnavailable, w.Code, "ten cycles' time without a cycle")
		assert.JSONEq(t, `{"ok":false,"last_cycle_s":150}`, w.Body.String())
		c.Observe(input(), decision())
		p.status.Error = "disk full"
		w = ask(t, c.Handler(), "GET", "/healthz", "")
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.JSONEq(t, `{"ok":false,"last_cycle_s":0,"error":"disk full"}`, w.Body.String())
	})
}

// TestCommands: who may command, what is a command, and what is answered when the pool refuses one.
func TestCommands(t *testing.T) {
	t.Parallel()
	const freeze, plain = `{"kind":"freeze","by":"ann"}`, "application/json"
	quiet := console.WithLogger(slog.New(slog.DiscardHandler))
	for _, test := range []struct {
		name, token, body, want string
		headers                 []string
		refuses                 error
		status                  int
		trusted                 bool
	}{
		{name: "with the token", token: "s3cret", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "Bearer s3cret"}, status: 202},
		{name: "in any case of the scheme", token: "s3cret", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "bearer s3cret"}, status: 202},
		{name: "with a character set", token: "s3cret", body: freeze, headers: []string{"Content-Type", "application/json; charset=utf-8", "Authorization", "Bearer s3cret"}, status: 202},
		{name: "from the page itself", token: "s3cret", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "Bearer s3cret", "Origin", "http://localhost"}, status: 202},
		{name: "through the socket", body: freeze, headers: []string{"Content-Type", plain}, trusted: true, status: 202},
		{name: "no token", token: "s3cret", body: freeze, headers: []string{"Content-Type", plain}, status: 401, want: "may not command"},
		{name: "another token", token: "s3cret", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "Bearer s3cre"}, status: 401, want: "may not command"},
		{name: "the token as a password", token: "s3cret", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "Basic s3cret"}, status: 401, want: "may not command"},
		{name: "no token is set", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "Bearer "}, status: 403, want: "no token is configured"},
		{name: "what stands for trust is no token", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "Bearer \x00"}, status: 403, want: "no token is configured"},
		{name: "a form", token: "s3cret", body: "kind=freeze", headers: []string{"Content-Type", "application/x-www-form-urlencoded", "Authorization", "Bearer s3cret"}, status: 415, want: "application/json"},
		{name: "a form that looks like JSON", body: freeze, headers: []string{"Content-Type", "text/plain"}, trusted: true, status: 415, want: "application/json"},
		{name: "no kind", body: freeze, trusted: true, status: 415, want: "application/json"},
		{name: "from another site", token: "s3cret", body: freeze, headers: []string{"Content-Type", plain, "Authorization", "Bearer s3cret", "Origin", "http://evil.example"}, status: 403, want: "other sites"},
		{name: "from a file", body: freeze, headers: []string{"Content-Type", plain, "Origin", "null"}, trusted: true, status: 403, want: "other sites"},
		{name: "no JSON", body: "freeze", headers: []string{"Content-Type", plain}, trusted: true, status: 400, want: "not a command"},
		{name: "a misspelt key", body: `{"kind":"drain","klass":"small"}`, headers: []string{"Content-Type", plain}, trusted: true, status: 400, want: `unknown field "klass"`},
		{name: "two commands", body: freeze + freeze, headers: []string{"Content-Type", plain}, trusted: true, status: 400, want: "more than one command"},
		{name: "too long", body: `{"why":"` + strings.Repeat("a", 64<<10) + `"}`, headers: []string{"Content-Type", plain}, trusted: true, status: 413},
		{name: "the pool refuses it", body: freeze, headers: []string{"Content-Type", plain}, trusted: true, refuses: errors.New("there is no queue x"), status: 400, want: "there is no queue x"},
		{name: "the pool has ended", body: freeze, headers: []string{"Content-Type", plain}, trusted: true, refuses: elasticpool.ErrPoolClosed, status: 503, want: "closed"},
		{name: "the disk is full", body: freeze, headers: []string{"Content-Type", plain}, trusted: true, refuses: &fs.PathError{Op: "write", Path: "journal", Err: errors.New("no space")}, status: 500, want: "no space"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := []console.Option{quiet}
			if test.token != "" {
				opts = append(opts, console.WithToken(test.token))
			}
			c, p := shown(t, opts...)
			p.refuses = test.refuses
			h := c.Handler()
			if test.trusted {
				h = c.Trusted()
			}
			w := ask(t, h, "POST", "/api/commands", test.body, test.headers...)
			assert.Equal(t, test.status, w.Code, w.Body)
			if test.status != 202 {
				assert.Contains(t, title(t, w), test.want)
				assert.NotContains(t, w.Body.String(), "s3cret")
				assert.Empty(t, p.done())
				return
			}
			assert.JSONEq(t, freeze, w.Body.String())
			assert.Equal(t, []elasticpool.Command{{Kind: elasticpool.CmdFreeze, By: "ann"}}, p.done())
		})
	}
}

// TestHosts: a page of another site that has a name of its own resolve to the loopback address reads nothing.
func TestHosts(t *testing.T) {
	t.Parallel()
	c, _ := shown(t)
	everywhere, _ := shown(t, console.WithAnyHost())
	for host, good := range map[string]bool{
		"localhost": true, "LOCALHOST:9680": true, "127.0.0.1:9680": true, "127.1.2.3": true, "[::1]:9680": true, "[::1]": true,
		"evil.example": false, "evil.example:9680": false, "localhost.evil.example": false, "10.0.0.1:9680": false, "": false, "[::1": true,
	} {
		for _, target := range []string{"/", "/api/status", "/metrics", "/healthz", "/nothing"} {
			w := ask(t, c.Handler(), "GET", target, "", "Host", host)
			assert.Equal(t, good, w.Code != http.StatusMisdirectedRequest, "%s %s", host, target)
			assert.NotEqual(t, http.StatusMisdirectedRequest, ask(t, everywhere.Handler(), "GET", target, "", "Host", host).Code)
			assert.NotEqual(t, http.StatusMisdirectedRequest, ask(t, c.Trusted(), "GET", target, "", "Host", "pool").Code)
		}
	}
}

// TestOptions: what cannot be is refused.
func TestOptions(t *testing.T) {
	t.Parallel()
	_, err := console.New(policy(), console.WithToken(""))
	require.ErrorContains(t, err, "the token is empty")
	_, err = console.New(policy(), console.WithLogger(nil))
	require.ErrorContains(t, err, "the logger is nil")
	_, err = console.New(elasticpool.Policy{})
	require.ErrorContains(t, err, "there is no queue")
}

// TestConcurrency: cycles, readers and commands at the same time.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	c, p := shown(t, console.WithLogger(slog.New(slog.DiscardHandler)))
	server := httptest.NewServer(c.Trusted())
	t.Cleanup(server.Close)
	stop := make(chan struct{})
	t.Cleanup(func() { <-stop })
	go func() {
		defer close(stop)
		for range 100 {
			c.Observe(input(), decision())
		}
	}()
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 6 {
				for _, path := range []string{"/api/status", "/api/history", "/api/explain?what=17.0", "/metrics", "/healthz"} {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, http.NoBody)
					assert.NoError(t, err)
					w, err := server.Client().Do(r)
					if assert.NoError(t, err) {
						assert.Equal(t, http.StatusOK, w.StatusCode, path)
						_, err = io.Copy(io.Discard, w.Body)
						assert.NoError(t, errors.Join(err, w.Body.Close()))
					}
				}
				assert.NoError(t, console.NewClient(server.URL, "", nil).Do(t.Context(), elasticpool.Command{Kind: elasticpool.CmdThaw}))
			}
		}()
	}
	for range 4 {
		<-done
	}
	assert.Len(t, p.done(), 24)
}
