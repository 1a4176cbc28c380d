package requestspec_test

import (
	"maps"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/requestspec"
)

// drawInput draws an input with faults of all kinds.
func drawInput(t *rapid.T) requestspec.Input {
	class := rapid.SampledFrom([]string{"FPGA", "PGPU", "VCPU", "MEMORY_MB", "CUSTOM_A", "CUSTOM_a", "GPU", ""})
	trait := rapid.SampledFrom([]string{"CUSTOM_T", "HW_X", "", "A,B"})
	suffix := rapid.SampledFrom([]string{"", "", "1", "_x", "s", "*"})
	amount := rapid.SampledFrom([]string{"1", "2", "0", "-1", "x", " 3 ", "9223372036854775808"})
	value := rapid.SampledFrom([]string{"required", "forbidden", "maybe"})
	properties := func(most int) map[string]string {
		m := map[string]string{}
		for range rapid.IntRange(0, most).Draw(t, "properties") {
			if rapid.Bool().Draw(t, "is resource") {
				m["resources"+suffix.Draw(t, "suffix")+":"+class.Draw(t, "class")] = amount.Draw(t, "amount")
			} else {
				m["trait"+suffix.Draw(t, "suffix")+":"+trait.Draw(t, "trait")] = value.Draw(t, "value")
			}
		}
		return m
	}
	in := requestspec.Input{Flavor: requestspec.Flavor{
		VCPUs: rapid.IntRange(0, 4).Draw(t, "vcpus"), MemoryMB: 512, SwapMB: rapid.IntRange(0, 2049).Draw(t, "swap"),
		ExtraSpecs: properties(6),
	}}
	if rapid.Bool().Draw(t, "profile") {
		in.Flavor.ExtraSpecs["accel:device_profile"] = "gpu"
		for range rapid.IntRange(0, 3).Draw(t, "groups") {
			in.Profile = append(in.Profile, requestspec.GroupOf(properties(3)))
		}
	}
	return in
}

// TestQueryIsStable checks that the order of maps is never seen, and that an input is not changed.
func TestQueryIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		before := maps.Clone(in.Flavor.ExtraSpecs)
		first, err := requestspec.Build(in, requestspec.Lenient())
		assert.Equal(t, before, in.Flavor.ExtraSpecs)
		again := in
		again.Flavor.ExtraSpecs = map[string]string{}
		for _, key := range slices.Backward(slices.Sorted(maps.Keys(before))) {
			again.Flavor.ExtraSpecs[key] = before[key]
		}
		second, errAgain := requestspec.Build(again, requestspec.Lenient())
		if err != nil {
			require.EqualError(t, errAgain, err.Error())
			return
		}
		require.NoError(t, errAgain)
		assert.Equal(t, first.Query(), second.Query())
		assert.Empty(t, cmp.Diff(first, second, cmp.AllowUnexported(requestspec.Request{}), cmpopts.EquateErrors()))
	})
}

// TestLenientQueryIsThatOfTheModel compares lenient mode with a second, independent reading of Nova's rules.
func TestLenientQueryIsThatOfTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		want := modelQuery(in)
		request, err := requestspec.Build(in, requestspec.Lenient())
		if want == "" {
			require.ErrorIs(t, err, requestspec.ErrEmptyGroup)
			return
		}
		require.NoError(t, err)
		got, err := url.QueryUnescape(request.Query())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

// TestStrictNeverAcceptsAFinding checks that what lenient mode finds is an error in strict mode, except advice and a
// group policy that strict mode can give by itself.
func TestStrictNeverAcceptsAFinding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		strict, errStrict := requestspec.Build(in)
		lenient, err := requestspec.Build(in, requestspec.Lenient())
		if err != nil {
			require.Error(t, errStrict, "strict mode takes less")
			return
		}
		for _, finding := range lenient.Findings {
			mended := finding.Key == "group_policy" && errStrict == nil && strict.GroupPolicy == "none"
			if !finding.Advice && !mended {
				require.Error(t, errStrict, "%v", finding)
			}
		}
		if errStrict == nil {
			for _, finding := range strict.Findings {
				assert.True(t, finding.Advice, "%v", finding)
			}
		}
	})
}

// TestMergeIsIdempotent checks that a request's own groups, asked for again, give the same query.
func TestMergeIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		request, err := requestspec.Build(drawInput(t), requestspec.Lenient())
		if err != nil {
			return
		}
		specs := map[string]string{}
		for _, g := range request.Groups {
			for class, n := range g.Resources {
				assert.NotZero(t, n, "a zero amount is dropped")
				specs["resources"+g.Suffix+":"+class] = request.Digits(g.Suffix, class)
			}
			for _, trait := range g.Required {
				specs["trait"+g.Suffix+":"+trait] = "required"
			}
			for _, trait := range g.Forbidden {
				if _, both := specs["trait"+g.Suffix+":"+trait]; both {
					return // one key cannot say both
				}
				specs["trait"+g.Suffix+":"+trait] = "forbidden"
			}
		}
		if request.GroupPolicy != "" {
			specs["group_policy"] = request.GroupPolicy
		}
		again, err := requestspec.Build(requestspec.Input{
			Flavor: requestspec.Flavor{ExtraSpecs: specs}, RootRequired: request.RootRequired,
		}, requestspec.Lenient())
		require.NoError(t, err)
		assert.Equal(t, request.Query(), again.Query())
	})
}

// TestStrictIsLenientOrAnError checks that strict mode, where it builds, says what Nova says, and that Placement's
// grammar holds for it.
func TestStrictIsLenientOrAnError(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		strict, err := requestspec.Build(in)
		if err != nil {
			assert.NotEmpty(t, requestspec.Code(err))
			return
		}
		lenient, err := requestspec.Build(in, requestspec.Lenient())
		require.NoError(t, err)
		if strict.GroupPolicy == lenient.GroupPolicy {
			assert.Equal(t, lenient.Query(), strict.Query())
		}
		values, err := url.ParseQuery(strict.Query())
		require.NoError(t, err)
		for key := range values {
			assert.NotEmpty(t, values.Get(key), "Placement refuses an empty %s", key)
		}
		if len(strict.Suffixed()) > 1 {
			assert.NotEmpty(t, strict.GroupPolicy)
		}
	})
}
