package console

import (
	"net/http"
	"time"
)

// patience is after how many cycles' time without a cycle the pool is not well.
const patience = 10

// Health is the answer of /healthz.
type Health struct {
	OK   bool    `json:"ok"`
	Age  float64 `json:"last_cycle_s"` // -1: there was none
	Last string  `json:"error,omitempty"`
}

func (c *Console) health(w http.ResponseWriter, _ *http.Request) {
	pool, last := c.shown()
	h := Health{Age: -1, Last: starting}
	if pool != nil && !last.at.IsZero() {
		age := time.Since(last.at)
		h.Age, h.Last = age.Seconds(), pool.Status().Error
		h.OK = age < patience*c.policy.Control.Cycle.D() && h.Last == ""
	}
	status := http.StatusOK
	if !h.OK {
		status = http.StatusServiceUnavailable
	}
	answer(w, status, h)
}
