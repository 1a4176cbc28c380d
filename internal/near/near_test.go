package near_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/internal/near"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, a, b  string
		limit, want int
	}{
		{name: "the same", a: "gpu", b: "gpu", limit: 2, want: 0},
		{name: "one added", a: "gpu", b: "vgpu", limit: 2, want: 1},
		{name: "one dropped", a: "vgpu", b: "gpu", limit: 2, want: 1},
		{name: "one replaced", a: "pgpu", b: "vgpu", limit: 2, want: 1},
		{name: "two swapped", a: "fgpa", b: "fpga", limit: 2, want: 1},
		{name: "swapped at the start", a: "pfga", b: "fpga", limit: 2, want: 1},
		{name: "two apart", a: "placemnt", b: "placements", limit: 2, want: 2},
		{name: "a letter of two bytes", a: "dpé", b: "dpe", limit: 2, want: 1},
		{name: "nothing", a: "", b: "ab", limit: 2, want: 2},
		{name: "not looked at", a: "", b: "abcdef", limit: 2, want: 3},
		{name: "as far as it is", a: "", b: "abcdef", limit: 6, want: 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, near.Distance(test.a, test.b, test.limit))
		})
	}
}

func TestDistanceIsOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-dé]{0,6}`)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		limit := rapid.IntRange(0, 8).Draw(t, "limit")
		d := near.Distance(a, b, 12)
		require.Equal(t, a == b, d == 0)
		require.Equal(t, d, near.Distance(b, a, 12))
		require.LessOrEqual(t, d, max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)))
		require.Equal(t, 1, near.Distance(a, a+"x", 12))
		require.Equal(t, d, near.Distance("x"+a, "x"+b, 12), "what is the same does not count")
		if d <= limit {
			require.Equal(t, d, near.Distance(a, b, limit))
		} else {
			require.Greater(t, near.Distance(a, b, limit), limit)
		}
	})
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	assert.Empty(t, near.Question(nil))
	assert.Equal(t, "; did you mean FPGA?", near.Question([]string{"FPGA"}))
	assert.Equal(t, "; did you mean PGPU or VGPU?", near.Question([]string{"PGPU", "VGPU"}))
}
