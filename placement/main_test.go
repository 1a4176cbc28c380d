package placement

import (
	"testing"

	"go.uber.org/goleak"
)

// Idle connections to a real Placement belong to its client's transport and end with the process.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}
