package lifecycle_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// TestProfileWithTheRequest: a device profile can come with the request, instead of the flavor's, or with it if asked for.
func TestProfileWithTheRequest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		flavor, request string
		both            bool
		want            []string // the profiles of the sets
		refused         string
	}{
		{name: "instead", request: oneGPU, want: []string{oneGPU}},
		{name: "the same", flavor: oneGPU, request: oneGPU, want: []string{oneGPU}},
		{name: "another", flavor: oneGPU, request: bothKinds, refused: "set BothProfiles"},
		{name: "both", flavor: oneGPU, request: bothKinds, both: true, want: []string{oneGPU, bothKinds}},
		{name: "the same twice", flavor: oneGPU, request: oneGPU, both: true, want: []string{oneGPU, oneGPU}},
		{name: "no name", request: "<profile>", refused: "not a valid profile name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				request := worldRequest(test.flavor)
				request.Profile, request.BothProfiles = test.request, test.both
				result, err := w.start().Create(t.Context(), request)
				if test.refused != "" {
					require.ErrorContains(t, err, test.refused)
				} else {
					require.NoError(t, err)
					var profiles []string
					for _, set := range result.Record.Now.Sets {
						profiles = append(profiles, set.Profile.Name)
					}
					assert.Equal(t, test.want, profiles)
				}
				assert.Empty(t, w.violations())
			})
		})
	}
}

// TestGivenARQs are bound for the time that the instance has them, through a move as well, and free again afterwards.
func TestGivenARQs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start()
		request := worldRequest(oneGPU)
		request.ARQs = w.giveARQs(bothKinds)
		result, err := p.Create(t.Context(), request)
		require.NoError(t, err)
		assert.Len(t, result.ARQs, 3)
		assert.Subset(t, result.Record.ARQs(), request.ARQs)
		moved, err := then(t.Context(), p.Confirm)(p.Migrate(t.Context(), result.Record, lifecycle.MoveRequest{}))
		require.NoError(t, err)
		assert.Subset(t, moved.Record.ARQs(), request.ARQs, "the same ones, on the other host")
		require.NoError(t, p.Delete(t.Context(), moved.Record))
		for _, given := range request.ARQs {
			arq, err := w.cyborg.ARQ(t.Context(), given)
			require.NoError(t, err)
			assert.Equal(t, cyborgclient.StateUnbound, arq.State)
		}
		assert.Empty(t, w.violations())
	})
}

func TestGivenARQsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		give func(*testing.T, *world) []string
		want string
	}{
		"unknown": {func(*testing.T, *world) []string { return []string{uuid.NewString()} }, "not found"},
		"twice": {func(_ *testing.T, w *world) []string {
			given := w.giveARQs(oneGPU)
			return append(given, given...)
		}, "given twice"},
		"only a part of the profile": {func(_ *testing.T, w *world) []string { return w.giveARQs(bothKinds)[:1] }, "have [1 0], and need [1 1]"},
		"somebody else's": {func(t *testing.T, w *world) []string {
			t.Helper()
			return w.start().create(t, worldRequest(oneGPU)).ARQs()
		}, "only a free one can be bound"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				request := worldRequest("")
				request.ARQs = test.give(t, w)
				_, err := w.start().Create(t.Context(), request)
				require.ErrorContains(t, err, test.want)
				assert.Empty(t, w.violations())
			})
		})
	}
}
