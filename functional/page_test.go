package functional_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// A browser that has opened the page sees a request appear that is made afterwards, bound to its instance, and a fault. The request
// is made when the page asks for the second time, so that no time has to be guessed.
func TestPageInChromium(t *testing.T) {
	t.Parallel()
	requirePrograms(t, "chromium")
	c := newTempest(t, newDriven("none"), fakecyborg.Newest())
	c.profile(t, "seen", "PGPU")
	instance := uuid.NewString()
	change := func() {
		c.bind(t, text(t, c.arqs(t, "seen")[0], "uuid"), instance)
		c.call(t, "POST", "/_fake/faults", `{"name": "busy", "operation": "arq:create", "fault": {"kind": "status", "code": 503}}`).want(t, http.StatusCreated)
	}
	var asked atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_fake/arqs" && asked.Add(1) == 2 {
			change()
		}
		c.server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	page, err := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--dump-dom", front.URL+"/_fake/").Output()
	require.NoError(t, err)
	assert.Greater(t, asked.Load(), int32(2), "it renews itself")
	assert.Contains(t, string(page), instance)
	assert.Contains(t, string(page), "<td>Bound</td>")
	assert.Contains(t, string(page), "<td>busy</td>")
	assert.Contains(t, string(page), tempestHost)
	assert.Contains(t, string(page), "accelerator-request-bound")
	assert.Contains(t, string(page), `>live</span>`)
}
