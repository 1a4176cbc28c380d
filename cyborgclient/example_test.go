package cyborgclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// A Cyborg without authentication is reached by its address.
func ExampleNew() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"device_profiles": [{"uuid": "0b5ee373-a009-4b26-8f62-bbbfa5af3d1b", "name": "%s", "groups": [{"resources:FPGA": "1"}]}]}`, r.FormValue("name"))
	}))
	defer service.Close()

	ctx := context.Background()
	client, err := cyborgclient.New(ctx, cyborgclient.WithEndpoint(service.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	profile, err := client.DeviceProfileByName(ctx, "fpga-one")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(profile.Name, profile.Groups[0])
	// Output: fpga-one [{resources:FPGA 1}]
}

// ARQs are matched to providers by the group of the profile that they serve.
func ExampleMatch() {
	arqs := []cyborgclient.ARQ{{UUID: "arq-1", DeviceProfileGroupID: 0}, {UUID: "arq-2", DeviceProfileGroupID: 1}}
	mapping := map[string][]string{"device_profile_0": {"provider-a"}, "device_profile_1": {"provider-b"}}
	providers, err := cyborgclient.Match(arqs, mapping, "")
	fmt.Println(providers, err)
	// Output: map[arq-1:provider-a arq-2:provider-b] <nil>
}

// The error says what was tried and what Cyborg answered; the kind is found
// with errors.Is.
func ExampleError() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"AttachHandle not found Matching deployable_id 1\"}"}`)
	}))
	defer service.Close()

	ctx := context.Background()
	client, err := cyborgclient.New(ctx, cyborgclient.WithEndpoint(service.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = client.Bind(ctx, []cyborgclient.Binding{{
		ARQ:      "0b5ee373-a009-4b26-8f62-bbbfa5af3d1b",
		Hostname: "cn1",
		DeviceRP: "f3827af2-e6ff-374b-9d29-4b424658c25d",
		Instance: "8115e6c7-9ec9-4a55-abc9-a3f630025e86",
	}})
	if failure, ok := errors.AsType[*cyborgclient.Error](err); ok {
		fmt.Println(failure)
		fmt.Println("not found:", errors.Is(err, cyborgclient.ErrNotFound), "elsewhere:", failure.RetryElsewhere())
	}
	// Output:
	// bind ARQs of instance 8115e6c7-9ec9-4a55-abc9-a3f630025e86: 404 AttachHandle not found Matching deployable_id 1
	// not found: true elsewhere: true
}

// A hook sees each request: here it prints what a metric would count.
func ExampleWithHook() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"arqs": []}`)
	}))
	defer service.Close()

	ctx := context.Background()
	client, err := cyborgclient.New(ctx, cyborgclient.WithEndpoint(service.URL),
		cyborgclient.WithHook(func(_ context.Context, call cyborgclient.Call) {
			fmt.Println(call.Operation, call.Method, call.Status, call.Attempts)
		}))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := client.ARQs(ctx, cyborgclient.ARQFilter{}); err != nil {
		fmt.Println(err)
	}
	// Output: list ARQs GET 200 1
}
