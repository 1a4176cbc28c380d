package lifecycle

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// One instance behind a thousand waits for one turn of each place, not for the thousand.
func TestTurnstileIsFairToTheSmall(t *testing.T) {
	t.Parallel()
	for _, places := range []int{1, 2, 32} {
		synctest.Test(t, func(t *testing.T) {
			turns := &turnstile{free: places}
			many, one := &queue{}, &queue{}
			ctx, end := context.WithCancel(t.Context())
			build := func(ctx context.Context, group *queue) error {
				if err := turns.enter(ctx, group); err != nil {
					return err
				}
				defer turns.leave()
				time.Sleep(time.Second)
				return nil
			}
			for range 1000 {
				go func() { _ = build(ctx, many) }()
			}
			synctest.Wait()
			started := time.Now()
			require.NoError(t, build(ctx, one))
			turn := time.Since(started) - time.Second
			assert.LessOrEqual(t, turn, 2*time.Second/time.Duration(min(places, 2)), "with %d places", places)
			end()
			synctest.Wait()
			time.Sleep(time.Second) // the last ones end
			synctest.Wait()
			assert.Equal(t, places, turns.free)
			assert.Empty(t, turns.groups)
		})
	}
}

// waiter is one who stands before the turnstile of a model.
type waiter struct {
	group  int
	ticket chan struct{}
}

// Whoever comes, goes or gives up: as many as may are in, nobody waits while there is room, each group is served in the
// order of its members, and no group twice while another waits.
func TestTurnstileByTurns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(1, 4).Draw(t, "places")
		turns, groups := &turnstile{free: places}, [4]queue{}
		var waiting []waiter
		in := 0
		passed := map[int]map[int]int{} // who waits → how often each other one was let in meanwhile
		admit := func(t *rapid.T) {
			for i, w := range waiting {
				select {
				case <-w.ticket:
				default:
					continue
				}
				require.Equal(t, i, slices.IndexFunc(waiting, func(o waiter) bool { return o.group == w.group }), "the first of its group")
				waiting, in = slices.Delete(waiting, i, i+1), in+1
				delete(passed, w.group)
				for _, other := range waiting {
					if passed[other.group] == nil {
						passed[other.group] = map[int]int{}
					}
				}
				for other, counts := range passed {
					counts[w.group]++
					require.True(t, other == w.group || counts[w.group] < 2, "group %d was passed over", other)
				}
				return
			}
		}
		leave := func() { turns.leave(); in-- }
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				require.LessOrEqual(t, in, places)
				require.Equal(t, places-in, turns.free)
				require.True(t, turns.free == 0 || len(waiting) == 0)
			},
			"come": func(t *rapid.T) {
				group := rapid.IntRange(0, len(groups)-1).Draw(t, "group")
				if ticket := turns.draw(&groups[group]); ticket != nil {
					waiting = append(waiting, waiter{group, ticket})
					return
				}
				in++
			},
			"go": func(t *rapid.T) {
				if in == 0 {
					t.Skip("nobody is in")
				}
				leave()
				admit(t)
			},
			"give up": func(t *rapid.T) {
				if len(waiting) == 0 {
					t.Skip("nobody waits")
				}
				i := rapid.IntRange(0, len(waiting)-1).Draw(t, "who")
				w := waiting[i]
				called := in > 0 && rapid.Bool().Draw(t, "called in the same moment")
				if called {
					leave()
				}
				select {
				case <-w.ticket:
					delete(passed, w.group) // that was its turn
				default:
				}
				turns.giveUp(&groups[w.group], w.ticket)
				waiting = slices.Delete(waiting, i, i+1)
				if !slices.ContainsFunc(waiting, func(o waiter) bool { return o.group == w.group }) {
					delete(passed, w.group)
				}
				if called {
					admit(t)
				}
			},
		})
	})
}

// However builds begin, end and are cancelled: never more at a time than there are places, and no place gets lost.
func TestTurnstileBound(t *testing.T) {
	t.Parallel()
	type build struct{ Group, Arrives, Takes, Patience int }
	builds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) build {
		return build{
			rapid.IntRange(0, 2).Draw(t, "group"), rapid.IntRange(0, 5).Draw(t, "arrives"),
			rapid.IntRange(0, 5).Draw(t, "takes"), rapid.IntRange(0, 8).Draw(t, "patience"),
		}
	}), 1, 20)
	rapid.Check(t, func(rt *rapid.T) {
		places, all := rapid.IntRange(1, 3).Draw(rt, "places"), builds.Draw(rt, "builds")
		synctest.Test(t, func(t *testing.T) {
			turns, groups := &turnstile{free: places}, [3]queue{}
			var mu sync.Mutex
			var running, most int
			count := func(n int) {
				mu.Lock()
				defer mu.Unlock()
				running += n
				most = max(most, running)
			}
			var done sync.WaitGroup
			for _, b := range all {
				done.Go(func() {
					time.Sleep(time.Duration(b.Arrives) * time.Second)
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(b.Patience)*time.Second)
					defer cancel()
					if turns.enter(ctx, &groups[b.Group]) != nil {
						return
					}
					count(1)
					time.Sleep(time.Duration(b.Takes) * time.Second)
					count(-1)
					turns.leave()
				})
			}
			done.Wait()
			assert.LessOrEqual(t, most, places)
			assert.Equal(t, places, turns.free)
			assert.Empty(t, turns.groups)
		})
	})
}

func TestTurnstileTellsWhyTheWaitEnded(t *testing.T) {
	t.Parallel()
	turns := &turnstile{free: 1}
	require.NoError(t, turns.enter(t.Context(), &queue{}))
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("deleted")
	cancel(reason)
	require.ErrorIs(t, turns.enter(ctx, &queue{}), reason)
	turns.leave()
	require.NoError(t, turns.enter(t.Context(), &queue{}), "the place is not lost")
}

func BenchmarkTurnstile(b *testing.B) {
	turns := &turnstile{free: 2}
	b.RunParallel(func(pb *testing.PB) {
		group := &queue{}
		for pb.Next() {
			if turns.enter(b.Context(), group) == nil {
				turns.leave()
			}
		}
	})
}
