package lifecycle

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement"
)

func TestErrorSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	cause, left := errors.New("refused"), errors.New("ARQ a1")
	r := &run{record: Record{Consumer: placement.Consumer{UUID: "i1"}}, step: Step{Op: OpCreate}}
	err := r.failure(&stepError{step: Step{ID: StepBind}, err: cause}, left)
	require.EqualError(t, err, "create instance i1: bind: refused; left behind: ARQ a1")
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, left)
	failed, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	assert.Equal(t, StepBind, failed.Step)

	require.EqualError(t, r.failure(cause, nil), "create instance i1: refused")
	require.EqualError(t, r.failure(nil, left), "create instance i1: ARQ a1", "what remained to be done after the commit")
}

func TestNoHostError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		verdicts []placement.GroupVerdict
		want     string
	}{
		{"one group", []placement.GroupVerdict{
			{Suffix: "", Reason: placement.Fits, Text: "flavor: 3 candidates"},
			{Suffix: "device_profile_0", Reason: placement.TooFew, Text: "device_profile_0: no PGPU is free"},
		}, "no host: device_profile_0: no PGPU is free"},
		{"all fit by now", []placement.GroupVerdict{{Reason: placement.Fits}}, "no host: what was missing was given back meanwhile, try again"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := &NoHostError{Verdicts: test.verdicts}
			require.EqualError(t, err, test.want)
			require.ErrorIs(t, err, ErrNoHost)
		})
	}
}
