package execcloud

import (
	"bufio"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkRequest measures a request to a plugin's process, and how many times as long it takes as an echo of a line of the
// same length through a bare pipe.
func BenchmarkRequest(b *testing.B) {
	plugin, _ := child(b, "serve")
	ask := func() {
		if _, err := plugin.Limits(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	ask()
	floor := echo(b, len(`{"id":12345,"method":"limits","timeout_ms":60000,"params":{}}`))
	b.ResetTimer()
	began := time.Now()
	for b.Loop() {
		ask()
	}
	b.ReportMetric(time.Since(began).Seconds()/float64(b.N)/floor.Seconds(), "x-echo")
}

// echo returns how long a line of that length takes to a process and back.
func echo(b *testing.B, length int) time.Duration {
	b.Helper()
	plugin, _ := child(b, "echo")
	plugin.config.env = []string{roleVariable + "=echo"}
	l, err := startProcess([]string{os.Args[0]}, plugin.config)
	require.NoError(b, err)
	defer func() {
		l.stop(true)
		require.NoError(b, l.out.Close())
	}()
	line := []byte(strings.Repeat("x", length) + "\n")
	in := bufio.NewReader(l.out)
	const rounds = 2000
	began := time.Now()
	for range rounds {
		_, err := l.in.Write(line)
		require.NoError(b, err)
		_, err = in.ReadSlice('\n')
		require.NoError(b, err)
	}
	return time.Since(began) / rounds
}
