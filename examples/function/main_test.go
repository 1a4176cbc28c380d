package main

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// buffer is written to by steps and events at once.
type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func TestFunction(t *testing.T) {
	t.Parallel()
	var out buffer
	require.NoError(t, run(t.Context(), nil, &out))
	for _, want := range []string{
		"profile tenant-function asks for the function c32c",
		"event    accelerator-request-bound completed",
		"instance on compute-1 has PCI 0000:5e:00.0\n",
		"programmed\n  compute-1_0000:5e:00.0\n    bitstream   7d0b4a1e-2f57-4c8f-9d2c-0d4bb31c6a10\n    attributes  CUSTOM_FPGA_FUNCTION_ID_INTEL_AA01\n    Placement   CUSTOM_FPGA_FUNCTION_ID_INTEL_C32C\n",
		"next report\n  compute-1_0000:5e:00.0\n    bitstream   7d0b4a1e-2f57-4c8f-9d2c-0d4bb31c6a10\n    attributes  CUSTOM_FPGA_FUNCTION_ID_INTEL_C32C\n",
	} {
		assert.Contains(t, out.String(), want)
	}
}

// The trait that Cyborg makes of dashes is one that Placement refuses.
func TestFunctionWithDashes(t *testing.T) {
	t.Parallel()
	var out buffer
	require.ErrorContains(t, run(t.Context(), []string{"-function", "5f3a-9b1e"}, &out), "Placement takes no trait with dashes; -careful plays")
	assert.Regexp(t, `(?m)^  undo     ARQs `, out.String())
	assert.Contains(t, out.String(), "event    accelerator-request-bound failed")
	assert.Contains(t, out.String(), "after the failure\n  compute-1_0000:5e:00.0\n    bitstream   none\n    attributes  CUSTOM_FPGA_FUNCTION_ID_INTEL_AA01\n    Placement   none\n")
	var careful buffer
	require.NoError(t, run(t.Context(), []string{"-function", "5f3a-9b1e", "-careful"}, &careful))
	assert.Contains(t, careful.String(), "Placement   CUSTOM_FPGA_FUNCTION_ID_INTEL_5F3A_9B1E")
}

func TestArguments(t *testing.T) {
	t.Parallel()
	var out buffer
	require.NoError(t, run(t.Context(), []string{"-h"}, &out))
	assert.Contains(t, out.String(), "-careful")
	require.ErrorContains(t, run(t.Context(), []string{"-x"}, &out), "-h lists the flags")
	require.EqualError(t, run(t.Context(), []string{"-function", "abcd"}, &out), `-function "abcd": no image has this function; the images of seed.yaml have c32c, 5f3a-9b1e`)
	require.ErrorContains(t, run(t.Context(), []string{"x"}, &out), `unexpected argument "x"`)
}
