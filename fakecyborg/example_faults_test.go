package fakecyborg_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
)

func ExampleServer_Faults() {
	server, err := fakecyborg.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := server.Faults().Add(fault.Rule{Operation: "device:get_all", First: 1, Fault: fault.Status{Code: 503}}); err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: server.Transport()}
	for range 2 {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL()+"/v2/devices", http.NoBody)
		if err != nil {
			fmt.Println(err)
			return
		}
		response, err := client.Do(request)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(response.StatusCode)
		if err := response.Body.Close(); err != nil {
			fmt.Println(err)
		}
	}
	for _, entry := range server.Journal().Entries(journal.Filter{Status: 503}.Match) {
		fmt.Println(entry.Seq, entry.Operation, entry.Fault)
	}
	// Output:
	// 503
	// 200
	// 1 device:get_all fault-1
}
