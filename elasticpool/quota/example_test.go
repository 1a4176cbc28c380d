package quota_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// Two queues share 12 VMs three to one; what one does not want the other borrows.
func ExampleShare() {
	capacity := map[string]quota.Resources{"openstack": {quota.VMs: 12, quota.CPUs: 48}}
	queues := []quota.Queue{{Name: "LHAASO", Weight: 3}, {Name: "JUNO", Weight: 1}}
	small := quota.Option{Class: "small", Cloud: "openstack", Unit: quota.Resources{quota.VMs: 1, quota.CPUs: 4}}
	for _, want := range []int{100, 5} {
		grants := quota.Share(capacity, queues, []quota.Demand{
			{Queue: "LHAASO", Want: want, Options: []quota.Option{small}},
			{Queue: "JUNO", Want: 100, Options: []quota.Option{small}},
		})
		fmt.Println(grants[0].VMs(), grants[1].VMs())
	}
	// Output:
	// 9 3
	// 5 7
}

// A lease takes from what is free, a VM that appears takes the place of its lease.
func ExampleNewLedger() {
	ledger, err := quota.NewLedger([]quota.LedgerQueue{
		{Name: "LHAASO", Min: 100, Max: 400, Reserve: 600 * time.Second},
		{Name: "JUNO", Min: 100, Max: 400, Reserve: 300 * time.Second},
	}, func(e quota.Event) error {
		fmt.Println("journal:", e.Seq, e.Kind)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Now()
	see := func(juno int) {
		err := ledger.Observe(now, 500, map[string]quota.Usage{"LHAASO": {Running: 300, Fair: 400}, "JUNO": {Running: juno, Fair: 200}})
		if err != nil {
			fmt.Println(err)
		}
	}
	see(0)
	lease, _, err := ledger.Ask(now, "JUNO", "small", 50, 0)
	fmt.Println(lease.Units, lease.Expires.Sub(now), err)
	see(30)
	fmt.Println(ledger.Leases()[0].Units)
	// Output:
	// journal: 1 observed
	// journal: 2 granted
	// 50 5m0s <nil>
	// journal: 3 observed
	// 20
}

// The service answers a client of VCondor, and one that tells its need.
func ExampleNewServer() {
	ledger, err := quota.NewLedger([]quota.LedgerQueue{{Name: "JUNO", Min: 100, Max: 400}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ledger.Observe(time.Now(), 500, map[string]quota.Usage{"JUNO": {Running: 20, Fair: 200}}); err != nil {
		fmt.Println(err)
		return
	}
	server, err := quota.NewServer(ledger, quota.WithTCP("127.0.0.1:0"))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := server.Listen(ctx); err != nil {
		fmt.Println(err)
		return
	}
	done := make(chan error)
	go func() { done <- server.Serve(ctx) }()

	conn, err := net.Dial("tcp", server.Addrs()[0].String()) //nolint:noctx // as short as an old client
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintln(conn, `{"ResID": "juno"}`)
	answer := make([]byte, 200)
	n, _ := conn.Read(answer)
	fmt.Print(string(answer[:n]))
	_ = conn.Close()

	stop()
	fmt.Println(<-done)
	// Output:
	// {"ResID":"JUNO","MIN":100,"AVAILABLE":180,"MAX":400,"USED":20,"FAIR":200}
	// <nil>
}

func ExampleServer_Handler() {
	ledger, err := quota.NewLedger([]quota.LedgerQueue{{Name: "JUNO", Min: 100, Max: 400}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := quota.NewServer(ledger)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	server.Handler().ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/quota/juno", nil))
	fmt.Print(w.Body)
	// Output: {"queue":"JUNO","min":100,"max":400,"available":0,"used":0,"leased":0,"fair":0}
}

func ExampleNewClient() {
	client, err := quota.NewClient("unix", "/run/elasticpool/quota.sock")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	response, err := client.Ask(context.Background(), "juno", "gpu", 10, 5*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("launch", response.Available, "VMs within", response.TTL, "s, then give back", response.Lease)
}
