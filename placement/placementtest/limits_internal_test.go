package placementtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// TestLongQueriesAreReadOnce does the same in time, by counting what a parser looks at: a rule of many traits, a list of many classes
// and a subtree of many groups are gone through once, not once per element.
func TestLongQueriesAreReadOnce(t *testing.T) {
	t.Parallel()
	const n = 200_000
	var traits, classes, together strings.Builder
	for i := range n {
		fmt.Fprintf(&traits, ",T%d,!U%d", i, i)
		fmt.Fprintf(&classes, ",C%d:1", i)
	}
	q := query{}
	for i := range 20_000 {
		q = append(q, param{key: fmt.Sprintf("resources_%d", i), value: "VCPU:1"})
		fmt.Fprintf(&together, ",_%d", i)
	}
	q = append(q, param{key: "same_subtree", value: together.String()[1:]}, param{key: "group_policy", value: "none"})
	for _, test := range []struct {
		name string
		read func() *fault
	}{
		{"traits", func() *fault {
			rule, f := parseTraits(traits.String()[1:], true, true)
			require.False(t, rule.conflicts())
			return f
		}},
		{"classes", func() *fault {
			amounts, f := parseResources(classes.String()[1:])
			require.Len(t, amounts, n)
			return f
		}},
		{"subtree", func() *fault {
			c, f := parseCandidates(q, latestMinor)
			require.Len(t, c.places, 20_000)
			return f
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			done := make(chan *fault, 1)
			go func() { done <- test.read() }()
			select {
			case f := <-done:
				require.Nil(t, f)
			case <-time.After(30 * time.Second): // read once it is a fraction of a second, otherwise minutes
				t.Error("the query is still being read")
			}
		})
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
