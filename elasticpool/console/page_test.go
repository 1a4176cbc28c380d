package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

// browse opens a page in Chromium for some seconds of its time and returns what is on it then. Without Chromium the test
// is skipped, or fails with NOVACYBORG_PEERS=required.
func browse(t *testing.T, url string) string {
	t.Helper()
	if os.Getenv("NOVACYBORG_PEERS") == "none" {
		t.Skip("NOVACYBORG_PEERS=none")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatalf("NOVACYBORG_PEERS=required: %v", err)
		}
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	page, err := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--dump-dom", url).Output()
	require.NoError(t, err)
	return string(page)
}

// TestPage: what a browser shows that has opened the page, with what happens while it is open, drawn and explained.
func TestPage(t *testing.T) {
	t.Parallel()
	c, p := shown(t)
	var asked atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/status" && asked.Add(1) == 2 { // the page renews itself: no time has to be guessed
			late := decision()
			late.Queues[1].Why = "what came while it was open"
			late.Classes[0].States[elasticpool.Warm] = 4
			c.Observe(input(), late)
			p.mu.Lock()
			p.status.Decision = late
			p.mu.Unlock()
		}
		c.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	page := browse(t, front.URL+"/#17.0")
	assert.Greater(t, asked.Load(), int32(2), "it renews itself")
	for _, want := range []string{
		`<h1 id="title">physics</h1>`, "1 VMs · cycle 7 took 0.25 s", ">what came while it was open</td>", "1 joined, 4 warm, 1 building", "<td>75.0 %</td>", "<td>1–∞</td>", "<td>0–5</td>",
		"7 of juno (such as 18.0): small offers 0 gpus, the job asks for 1", vmID, "<td>h-1</td>", "<td>no answer</td>", "<td>never</td>",
		"circuit breaker of cloud main is half-open: 502 Bad Gateway", "set_quota juno, by ann: a rush", "create 01JDBB for lhaaso: its jobs need it",
		`class="joined"`, `class="building"`, `class="warm"`, "at most 6, since", `data-ready="yes"`,
		"job 17.0 of queue lhaaso asks for 1 cpus", "class small can run 1 such jobs on a VM",
	} {
		assert.Contains(t, page, want)
	}
	assert.Regexp(t, `<polygon points="0\.0,[0-9.]+ [0-9., ]+" class="joined"`, page, "the chart is drawn")
	assert.Contains(t, page, `<section id="doubts" hidden="">`)
}

// TestPageOfAFrozenPool: nobody overlooks that the pool holds still, and why.
func TestPageOfAFrozenPool(t *testing.T) {
	t.Parallel()
	c, p := shown(t)
	p.status.Decision.Frozen, p.status.Decision.Blind, p.status.Error = []string{"workers: the collector is young"}, []string{"jobs of schedd: no answer"}, "disk full"
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	page := browse(t, server.URL+"/#nobody")
	assert.Contains(t, page, `<section id="doubts"><h2>The pool holds still</h2><ul><li>nothing is shrunk: workers: the collector is young</li><li>nothing is grown: jobs of schedd: no answer</li></ul>`)
	assert.Contains(t, page, "· disk full")
	assert.Contains(t, page, "there is no such queue, class, VM or job: nobody")
}

// TestPageWithoutAPool: a console that has no pool yet says so.
func TestPageWithoutAPool(t *testing.T) {
	t.Parallel()
	c, err := console.New(policy())
	require.NoError(t, err)
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	assert.Contains(t, browse(t, server.URL), "no answer: the pool is starting")
}

// TestPageOfHostileNames: whatever users and clouds call things, it is text.
func TestPageOfHostileNames(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror="document.title='taken'">`
	c, p := shown(t)
	s := &p.status
	s.Pool, s.Error, s.VMs[0].Why, s.VMs[0].Host, s.VMs[0].Class, s.VMs[0].State, s.VMs[0].ID = evil, evil, evil, evil, evil, evil, evil
	s.Decision.Frozen, s.Decision.Blind = []string{evil}, []string{evil}
	s.Decision.Queues[0].Name, s.Decision.Queues[0].Why, s.Decision.Classes[0].Name, s.Decision.Classes[0].Off = evil, evil, evil, evil
	s.Decision.Unmet[0] = elasticpool.Unmet{Queue: evil, Example: evil, Reason: evil}
	s.Decision.Actions[0] = elasticpool.Action{Kind: evil, VM: evil, Queue: evil, Reason: evil}
	s.Orders[0] = elasticpool.Command{Kind: evil, VM: evil, By: evil, Why: evil}
	s.Sensors[0].Name, s.Sensors[0].Err, s.Breakers[0].Reason, s.Breakers[0].State = evil, evil, evil, evil
	in := input()
	in.Jobs["schedd"].Value[0].Jobs[0] = evil
	in.Jobs["schedd"].Value[0].Require = map[string]string{evil: evil}
	d := decision()
	d.Classes[0].States[evil] = 3
	c.Observe(in, d)
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	page := browse(t, server.URL+"/#%3Cimg%20src%3Dx%20onerror%3D%22document.title%3D'taken'%22%3E")
	assert.NotContains(t, page, "<img")
	assert.NotContains(t, page, "<title>taken")
	assert.Greater(t, strings.Count(page, "&lt;img src=x onerror="), 20, "and all of it is there")
	assert.Contains(t, page, `data-ready="yes"`)
}
