package quota_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// BenchmarkShare shares 10,000 VMs among 50 queues that want twice as many, each by four demands for VMs of three
// sizes on two clouds. The floor is sorting 10,000 numbers.
func BenchmarkShare(b *testing.B) {
	const vms, queueCount = 10_000, 50
	capacity := map[string]quota.Resources{
		"c": {quota.VMs: vms / 2, quota.CPUs: 4 * vms, quota.Memory: 16_000 * vms, quota.GPUs: vms / 20},
		"d": {quota.VMs: vms / 2, quota.CPUs: 4 * vms, quota.Memory: 16_000 * vms},
	}
	units := []quota.Resources{
		{quota.VMs: 1, quota.CPUs: 4, quota.Memory: 8_000},
		{quota.VMs: 1, quota.CPUs: 8, quota.Memory: 32_000},
		{quota.VMs: 1, quota.CPUs: 8, quota.Memory: 32_000, quota.GPUs: 1},
	}
	var queues []quota.Queue
	var demands []quota.Demand
	for i := range queueCount {
		name := fmt.Sprintf("queue%02d", i)
		queues = append(queues, quota.Queue{
			Name: name, Weight: float64(1 + i%5), Min: quota.Resources{quota.VMs: 20}, Max: quota.Resources{quota.VMs: 1000}, Credit: float64(i * 7 % 11),
		})
		for j := range 4 {
			d := quota.Demand{Queue: name, Want: 2 * vms / queueCount / 4}
			for k := range 3 {
				d.Options = append(d.Options, quota.Option{Cloud: []string{"c", "d"}[(i+k)%2], Unit: units[(j+k)%3], Have: 10})
			}
			demands = append(demands, d)
		}
	}
	numbers := make([]float64, vms)
	var floor time.Duration
	granted := 0
	for b.Loop() {
		granted = 0
		for _, g := range quota.Share(capacity, queues, demands) {
			granted += g.VMs()
		}
		b.StopTimer()
		for i := range numbers {
			numbers[i] = rand.Float64()
		}
		begin := time.Now()
		slices.Sort(numbers)
		floor += time.Since(begin)
		b.StartTimer()
	}
	b.ReportMetric(float64(granted), "vms")
	b.ReportMetric(float64(b.Elapsed())/float64(floor), "times-sort")
}

// askAndRelease are the lines that BenchmarkAsk sends in turn.
var askAndRelease = []string{`{"ResID":"juno","WANT":1}` + "\n", `{"ResID":"juno","RELEASE":1}` + "\n"}

// exchanges returns how long n requests and answers over one connection take.
func exchanges(b *testing.B, addr net.Addr, n int) time.Duration {
	b.Helper()
	var d net.Dialer
	conn, err := d.DialContext(b.Context(), addr.Network(), addr.String())
	require.NoError(b, err)
	defer conn.Close()
	lines := bufio.NewReader(conn)
	begin := time.Now()
	for i := range n {
		if _, err := io.WriteString(conn, askAndRelease[i%2]); err != nil {
			b.Fatal(err)
		}
		if _, err := lines.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begin)
}

// BenchmarkAsk leases a VM and gives it back in turn over the line protocol, without a journal. The floor is a server that sends each line back.
func BenchmarkAsk(b *testing.B) {
	var lc net.ListenConfig
	echo, err := lc.Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); _, _ = bufio.NewReader(conn).WriteTo(conn) }()
		}
	}()
	l, err := quota.NewLedger(slides(), nil)
	require.NoError(b, err)
	require.NoError(b, l.Observe(start, 1000, due(0, 0)))
	s, err := quota.NewServer(l, quota.WithTCP(":0"))
	require.NoError(b, err)
	require.NoError(b, s.Listen(b.Context()))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	b.ResetTimer()
	took := exchanges(b, s.Addrs()[0], b.N)
	b.StopTimer()
	floor := exchanges(b, echo.Addr(), b.N)
	cancel()
	require.NoError(b, <-done)
	require.NoError(b, echo.Close())
	b.ReportMetric(float64(took)/float64(floor), "times-echo")
}
