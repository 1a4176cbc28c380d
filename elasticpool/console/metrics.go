package console

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/novacyborg/novacyborg/elasticpool"
)

const namespace = "elasticpool"

// metrics are the pool's for Prometheus: counters that each cycle adds to, and gauges that are read when they are asked
// for, so that a queue or class that is no more leaves nothing behind.
type metrics struct {
	registry *prometheus.Registry

	actions, outcomes, reclaimed *prometheus.CounterVec
	states                       *prometheus.HistogramVec
	cycles                       prometheus.Counter
}

func newMetrics(shown func() (Pool, cycle)) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		actions:   counter("actions_total", "Actions that were decided, by kind.", "kind", "cloud"),
		outcomes:  counter("outcomes_total", "Actions that ended, by kind and result: ok, or the class of the error.", "kind", "cloud", "result"),
		reclaimed: counter("queue_reclaimed_vms_total", "VMs that were taken back from a queue because it had more than its share.", "queue"),
		states: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "state_seconds", Help: "How long VMs were in a state when they left it.",
			Buckets: []float64{1, 5, 15, 60, 120, 300, 600, 1800, 3600, 4 * 3600, 24 * 3600},
		}, []string{"class", "state"}),
		cycles: prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "cycles_total", Help: "Decisions."}),
	}
	m.registry.MustRegister(m.actions, m.outcomes, m.reclaimed, m.states, m.cycles, &gauges{shown: shown},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 8})
}

// observe counts a cycle.
func (m *metrics) observe(in elasticpool.Input, d elasticpool.Decision) {
	m.cycles.Inc()
	for _, a := range d.Actions {
		m.actions.WithLabelValues(string(a.Kind), label(a.Cloud)).Inc()
		if a.Reclaims != "" {
			m.reclaimed.WithLabelValues(label(a.Reclaims)).Inc()
		}
	}
	for _, o := range in.Outcomes {
		result := o.Error
		if result == "" {
			result = "ok"
		}
		m.outcomes.WithLabelValues(string(o.Action.Kind), label(o.Action.Cloud), label(result)).Inc()
	}
	for _, e := range d.Events {
		if e.From != "" {
			m.states.WithLabelValues(label(e.Class), string(e.From)).Observe(e.After)
		}
	}
}

// label makes any text a value of a label.
func label(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
