package fault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// An id that is none would match nothing, in silence.
func TestSelectorsAreUUIDs(t *testing.T) {
	t.Parallel()
	const almost = "aaaaaaaa-0000-4000-8000-00000000001"
	set := fault.NewSet("arq:update")
	err := set.Add(fault.Rule{Operation: "arq:update", Instance: almost, Fault: fault.Hang{}})
	require.ErrorIs(t, err, fault.ErrValue)
	require.ErrorContains(t, err, `instance: `)
	require.ErrorContains(t, set.Add(fault.Rule{Operation: fault.Bind, ARQ: almost, Fault: fault.Stuck{}}), `arq: `)
	require.NoError(t, set.Add(fault.Rule{Operation: fault.Bind, ARQ: almost + "1", Fault: fault.Stuck{}}))
}
