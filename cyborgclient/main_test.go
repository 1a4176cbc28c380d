package cyborgclient

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	var opts []goleak.Option
	if os.Getenv("NOVACYBORG_CYBORG_URL") != "" || os.Getenv("NOVACYBORG_CYBORG_CLOUD") != "" {
		// Connections to a real Cyborg stay open for the next call.
		opts = append(opts, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	}
	goleak.VerifyTestMain(m, opts...)
}
