package simulate

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// TestAgendaIsAStableSort compares the heap with a stable sort by time, also when things are noted while others are
// done.
func TestAgendaIsAStableSort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOf(rapid.Int64Range(0, 20)).Draw(t, "first")
		later := rapid.SliceOfN(rapid.Int64Range(0, 20), 0, 5).Draw(t, "later")
		var a agenda
		var got, want [][2]int64
		note := func(at, id int64) {
			want = append(want, [2]int64{at, id})
			a.note(time.Duration(at), func() { got = append(got, [2]int64{at, id}) })
		}
		for i, at := range first {
			note(at, int64(i))
		}
		for done := 0; ; done++ {
			e, ok := a.next(100)
			if !ok {
				break
			}
			e.do()
			if done < len(later) {
				note(int64(e.at)+later[done], int64(len(first)+done))
			}
		}
		slices.SortStableFunc(want, func(x, y [2]int64) int { return int(x[0] - y[0]) })
		assert.Equal(t, want, got)
	})
}

func TestAgendaKeepsWhatIsLater(t *testing.T) {
	t.Parallel()
	var a agenda
	a.note(5, func() {})
	_, ok := a.next(4)
	assert.False(t, ok)
	e, ok := a.next(5)
	assert.True(t, ok)
	assert.Equal(t, time.Duration(5), e.at)
}
