package placement

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(s scene, r *requestspec.Request)
		suffix string
		reason Reason
		text   string
	}{
		{
			"unknown class", func(s scene, r *requestspec.Request) {
				r.Groups[1].Resources = map[string]int64{"CUSTOM_NO_" + s.Tag: 1}
			},
			"device_profile_0", UnknownClass, "placement knows no resource class CUSTOM_NO_",
		},
		{
			"unknown trait", func(s scene, r *requestspec.Request) { r.Groups[1].Required = []string{"CUSTOM_NO_" + s.Tag} },
			"device_profile_0", UnknownTrait, "placement knows no trait CUSTOM_NO_",
		},
		{
			"trait missing", func(s scene, r *requestspec.Request) { r.Groups[1].Required = []string{s.Fast} },
			"device_profile_0", Traits, "providers have room, but each of them lacks CUSTOM_FAST_",
		},
		{"trait forbidden", func(s scene, r *requestspec.Request) {
			r.Groups[1].Resources = map[string]int64{s.GPU: 2}
			r.Groups[1].Required, r.Groups[1].Forbidden = []string{s.Fast}, []string{s.Fast + "_ER"}
		}, "device_profile_0", UnknownTrait, "placement knows no trait CUSTOM_FAST_"},
		{
			"too many on one card", func(s scene, r *requestspec.Request) { r.Groups[1].Resources = map[string]int64{s.GPU: 3} },
			"device_profile_0", TooFew, "free, the most that one has is 2; a group is never spread over several providers",
		},
		{
			"root trait missing", func(_ scene, r *requestspec.Request) { r.RootRequired = []string{"HW_CPU_X86_AVX512F"} },
			"device_profile_0", RootTraits, "only on hosts whose root lacks HW_CPU_X86_AVX512F",
		},
		{
			"host disabled", func(s scene, r *requestspec.Request) { r.RootForbidden = []string{"CUSTOM_HOST_" + s.Tag} },
			"device_profile_0", RootTraits, "only on hosts whose root has CUSTOM_HOST_",
		},
		{
			"wrong tree", func(_ scene, r *requestspec.Request) { r.Groups[1].InTree = uuid.NewString() },
			"device_profile_0", Destination, "none in the wanted tree",
		},
		{
			"nobody has two groups", func(s scene, r *requestspec.Request) { r.Groups = append(r.Groups, devices(1, s.FPGA, 1)) },
			WholeRequest, Apart, "no host has enough for all of them",
		},
		{"isolated", func(s scene, r *requestspec.Request) {
			r.Groups = append(r.Groups[:1], devices(0, s.GPU, 1, s.Fast), devices(1, s.GPU, 1, s.Fast))
			r.GroupPolicy = "isolate"
		}, WholeRequest, Apart, "group_policy isolate"},
		{"not in one subtree", func(s scene, r *requestspec.Request) {
			r.Groups = append(r.Groups, devices(1, s.GPU, 1))
			r.SameSubtree = [][]string{{"device_profile_0", "device_profile_1"}}
		}, WholeRequest, Apart, "same_subtree"},
		{
			"the host is too small", func(_ scene, r *requestspec.Request) { r.Groups[0].Resources["MEMORY_MB"] = 1 << 20 },
			"", TooFew, "no provider has 1048576 MEMORY_MB free, the most that one has is ",
		},
		{
			"against the step size", func(s scene, r *requestspec.Request) {
				r.Groups[1].Resources = map[string]int64{"CUSTOM_PAIR_" + s.Tag: 2}
			},
			"device_profile_0", TooFew, "though only 0 of 8 are used",
		},
	}
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.Cards[0].Children = []TreeProvider{{UUID: uuid.NewString(), Name: "pairs-" + s.Tag, Inventories: map[string]Inventory{
			"CUSTOM_PAIR_" + s.Tag: {Total: 8, MinUnit: 4, StepSize: 4},
		}}}
		s.report(t, c)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				req := request(flavor(), devices(0, s.FPGA, 1))
				test.change(s, req)
				found, err := c.Explain(t.Context(), req)
				require.NoError(t, err)
				for _, verdict := range found {
					if verdict.Suffix != test.suffix {
						continue
					}
					assert.Equal(t, test.reason, verdict.Reason, verdict.Text)
					assert.Contains(t, verdict.Text, test.text)
					return
				}
				assert.Fail(t, "no verdict", "about %q in %v", test.suffix, found)
			})
		}
	})
}

func TestExplainWhatIsUsedUp(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		req := request(flavor(), devices(0, s.FPGA, 1))
		found, err := c.Explain(t.Context(), req)
		require.NoError(t, err)
		for _, verdict := range found {
			assert.Equal(t, Fits, verdict.Reason, verdict.Text)
		}
		claim := claimOne(t, c, req)
		found, err = c.Explain(t.Context(), req)
		require.NoError(t, err)
		require.Len(t, found, 2)
		assert.Equal(t, GroupVerdict{
			Suffix: "device_profile_0", Reason: TooFew,
			Text: "group device_profile_0 (" + s.FPGA + ":1): no provider has 1 " + s.FPGA + " free: 1 of 1 are used",
		}, found[1])

		require.NoError(t, c.Release(t.Context(), claim))
		gone := Tree{Parent: s.Host.Name, Providers: []TreeProvider{}, Previous: s.Cards}
		require.NoError(t, c.Report(t.Context(), gone))
		found, err = c.Explain(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, Absent, found[1].Reason, found[1].Text)
	})
}
