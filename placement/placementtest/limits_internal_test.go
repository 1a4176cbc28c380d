package placementtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepeatedParameters counts allocations: four times the parameters may cost about four times as much, not sixteen times. It
// runs alone, since all goroutines' allocations are counted.
//
//nolint:paralleltest // see above
func TestRepeatedParameters(t *testing.T) {
	cost := func(part string, n int) float64 {
		q, f := parseQuery("resources=VCPU:1" + strings.Repeat(part, n))
		require.Nil(t, f)
		return testing.AllocsPerRun(3, func() { _, _ = parseGroups(q, latestMinor) })
	}
	for _, part := range []string{"&required=HW_CPU_X86_VMX", "&member_of=00000000-0000-4000-8000-00000000aaaa"} {
		require.Less(t, cost(part, 800), 6*cost(part, 200), part)
	}
}

// TestListenerHasLimits looks at what keeps a client that sends slowly from holding a connection for ever.
func TestListenerHasLimits(t *testing.T) {
	t.Parallel()
	s := Start(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Positive(t, s.http.ReadHeaderTimeout)
	require.Positive(t, s.http.ReadTimeout)
	require.Greater(t, s.http.IdleTimeout, s.http.ReadTimeout)
}
