package computetest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

// A cloud in memory, asked without sockets; OS_AUTH_URL would be http://cloud.localhost/identity/v3.
func ExampleNew() {
	cloud := computetest.New(computetest.WithFlavors(computetest.Flavor{Name: "tiny", VCPUs: 1, RAM: 512}))
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://cloud.localhost/identity/v3/auth/tokens", strings.NewReader("{}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := cloud.Transport().RoundTrip(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	fmt.Println(answer.StatusCode, len(cloud.Servers()), "servers")
	// Output:
	// 201 0 servers
}
