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
			"device_profile_0", TooFew, "; a group is never spread over several providers",
		},
		{
			"root trait missing", func(_ scene, r *requestspec.Request) { r.RootRequired = []string{"HW_CPU_X86_AVX512F"} },
			"device_profile_0", RootTraits, "only on hosts whose root lacks HW_CPU_X86_AVX512F: cn-",
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
		owned := s.report(t, c)
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
			Text: "device profile group 0, device_profile_0 (" + s.FPGA + ":1): no provider has 1 " + s.FPGA + " free: 1 of 1 are used",
		}, found[1])

		require.NoError(t, c.Release(t.Context(), claim))
		mustReport(t, c, s.under(), owned)
		found, err = c.Explain(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, Absent, found[1].Reason, found[1].Text)
	})
}

// The only card with a trait is taken; another card without it is free. The trait is not to blame.
func TestExplainATraitWhoseDevicesAreUsedUp(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		fast := request(flavor(), devices(0, s.GPU, 1, s.Fast))
		claimOne(t, c, request(flavor(), devices(0, s.GPU, 1, s.Fast)))
		two := request(flavor(), devices(0, s.GPU, 2, s.Fast))
		found, err := c.Explain(t.Context(), two)
		require.NoError(t, err)
		assert.Equal(t, TooFew, found[1].Reason)
		assert.Contains(t, found[1].Text, ": providers with "+s.Fast+" exist, 1 of 2 "+s.GPU+" used, the most that one has free is 1, on "+s.Host.Name)

		claimOne(t, c, fast)
		found, err = c.Explain(t.Context(), fast)
		require.NoError(t, err)
		assert.Equal(t, []GroupVerdict{
			{Suffix: "", Reason: Fits, Text: found[0].Text},
			{
				Suffix: "device_profile_0", Reason: TooFew, Text: "device profile group 0, device_profile_0 (" + s.GPU + ":1, " + s.Fast +
					"): providers with " + s.Fast + " exist, 2 of 2 " + s.GPU + " used, on " + s.Host.Name,
			},
		}, found)

		fast.RootForbidden = []string{s.Host.Traits[1]}
		found, err = c.Explain(t.Context(), fast)
		require.NoError(t, err)
		assert.Equal(t, RootTraits, found[1].Reason, "what a disabled host has is no room: %s", found[1].Text)
		assert.Contains(t, found[1].Text, "whose root has "+s.Host.Traits[1]+": "+s.Host.Name+"; there the group's own conditions are not met")
	})
}

// Only the excluded host has the trait, and the other hosts have room without it.
func TestExplainTraitsOfAnExcludedHost(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		other := newScene()
		other.Cards = []TreeProvider{{
			UUID: uuid.NewString(), Name: "gpu-" + other.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 1}},
		}}
		other.report(t, c)
		claimOne(t, c, request(flavor(), devices(0, s.GPU, 2, s.Fast)))
		req := request(flavor(), devices(0, s.GPU, 1, s.Fast))
		req.RootForbidden = []string{s.Host.Traits[1]}
		found, err := c.Explain(t.Context(), req)
		require.NoError(t, err)
		assert.Equal(t, Traits, found[1].Reason, found[1].Text)
		assert.Contains(t, found[1].Text, "each of them lacks "+s.Fast)
	})
}

// Placement refuses unknown names only if the rest of the query finds something: the verdict must not depend on it.
func TestExplainUnknownNamesWhereNothingIsFound(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		tests := []struct {
			name   string
			change func(r *requestspec.Request)
			suffix string
			reason Reason
			text   string
		}{
			{"class", func(r *requestspec.Request) { r.Groups[1].Resources = map[string]int64{"CUSTOM_NO_" + s.Tag: 1} }, "device_profile_0", UnknownClass, "resource class CUSTOM_NO_"},
			{"trait", func(r *requestspec.Request) { r.Groups[1].Required = []string{"CUSTOM_NO_" + s.Tag} }, "device_profile_0", UnknownTrait, "trait CUSTOM_NO_"},
			{"root trait", func(r *requestspec.Request) { r.RootRequired = []string{"CUSTOM_NO_" + s.Tag} }, "", UnknownTrait, "trait CUSTOM_NO_"},
			{"trait of a group without resources", func(r *requestspec.Request) {
				r.Groups = append(r.Groups, requestspec.Group{Suffix: "_near", Required: []string{"CUSTOM_NO_" + s.Tag}})
				r.SameSubtree = [][]string{{"_near", "device_profile_0"}}
			}, "_near", UnknownTrait, "trait CUSTOM_NO_"},
		}
		for _, reported := range []bool{false, true} {
			if reported {
				s.report(t, c)
			}
			for _, test := range tests {
				t.Run(test.name, func(t *testing.T) {
					req := request(flavor(), devices(0, "PGPU", 1))
					req.RootForbidden = []string{"COMPUTE_STATUS_DISABLED"}
					test.change(req)
					req.RootRequired = append(req.RootRequired, "HW_CPU_X86_AVX512F") // no root has it
					found, err := c.Explain(t.Context(), req)
					require.NoError(t, err)
					for _, verdict := range found {
						if verdict.Suffix == test.suffix {
							assert.Equal(t, test.reason, verdict.Reason, verdict.Text)
							assert.Contains(t, verdict.Text, "placement knows no "+test.text)
							return
						}
					}
					assert.Fail(t, "no verdict", "about %q in %v", test.suffix, found)
				})
			}
		}
	})
}

// Each group has its own host: the verdict names them.
func TestExplainNamesTheHosts(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		a, b := newScene(), newScene()
		a.report(t, c)
		b.report(t, c)
		for _, groups := range [][]requestspec.Group{
			{devices(0, a.FPGA, 1), devices(1, b.FPGA, 1)},
			{flavor(), devices(0, a.FPGA, 1), devices(1, b.FPGA, 1)},
		} {
			found, err := c.Explain(t.Context(), request(groups...))
			require.NoError(t, err)
			whole := found[len(found)-1]
			assert.Equal(t, WholeRequest, whole.Suffix)
			assert.Equal(t, Apart, whole.Reason)
			assert.Contains(t, whole.Text, "device_profile_0: "+a.Host.Name+"; device_profile_1: "+b.Host.Name+"; common: none")
			assert.Contains(t, found[len(found)-2].Text, ": 1 candidate")
			assert.NotContains(t, found[len(found)-2].Text, "1 candidates")
		}
		found, err := c.Explain(t.Context(), request(flavor(), devices(0, a.GPU, 3)))
		require.NoError(t, err)
		assert.Contains(t, found[1].Text, "the most that one has is 2 on "+a.Host.Name)
		assert.Equal(t, "h0, h1, h2, h3, h4 and 2 more", list([]string{"h0", "h1", "h2", "h3", "h4", "h5", "h6"}))
	})
}
