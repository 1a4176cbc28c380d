package fakecyborg

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Against a plain slice: order, lookup and ids stay right through any mixture
// of additions and deletions.
func TestTableLikeASlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var rows table[int]
		model := []int{}
		for i := range rapid.IntRange(0, 50).Draw(t, "steps") {
			if len(model) > 0 && rapid.Bool().Draw(t, "delete") {
				at := rapid.IntRange(0, len(model)-1).Draw(t, "at")
				rows.delete("ROW" + strconv.Itoa(model[at]) + " ")
				model = slices.Delete(model, at, at+1)
			} else {
				id := rows.add("row"+strconv.Itoa(i), i)
				require.Equal(t, id, rows.lastID)
				model = append(model, i)
			}
			rows.delete("no such row")
		}
		require.Equal(t, model, slices.AppendSeq([]int{}, rows.all))
		for _, want := range model {
			got, ok := rows.get("Row" + strconv.Itoa(want))
			require.True(t, ok)
			require.Equal(t, want, got)
		}
		_, ok := rows.get("no such row")
		require.False(t, ok)
	})
}
