package console_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

// scrape returns what Prometheus reads of the pool, without what the Go runtime and the time of day tell.
func scrape(t *testing.T, c *console.Console) string {
	t.Helper()
	w := ask(t, c.Handler(), "GET", "/metrics", "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	problems, err := promlint.New(strings.NewReader(w.Body.String())).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
	var kept strings.Builder
	for line := range strings.Lines(w.Body.String()) {
		if strings.Contains(line, "elasticpool_") && !strings.HasPrefix(line, "elasticpool_last_cycle_timestamp_seconds") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// TestMetrics: the text that Prometheus reads, whole. NOVACYBORG_UPDATE=1 writes it anew.
func TestMetrics(t *testing.T) {
	t.Parallel()
	c, p := shown(t)
	p.status.Decision.Frozen = nil
	got := scrape(t, c)
	const golden = "testdata/metrics.txt"
	if os.Getenv("NOVACYBORG_UPDATE") == "1" {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
	for _, must := range []string{
		"elasticpool_queue_jobs", "elasticpool_queue_vms", "elasticpool_queue_threshold_vms", "elasticpool_queue_oldest_job_seconds",
		"elasticpool_queue_borrowed_share", "elasticpool_queue_reclaimed_vms_total", "elasticpool_vms", "elasticpool_state_seconds",
		"elasticpool_outcomes_total", "elasticpool_unsatisfiable_jobs", "elasticpool_frozen", "elasticpool_cycle_seconds", "elasticpool_sensor_age_seconds",
		"elasticpool_breaker_state", "elasticpool_orders", "elasticpool_actions_under_way",
	} {
		assert.Contains(t, string(want), "# HELP "+must+" ")
	}
}

// TestMetricsForget: of a queue, class or order that is no more nothing is told, and counters go on.
func TestMetricsForget(t *testing.T) {
	t.Parallel()
	c, p := shown(t)
	d := decision()
	d.Queues, d.Classes, d.Unmet, d.Frozen, d.Blind = d.Queues[:1], nil, nil, []string{"doubt"}, []string{"doubt"}
	p.status.Orders, p.status.Leases, p.status.Error = nil, nil, "disk full"
	c.Observe(input(), d)
	got := scrape(t, c)
	for _, gone := range []string{`queue="juno",state`, `elasticpool_vms{`, "elasticpool_unsatisfiable_jobs", "elasticpool_orders", "elasticpool_class_off"} {
		assert.NotContains(t, got, gone)
	}
	for _, there := range []string{"elasticpool_frozen 1", "elasticpool_blind 1", "elasticpool_cycle_failed 1", "elasticpool_cycles_total 2", `elasticpool_actions_total{cloud="main",kind="create"} 2`} {
		assert.Contains(t, got, there)
	}
}

// TestMetricsOfHostileNames: names that users and clouds choose break nothing, and do not make series without end.
func TestMetricsOfHostileNames(t *testing.T) {
	t.Parallel()
	c, p := shown(t)
	d := decision()
	d.Unmet = nil
	for i := range 1000 {
		d.Unmet = append(d.Unmet, elasticpool.Unmet{Queue: "juno", Jobs: 1, Reason: fmt.Sprintf("asks for %d \xff\"\n{}", i)})
	}
	d.Events = append(d.Events, elasticpool.Event{Class: "a\xff\"b", From: elasticpool.Building})
	d.Queues[0].Name = "x\"} 1\nelasticpool_frozen 7\xff"
	p.status.Breakers[0].Cloud = "\xff"
	c.Observe(input(), d)
	got := scrape(t, c)
	assert.Equal(t, 20, strings.Count(got, "\nelasticpool_unsatisfiable_jobs{"))
	assert.Contains(t, got, `elasticpool_unsatisfiable_jobs{queue="juno",reason="other"} 981`)
	assert.NotContains(t, got, "elasticpool_frozen 7\n")
	assert.Contains(t, got, "elasticpool_frozen 0\n")
}
