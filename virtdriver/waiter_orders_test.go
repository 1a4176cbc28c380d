package virtdriver_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

var everyOrder = flag.Bool("every-order", false, "TestWaitInEveryOrder: perform all orders of three ARQs, not only those that stand for all")

// next calls visit with every step that can follow: each ARQ may be decided once and its event may come twice, in any
// order around register, poll and the end. ARQs of which nothing happened yet count as one.
func (m model) next(visit func(step)) {
	if m.waiting {
		visit(step{doTimeout, -1})
	} else {
		visit(step{doRegister, -1})
	}
	if !m.cancelled {
		visit(step{doCancel, -1})
	}
	if m.waiting && !m.paused {
		visit(step{doPoll, -1})
	}
	for arq := range m.n {
		if m.decided[arq] == 0 {
			visit(step{doBind, arq})
			visit(step{doFail, arq})
		}
		switch m.sent[arq] {
		case 0:
			visit(step{doEvent, arq})
		case 1:
			visit(step{doDuplicate, arq})
		}
		if m.decided[arq] == 0 && m.sent[arq] == 0 {
			return
		}
	}
}

// orders calls visit with every play for n ARQs; plays that differ only in the ARQs' numbers count once. A play ends
// where the model has its verdict, and belongs to visit only until it returns. With reduced it leaves out the plays that
// are not as [canonical] makes them.
func orders(n int, reduced bool, visit func([]step)) {
	var extend func(m model, play []step, quiet bool)
	extend = func(m model, play []step, quiet bool) {
		if m.verdict != "" {
			if !reduced || m.seen == m.decided {
				visit(play)
			}
			return
		}
		m.next(func(s step) {
			after := m.after(s)
			if reduced && quiet && after.quietSince(m) && s.rank() < play[len(play)-1].rank() {
				return
			}
			extend(after, append(play, s), after.quietSince(m))
		})
	}
	extend(model{n: n}, nil, false)
}

// quietSince says that the step between the two models makes no right wait look or end: every step but the wait's
// beginning, its cancellation, pause and deadline, and the first event of an ARQ that it hears.
func (m model) quietSince(before model) bool { return m.polls == before.polls && m.verdict == "" }

// rank is the place of a quiet step among its quiet neighbours: an early cancellation, what is bound, what has failed,
// by number, and then the events, which keep the order in which they came.
func (s step) rank() int {
	switch s.what {
	case doCancel:
		return 0
	case doBind:
		return 1 + s.arq
	case doFail:
		return 1 + len(playARQs) + s.arq
	default:
		return 1 + 2*len(playARQs)
	}
}

// canonical returns the play that stands for a play in the reduced enumeration, and which of its ARQs each ARQ of that
// one is. Two plays are equivalent if one becomes the other by
//
//  1. exchanging neighbours that are both quiet and of which one at least is a decision (b, f) or a cancellation before
//     the wait begins. Events keep their order among each other, and nothing crosses a step that is not quiet;
//  2. leaving out a decision after which there is no look (before the wait ends by a cancellation);
//  3. giving the ARQs other numbers.
//
// The first two lose nothing, whatever the waiter is, right or wrong, as long as it learns about decisions by looking
// only. Let it do in a play "… x y …" what the model says, where x and y are such neighbours; [stage.perform] sees after
// each step whether it looked. It looked during neither, since both are quiet. A decision and an early cancellation wake
// nobody and take no time. So it cannot know which of the two came first, is the same after "y x", and remains so. Even
// less can it know of a decision after its last look. Hence a waiter that is right in the canonical play is right in all
// plays that this one stands for; [TestReducedOrdersLoseNothing] shows it. Events do not commute, since the receiver sees
// each of them, early ones and duplicates, too.
//
// The third takes for granted that a waiter treats its ARQs alike. To see that it does, [namings] vary which ARQ has
// which number: all ways for two ARQs, in turn for three.
func canonical(n int, play []step) (canon []step, names []int) {
	end := modelOf(n, play)
	sorted := slices.DeleteFunc(sortQuiet(n, play), func(s step) bool { return s.decides() && end.seen[s.arq] == 0 })
	for _, s := range sorted {
		if s.arq >= 0 && !slices.Contains(names, s.arq) {
			names = append(names, s.arq)
		}
	}
	numbers := make([]int, n)
	for number, arq := range names {
		numbers[arq] = number
	}
	return sortQuiet(n, renumber(sorted, numbers)), names
}

func (s step) decides() bool { return s.what == doBind || s.what == doFail }

func sortQuiet(n int, play []step) []step {
	sorted, from, m := slices.Clone(play), 0, model{n: n}
	for i, s := range play {
		after := m.after(s)
		if !after.quietSince(m) {
			slices.SortStableFunc(sorted[from:i], func(a, b step) int { return cmp.Compare(a.rank(), b.rank()) })
			from = i + 1
		}
		m = after
	}
	return sorted
}

func renumber(play []step, numbers []int) []step {
	renumbered := slices.Clone(play)
	for i, s := range play {
		if s.arq >= 0 {
			renumbered[i].arq = numbers[s.arq]
		}
	}
	return renumbered
}

// namings are the ways to number ARQs.
var namings = map[int][][]int{
	1: {{0}},
	2: {{0, 1}, {1, 0}},
	3: {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}},
}

// orderlyResolved answers bind_state=resolved; only plain looks count.
type orderlyResolved struct{ *cyborg }

func (c orderlyResolved) ARQs(context.Context, cyborgclient.ARQFilter) ([]cyborgclient.ARQ, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, arq := range c.arqs {
		if !arq.State.Resolved() {
			return nil, &cyborgclient.Error{Op: "list", StatusCode: 423, Err: cyborgclient.ErrNotResolved}
		}
	}
	c.polls = append(c.polls, time.Since(c.start))
	return c.arqs, nil
}

func oursResolved(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
	w, err := virtdriver.NewWaiter(orderlyResolved{c}, virtdriver.WithResolvedPolls(),
		virtdriver.WithReceiver(r), virtdriver.WithPollInterval(interval), virtdriver.WithTimeout(deadline))
	if err != nil {
		return nil, err
	}
	return w.Wait(ctx, want)
}

func ours(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
	w, err := virtdriver.NewWaiter(c, virtdriver.WithReceiver(r), virtdriver.WithPollInterval(interval), virtdriver.WithTimeout(deadline))
	if err != nil {
		return nil, err
	}
	return w.Wait(ctx, want)
}

// rightWaiters are the ways to wait that this package has.
var rightWaiters = map[string]waiter{
	"plain polls":    {ours, (*virtdriver.Receiver).Deliver},
	"resolved polls": {oursResolved, (*virtdriver.Receiver).Deliver},
}

// wrongWaiters are waits as one could think they are right, among them with the faults of Nova's own.
var wrongWaiters = map[string]waiter{
	"takes no events": {func(ctx context.Context, c *cyborg, _ *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
		other, err := virtdriver.NewReceiver()
		if err != nil {
			return nil, err
		}
		return ours(ctx, c, other, interval, want)
	}, (*virtdriver.Receiver).Deliver},
	"never polls again": {func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, _ time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
		return ours(ctx, c, r, 2*deadline, want)
	}, (*virtdriver.Receiver).Deliver},
	"looks at no state, as Nova does for what is decided early": {func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
		arqs, err := ours(ctx, c, r, interval, want)
		if errors.Is(err, virtdriver.ErrNotBound) {
			return c.arqs, nil
		}
		return arqs, err
	}, (*virtdriver.Receiver).Deliver},
	"forgets the last ARQ": {func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
		want.ARQs = want.ARQs[:len(want.ARQs)-1]
		return ours(ctx, c, r, interval, want)
	}, (*virtdriver.Receiver).Deliver},
	"polls before it registers": {func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
		if _, err := c.ARQsByInstance(ctx, want.Instance); err != nil {
			return nil, err
		}
		return ours(ctx, c, r, interval, want)
	}, (*virtdriver.Receiver).Deliver},
	"stays when it is cancelled": {func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
		return ours(context.WithoutCancel(ctx), c, r, interval, want)
	}, (*virtdriver.Receiver).Deliver},
	"looks again at a duplicate": {ours, func(r *virtdriver.Receiver, e virtdriver.Event) bool {
		return r.Deliver(e) || r.Deliver(virtdriver.Event{Name: virtdriver.EventsBound, ServerUUID: e.ServerUUID, Tag: "p", Status: e.Status})
	}},
	"takes a duplicate for the event of another ARQ": {ours, func(r *virtdriver.Receiver, e virtdriver.Event) bool {
		return r.Deliver(e) || slices.ContainsFunc(playARQs[:], func(other string) bool { return r.Deliver(bound(other)) })
	}},
}

// disagreements performs one in share of the plays, from the part-th on, and returns how many there are in all and the
// first ones that do not go as the model says.
func disagreements(t *testing.T, n int, reduced bool, w waiter, part, share int) (count int, found []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st := stage{w, newReceiver(t)}
		orders(n, reduced, func(play []step) {
			numberings := namings[n]
			if n > 2 { // in turn
				numberings = numberings[count%len(numberings):][:1]
			}
			count++
			if count%share != part || len(found) >= 3 {
				return
			}
			for _, numbers := range numberings {
				if problem := st.perform(t, n, renumber(play, numbers)); problem != "" {
					found = append(found, problem)
				}
			}
		})
	})
	return count, found
}

// TestWaitInEveryOrder: whatever the order in which ARQs are decided, events come, come twice or are lost, the wait
// begins, polls, is cancelled or runs out of time, it does at each step what it should, ends in the one right verdict
// with a table of what it saw, and leaves no waiter. One and two ARQs are played in every order, three in the orders
// that stand for all, see [canonical]: plain polls in each of them, resolved polls in one of ten; in one of twenty of
// these with -short or the race detector. To play three ARQs in every order takes minutes:
//
//	go test ./virtdriver -run TestWaitInEveryOrder -every-order -timeout 1h
func TestWaitInEveryOrder(t *testing.T) {
	t.Parallel()
	for how, w := range rightWaiters {
		for n, plays := range map[int]int{1: 188, 2: 22354} {
			t.Run(fmt.Sprintf("%s of %d ARQs", how, n), func(t *testing.T) {
				t.Parallel()
				count, found := disagreements(t, n, false, w, 0, 1)
				assert.Empty(t, found)
				assert.Equal(t, plays, count)
			})
		}
		plays, parts, share := 530298, 4, 4
		switch {
		case *everyOrder:
			plays = 4848687 // resolved polls in one of ten, too
		case testing.Short() || raceDetector():
			share *= 20
		}
		if how != "plain polls" {
			share *= 10
		}
		for part := range parts {
			t.Run(fmt.Sprintf("%s of 3 ARQs, part %d of %d", how, part+1, parts), func(t *testing.T) {
				t.Parallel()
				count, found := disagreements(t, 3, !*everyOrder, w, part, share)
				assert.Empty(t, found)
				assert.Equal(t, plays, count)
				t.Logf("1 in %d of %d orders", share, count)
			})
		}
	}
}

// raceDetector says that the race detector is on, with which everything takes much longer.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// word is a play as a key.
func word(play []step) string {
	letters := make([]byte, 0, 2*len(play))
	for _, s := range play {
		letters = append(letters, byte(s.what), byte(s.arq+1))
	}
	return string(letters)
}

// TestReducedOrdersLoseNothing: every play has its canonical one among the reduced orders, which are no others, and
// both end alike; a waiter that is wrong in a play is wrong in the canonical one too.
func TestReducedOrdersLoseNothing(t *testing.T) {
	t.Parallel()
	waiters := maps.Clone(rightWaiters)
	maps.Copy(waiters, wrongWaiters)
	for n := 1; n <= 2; n++ {
		reduced, met := map[string]bool{}, map[string]bool{}
		orders(n, true, func(play []step) { reduced[word(play)] = true })
		var pairs [][2][]step
		orders(n, false, func(play []step) {
			canon, names := canonical(n, play)
			met[word(canon)] = true
			pair := [2][]step{slices.Clone(play), renumber(canon, names)}
			require.Equal(t, modelOf(n, pair[0]).result(), modelOf(n, pair[1]).result(), pair)
			pairs = append(pairs, pair)
		})
		require.Equal(t, reduced, met)
		t.Logf("%d of %d orders stand for all of %d ARQs", len(reduced), len(pairs), n)
		for name, w := range waiters {
			t.Run(fmt.Sprintf("%d ARQs, %s", n, name), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { comparePairs(t, n, stage{w, newReceiver(t)}, pairs) })
			})
		}
	}
}

// comparePairs performs plays with those that stand for them.
func comparePairs(t *testing.T, n int, st stage, pairs [][2][]step) {
	t.Helper()
	known := map[string]string{}
	for i, pair := range pairs {
		if raceDetector() && len(pairs) > 1000 && i%20 != 0 {
			continue
		}
		key := word(pair[1])
		if _, ok := known[key]; !ok {
			known[key] = st.perform(t, n, pair[1])
		}
		if problem := st.perform(t, n, pair[0]); problem != "" && known[key] == "" {
			t.Fatalf("%s, but %v goes as it should", problem, pair[1])
		}
	}
}

// TestReducedOrdersOfThree: the canonical plays of three ARQs are among the reduced ones, too, whatever the ARQs'
// numbers, and end alike by the model. It looks at one order in a hundred, and with -every-order at all.
func TestReducedOrdersOfThree(t *testing.T) {
	t.Parallel()
	share := 101
	if *everyOrder {
		share = 1
	}
	reduced := map[string]bool{}
	orders(3, true, func(play []step) { reduced[word(play)] = true })
	count := 0
	orders(3, false, func(play []step) {
		if count++; count%share != 0 {
			return
		}
		play = renumber(play, namings[3][count/share%len(namings[3])])
		canon, names := canonical(3, play)
		if !reduced[word(canon)] {
			t.Fatalf("%v is not among the reduced orders; it stands for %v", canon, play)
		}
		if a, b := modelOf(3, play).result(), modelOf(3, renumber(canon, names)).result(); a != b {
			t.Fatalf("%v ends as %v, but %v for it as %v", play, a, canon, b)
		}
	})
	t.Logf("%d of %d orders stand for all", len(reduced), count)
}

// TestWrongWaitersAreFound: the plays and the model tell a right waiter from wrong ones.
func TestWrongWaitersAreFound(t *testing.T) {
	t.Parallel()
	for name, wrong := range wrongWaiters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, found := disagreements(t, 2, true, wrong, 0, 1)
			assert.NotEmpty(t, found)
		})
	}
}
