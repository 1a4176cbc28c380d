package fakecyborg

import (
	"encoding/json"
	"net/http"
	"strings"
)

// controlPrefix is below which the fake answers for itself, not for Cyborg.
const controlPrefix = "/_fake/"

// health is the answer of /_fake/health.
type health struct {
	// Status is "ready" or "starting".
	Status string `json:"status"`
	// Release is the series of the release that is played.
	Release string `json:"release"`
}

// serveControl answers requests about the fake itself; false leaves the request
// to the API. /_fake/health is 200 once the seed is loaded and reported to
// Placement, and 503 before.
func (s *Server) serveControl(w http.ResponseWriter, request *http.Request) bool {
	if !strings.HasPrefix(request.URL.Path, controlPrefix) {
		return false
	}
	if request.URL.Path != controlPrefix+"health" {
		http.NotFound(w, request)
		return true
	}
	status, answer := http.StatusOK, health{Status: "ready", Release: s.release.Series}
	if !s.ready.Load() {
		status, answer.Status = http.StatusServiceUnavailable, "starting"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.logger.Warn("health", "error", err)
	}
	return true
}
