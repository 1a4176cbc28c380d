package lifecycle_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// TestMatrixCanFail takes away one kind of undo at a time: the disk loses its tasks, so that a Resume after a kill does
// not do them. The matrix has to see each. [lifecycle.TaskDeleteAll] is not among them: it frees what other tasks free,
// and is there for ARQs of which the record knows nothing.
func TestMatrixCanFail(t *testing.T) {
	t.Parallel()
	for kind, in := range map[lifecycle.TaskKind]string{
		lifecycle.TaskAllocate:     "create",
		lifecycle.TaskDeleteARQs:   "create",
		lifecycle.TaskStrays:       "create",
		lifecycle.TaskUnbindARQs:   "create given",
		lifecycle.TaskDestroyGuest: "create",
		lifecycle.TaskRestoreARQs:  "migrate",
		lifecycle.TaskRestoreGuest: "migrate",
		lifecycle.TaskReturnGuest:  "live migrate",
		lifecycle.TaskAttach:       "live migrate",
		lifecycle.TaskDetach:       "attach",
		lifecycle.TaskPowerResume:  "suspend",
		lifecycle.TaskPowerSuspend: "unsuspend",
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := batchOf(t, in, func(task lifecycle.Task) bool { return task.Kind == kind })
				clean := b.try(trial{at: -1})
				require.Empty(t, b.bad, "without a kill nothing is missing")
				for at, c := range clean.calls {
					b.try(trial{at: at, call: c, mishap: killed})
				}
				assert.NotEmpty(t, b.bad, "nobody missed the undo")
			})
		})
	}
}

// TestMatrixSeesAnUndoneUndo has Cyborg say that it deleted the ARQs of a failed creation, and not do so.
func TestMatrixSeesAnUndoneUndo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := batchOf(t, "create", func(lifecycle.Task) bool { return false })
		clean := b.try(trial{at: -1})
		at := slices.Index(clean.calls, call{"cyborg", "bind"})
		require.Positive(t, at)
		first := trial{at: at, call: clean.calls[at], mishap: final(clean.calls[at])}
		refused := b.try(first)
		require.Empty(t, b.bad)
		lie := mishap{name: "lie", fits: anything, meddle: answered(http.StatusNoContent, "", false)}
		undo := slices.Index(refused.calls, call{"cyborg", "DELETE /accelerator_requests"})
		require.Positive(t, undo)
		first.then = &trial{at: undo, call: refused.calls[undo], mishap: lie}
		b.try(first)
		require.Len(t, b.bad, 1)
		assert.Contains(t, b.bad[0].faults[0], "is left: Initial")
	})
}

func batchOf(t *testing.T, name string, forget func(lifecycle.Task) bool) *batch {
	t.Helper()
	all := scenarios()
	i := slices.IndexFunc(all, func(s scenario) bool { return s.name == name })
	require.GreaterOrEqual(t, i, 0)
	return &batch{t: t, release: fakecyborg.Newest(), scenario: all[i], count: &matrixCount{}, forget: forget}
}
