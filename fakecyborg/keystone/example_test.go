package keystone_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/keystone"
	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// The callers of a fake are those that a Keystone knows. This one is in memory, yours is that of a cloud; WithCloud takes the
// account from clouds.yaml.
func ExampleNew() {
	ctx := context.Background()
	identity, err := minikeystone.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(identity)
	defer server.Close()
	address := server.URL + "/identity/v3"
	account, err := openstack.AuthenticatedClient(ctx, gophercloud.AuthOptions{
		IdentityEndpoint: address, Username: "nova", Password: "secret", DomainName: "Default", TenantName: "service",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	validator, err := keystone.New(ctx, address, keystone.WithProvider(account))
	if err != nil {
		fmt.Println(err)
		return
	}
	cyborg, err := fakecyborg.New(fakecyborg.WithPresetSeed("example"), fakecyborg.WithAuthenticator(validator))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cyborg.Close()
	for _, token := range []string{account.Token(), "a token of nobody"} {
		request := httptest.NewRequestWithContext(ctx, "GET", "/v2/device_profiles", nil)
		request.Header.Set("X-Auth-Token", token)
		answer := httptest.NewRecorder()
		cyborg.ServeHTTP(answer, request)
		fmt.Println(answer.Code)
	}
	account.HTTPClient.CloseIdleConnections()
	// Output:
	// 200
	// 401
}
