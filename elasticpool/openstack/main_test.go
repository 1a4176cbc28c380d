package openstack_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The login of all tests but those with a real cloud. The address is that of no machine: transports lead to the fakes.
const (
	identity = "http://cloud.test/identity/v3"
	password = "pa55-word-of-the-login"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"OS_CLOUD": "", "OS_AUTH_URL": identity, "OS_USERNAME": "pool", "OS_PASSWORD": password, "OS_PROJECT_NAME": "demo",
		"OS_USER_DOMAIN_NAME": "Default", "OS_PROJECT_DOMAIN_NAME": "Default",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	var opts []goleak.Option
	if os.Getenv("NOVACYBORG_COMPUTE_CLOUD") != "" {
		// Connections to a real cloud stay open for the next call.
		opts = append(opts, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	}
	goleak.VerifyTestMain(m, opts...)
}
