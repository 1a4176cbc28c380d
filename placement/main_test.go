package placement

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Idle connections to a real Placement belong to its client's transport and end with the process.
func TestMain(m *testing.M) {
	if job := os.Getenv(reporterJob); job != "" {
		os.Exit(runReporter(job))
	}
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}
