package requestspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// TestRequestForNothing gives inputs that ask for nothing. Lenient mode builds them as Nova does.
func TestRequestForNothing(t *testing.T) {
	t.Parallel()
	for _, in := range []requestspec.Input{{}, {Flavor: requestspec.Flavor{Name: "f"}}} {
		_, err := requestspec.Build(in)
		require.ErrorIs(t, err, requestspec.ErrEmptyGroup)
		assert.Equal(t, "empty_group", requestspec.Code(err))
		_, err = requestspec.Build(in, requestspec.Lenient())
		require.NoError(t, err)
	}
}

// TestAdvice checks what is worth a word but never refused.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		flavor requestspec.Flavor
		key    string // "" is no advice
	}{
		{"no memory", requestspec.Flavor{VCPUs: 1}, "memory_mb"},
		{"no vcpus", requestspec.Flavor{MemoryMB: 1}, "vcpus"},
		{"vcpus taken out on purpose", requestspec.Flavor{MemoryMB: 1, ExtraSpecs: map[string]string{"resources:VCPU": "0"}}, ""},
		{"CPU policy", baseFlavor("hw:cpu_policy", "shared"), ""},
		{"no prefix of a trait", baseFlavor("trait:HWX_CPU", "required"), "trait:HWX_CPU"},
		{"standard trait", baseFlavor("trait:HW_CPU_X86_VMX", "required"), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			request, err := requestspec.Build(requestspec.Input{Flavor: tc.flavor})
			require.NoError(t, err)
			if tc.key == "" {
				assert.Empty(t, request.Findings)
				return
			}
			require.Len(t, request.Findings, 1)
			assert.Equal(t, tc.key, request.Findings[0].Key)
			assert.True(t, request.Findings[0].Advice)
		})
	}
}

// TestFaultsOfProfileNameTheRightKey checks what is said to near misses in a profile, in both modes.
func TestFaultsOfProfileNameTheRightKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ key, value, want string }{
		{"resources:FPGAS", "1", "did you mean FPGA?"},
		{"resources:VGPUU", "1", "did you mean VGPU?"},
		{"resources:vgpu", "1", "did you mean VGPU?"},
		{"traits:CUSTOM_X", "required", "write trait:CUSTOM_X"},
		{"resource:FPGA", "1", "write resources:FPGA"},
		{"memory", "1", "write resources:CLASS, trait:NAME"},
	} {
		t.Run(tc.key, func(t *testing.T) {
			t.Parallel()
			in := requestspec.Input{
				Flavor:  baseFlavor("accel:device_profile", "gpu"),
				Profile: groups(group("resources:PGPU", "1"), group("accel:x", "y", tc.key, tc.value)),
			}
			_, err := requestspec.Build(in)
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "the group asks for no resource", "the cause is enough")
			assert.NotContains(t, err.Error(), "the group has conditions")
		})
	}
}

// TestLenientErrorKeepsFindings checks that the error of what Nova refuses says also what Nova skipped before.
func TestLenientErrorKeepsFindings(t *testing.T) {
	t.Parallel()
	in := requestspec.Input{Flavor: baseFlavor("accel:device_profile", "gpu"), Profile: groups(group("resources:FPGAS", "1"))}
	_, err := requestspec.Build(in, requestspec.Lenient())
	assert.Equal(t, "empty_group", requestspec.Code(err))
	require.ErrorIs(t, err, requestspec.ErrClass)
	require.ErrorContains(t, err, "asks for no resource")
	require.ErrorContains(t, err, "resources:FPGAS")
}
