package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// TestLargest says how much of a class one provider has: two devices of one group are then an error, with the line of
// their key.
func TestLargest(t *testing.T) {
	t.Parallel()
	args := []string{
		"-flavor", write(t, "f.yaml", "vcpus: 1\nmemory_mb: 1\nextra_specs: {accel:device_profile: gpu}"),
		"-profile", write(t, "p.yaml", "name: gpu\ngroups:\n  - resources:PGPU: 2"),
	}
	_, err := query(t, "", args...)
	require.NoError(t, err)
	_, err = query(t, "", append(args, "-largest", "PGPU=2", "-largest", "FPGA=0")...)
	require.NoError(t, err)
	_, err = query(t, "", append(args, "-largest", "PGPU=1")...)
	require.ErrorContains(t, err, `p.yaml:3: device profile gpu, group 0: "resources:PGPU" = "2": one group is served by one provider`)
	for _, bad := range []string{"PGPU", "=1", "PGPU=-1", "PGPU=x"} {
		_, err = query(t, "", append(args, "-largest", bad)...)
		require.ErrorContains(t, err, "such as PGPU=1", bad)
	}
	_, err = query(t, "", "-jsonl", "-largest", "PGPU=1")
	require.ErrorContains(t, err, "no other mode")
}

// TestHelpListsTheCodeWords compares the words of the help with those of the package.
func TestHelpListsTheCodeWords(t *testing.T) {
	t.Parallel()
	help, err := query(t, "", "-h")
	require.NoError(t, err)
	words := strings.Fields(help)
	for _, known := range []error{
		requestspec.ErrProfile, requestspec.ErrEmptyGroup, requestspec.ErrSuffixConflict, requestspec.ErrAmount,
		requestspec.ErrNoValidHost, requestspec.ErrCPUPolicy, requestspec.ErrFeature, requestspec.ErrClass,
		requestspec.ErrTrait, requestspec.ErrKey, requestspec.ErrBaseClass, requestspec.ErrTraitOnly,
		requestspec.ErrGroupPolicy, requestspec.ErrNeverFits, requestspec.ErrNoMapping, requestspec.ErrNotSupported,
		requestspec.ErrMappingMissing, requestspec.ErrSearchLimit,
	} {
		assert.Contains(t, words, requestspec.Code(known))
	}
}
