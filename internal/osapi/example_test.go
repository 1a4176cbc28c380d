package osapi_test

import (
	"context"
	"fmt"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

func ExampleNewService() {
	service, err := osapi.NewService(context.Background(), "placement",
		osapi.WithEndpoint("http://127.0.0.1:8778/placement"), osapi.WithToken("admin"))
	if err != nil {
		fmt.Println(err)
		return
	}
	newer := osapi.WithMicroversion(service, osapi.Microversion{Major: 1, Minor: 36})
	fmt.Println(newer.Endpoint, newer.Microversion)
	// Output: http://127.0.0.1:8778/placement/ 1.36
}
