package fakecyborg_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func ExampleNew() {
	cyborg, err := fakecyborg.New(fakecyborg.WithSeed(fakecyborg.Seed{
		Hosts: []fakecyborg.Host{{
			Name:    "compute-1",
			Devices: []fakecyborg.Device{{Driver: "fpga", Card: driver.Card{Address: "0000:3b:00.0"}}},
		}},
		DeviceProfiles: []fakecyborg.DeviceProfile{{
			Name:   "fpga",
			Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}}},
		}},
	}))
	if err != nil {
		panic(err)
	}
	client := &http.Client{Transport: cyborg.Transport()}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, cyborg.URL()+"/v2/device_profiles?name=no-such-profile", http.NoBody)
	if err != nil {
		panic(err)
	}
	response, err := client.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status, string(body))
	// Output: 200 OK {"device_profiles": []}
}

func ExampleFindRelease() {
	old, err := fakecyborg.FindRelease("2025.1")
	if err != nil {
		panic(err)
	}
	fmt.Println(old.Version, "understands \"accelerator 2.N\":", old.Microversions == fakecyborg.AllMicroversions)
	// Output: 14.1.0 understands "accelerator 2.N": false
}
