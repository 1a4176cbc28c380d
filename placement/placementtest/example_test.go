package placementtest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

func ExampleNew() {
	server, err := placementtest.New(placementtest.WithoutAuth())
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: server.Transport()}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL()+"/resource_providers",
		strings.NewReader(`{"name":"host1"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	fmt.Println(resp.StatusCode, server.ProviderCount())
	// Output: 201 1
}
