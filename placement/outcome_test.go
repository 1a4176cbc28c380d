package placement

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mishap is what becomes of one request.
type mishap struct {
	name   string
	effect bool // whether the request reaches the service all the same
	err    error
	status int
	body   string
}

const ownFault = `{"errors": [{"status": 0, "title": "x", "detail": "x", "code": "placement.undefined_code"}]}`

var (
	fine    = mishap{name: "fine", effect: true}
	mishaps = []mishap{
		fine,
		{name: "no connection", err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}},
		{name: "reset", err: io.ErrUnexpectedEOF},
		{name: "reply lost", effect: true, err: io.ErrUnexpectedEOF},
		{name: "refused", status: 403, body: ownFault},
		{name: "not authenticated", status: 401, body: `{"error": {"code": 401}}`},
		{name: "internal error", status: 500, body: ownFault},
		{name: "internal error behind the write", effect: true, status: 500, body: ownFault},
		{name: "bad gateway", status: 502},
		{name: "bad gateway behind the write", effect: true, status: 502},
		{name: "busy", status: 503, body: ownFault},
		{name: "too many behind the write", effect: true, status: 429},
		{name: "a proxy's 401 behind the write", effect: true, status: 401, body: `{}`},
		{name: "a proxy's 404 behind the write", effect: true, status: 404, body: `<html>`},
		{name: "a proxy's 409 behind the write", effect: true, status: 409, body: `{}`},
		{name: "a proxy's 408", status: 408, body: ownFault},
	}
)

// unlucky lets the writes of allocations meet mishaps in turn, and the readings of them fail while blind is set.
type unlucky struct {
	next    http.RoundTripper
	mishaps []mishap
	blind   bool
	writes  int
	effects int
	after   func() // runs after each write
}

func (u *unlucky) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/allocations/") {
		return u.next.RoundTrip(r)
	}
	if r.Method != http.MethodPut {
		if u.blind {
			return &http.Response{StatusCode: 500, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
		}
		return u.next.RoundTrip(r)
	}
	m := fine
	if u.writes < len(u.mishaps) {
		m = u.mishaps[u.writes]
	}
	u.writes++
	if u.after != nil {
		defer u.after()
	}
	var answer *http.Response
	if m.effect {
		var err error
		if answer, err = u.next.RoundTrip(r); err != nil {
			return nil, err
		}
		u.effects++
	}
	switch {
	case m.err != nil:
		return nil, m.err
	case m.status != 0:
		return &http.Response{
			StatusCode: m.status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(m.body)), Request: r,
		}, nil
	}
	return answer, nil
}

// telling are the mishaps that differ in kind.
var telling = []mishap{mishaps[1], mishaps[3], mishaps[4], mishaps[8], mishaps[14]}

// sequences calls with each sequence of two mishaps, with and without a look at the outcome being possible.
func sequences(t *testing.T, firsts []mishap, run func(t *testing.T, fate *unlucky)) {
	t.Helper()
	for _, first := range firsts {
		for _, second := range append([]mishap{fine}, telling...) {
			for _, blind := range []bool{false, true} {
				name := first.name + ", " + second.name
				if blind {
					name += ", blind"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { run(t, &unlucky{mishaps: []mishap{first, second}, blind: blind}) })
				})
			}
		}
	}
}

// luckless makes a client with its fate, and another of the same Placement that has none.
func luckless(t *testing.T, fate *unlucky) (c, quiet *Client) {
	t.Helper()
	quiet, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next })
	fate.next = server.Transport()
	return newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(fate)), quiet
}

func holds(t *testing.T, c *Client, consumer Consumer) map[string]map[string]int64 {
	t.Helper()
	held, err := c.Allocations(t.Context(), consumer.UUID)
	require.NoError(t, err)
	return held.Allocations
}

// Whatever happens to a claim, its result says what must be given back, and that is enough.
func TestClaimSaysWhatWasTaken(t *testing.T) {
	t.Parallel()
	sequences(t, mishaps, func(t *testing.T, fate *unlucky) {
		c, quiet := luckless(t, fate)
		s := newScene()
		s.report(t, quiet)
		found, err := quiet.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		consumer, candidate := newConsumer(), found.List[0]

		claim, err := c.Claim(t.Context(), consumer, candidate)
		held := holds(t, quiet, consumer)
		switch {
		case err == nil:
			assert.Equal(t, candidate.Allocations, held)
			assert.EqualValues(t, 1, claim.Generation)
		case claim.Allocations == nil:
			assert.Empty(t, claim)
			assert.Empty(t, held, "%v", err)
		default:
			assert.Equal(t, Claim{Consumer: consumer, Allocations: candidate.Allocations}, claim)
		}
		assert.LessOrEqual(t, fate.effects, 2)
		require.NoError(t, quiet.Release(t.Context(), claim))
		assert.Empty(t, holds(t, quiet, consumer))
	})
}

// The same with an allocation that somebody made before: it is never taken for the claim's own unless a request of it is
// unknown, and never given back.
func TestClaimLeavesAnEqualOneAlone(t *testing.T) {
	t.Parallel()
	for _, m := range []mishap{fine, mishaps[1], mishaps[4]} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fate := &unlucky{mishaps: []mishap{m}}
				c, quiet := luckless(t, fate)
				s := newScene()
				s.report(t, quiet)
				first := claimOne(t, quiet, request(flavor(), devices(0, s.FPGA, 1)))
				claim, err := c.Claim(t.Context(), first.Consumer, Candidate{Allocations: first.Allocations})
				require.Error(t, err)
				assert.Empty(t, claim)
				require.NoError(t, c.Release(t.Context(), claim))
				assert.Equal(t, first.Allocations, holds(t, quiet, first.Consumer))
			})
		})
	}
}

// A move's result says what the consumer may hold: the intended or the old, and giving back both leaves nothing.
func TestMoveSaysWhatWasTaken(t *testing.T) {
	t.Parallel()
	sequences(t, telling, func(t *testing.T, fate *unlucky) {
		c, quiet := luckless(t, fate)
		s := newScene()
		s.report(t, quiet)
		old := claimOne(t, quiet, request(flavor()))
		card := Candidate{Allocations: map[string]map[string]int64{s.Cards[1].UUID: {s.GPU: 1}}}
		both := sumAllocations(old.Allocations, card.Allocations)

		moved, err := c.Move(t.Context(), old, card)
		held := holds(t, quiet, old.Consumer)
		switch {
		case err == nil:
			assert.Equal(t, both, held)
		case moved.Allocations == nil:
			assert.Empty(t, moved)
			assert.Equal(t, old.Allocations, held, "%v", err)
		default:
			assert.Equal(t, Claim{Consumer: old.Consumer, Allocations: both}, moved)
		}
		errMoved, errOld := quiet.Release(t.Context(), moved), quiet.Release(t.Context(), old)
		assert.False(t, errMoved != nil && errOld != nil, "%v, %v", errMoved, errOld)
		assert.Empty(t, holds(t, quiet, old.Consumer))
	})
}

// Release is done when nothing is held, and leaves everything when it says that it is refused.
func TestReleaseSaysWhatItDid(t *testing.T) {
	t.Parallel()
	sequences(t, telling, func(t *testing.T, fate *unlucky) {
		c, quiet := luckless(t, fate)
		s := newScene()
		s.report(t, quiet)
		claim := claimOne(t, quiet, request(flavor()))
		err := c.Release(t.Context(), claim)
		if err == nil {
			assert.Empty(t, holds(t, quiet, claim.Consumer))
			return
		}
		require.NoError(t, quiet.Release(t.Context(), claim))
		assert.Empty(t, holds(t, quiet, claim.Consumer))
	})
}

// The caller's time is up at some point; what comes back is enough to clean up.
func TestClaimWhenTheTimeIsUp(t *testing.T) {
	t.Parallel()
	for _, m := range mishaps {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				fate := &unlucky{mishaps: []mishap{m}, after: cancel}
				c, quiet := luckless(t, fate)
				s := newScene()
				s.report(t, quiet)
				found, err := quiet.Candidates(t.Context(), request(flavor()))
				require.NoError(t, err)
				consumer := newConsumer()
				claim, err := c.Claim(ctx, consumer, found.List[0])
				if err != nil && claim.Allocations == nil {
					assert.Empty(t, holds(t, quiet, consumer), "%v", err)
				}
				require.NoError(t, quiet.Release(t.Context(), claim))
				assert.Empty(t, holds(t, quiet, consumer))
			})
		})
	}
}

// Nothing is sent, and nothing can be taken, after the end of the context, and when the versions cannot be read.
func TestClaimThatIsNotSent(t *testing.T) {
	t.Parallel()
	candidate := Candidate{Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}}
	mapped := candidate
	mapped.Mapping = map[string][]string{"": {"p"}}
	for name, what := range map[string]Candidate{"plain": candidate, "after the versions": mapped} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fate := &unlucky{}
			c, _ := luckless(t, fate)
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			claim, err := c.Claim(ended, newConsumer(), what)
			require.ErrorIs(t, err, context.Canceled)
			assert.Empty(t, claim)
			assert.Zero(t, fate.writes)
		})
	}
}

// The write arrives after its sender gave it up and looked, and takes the room that its repetition then does not find:
// the refusal is no failure.
func TestClaimThatArrivesLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fate := &unlucky{}
		c, quiet := luckless(t, fate)
		s := newScene()
		s.report(t, quiet)
		found, err := quiet.Candidates(t.Context(), request(devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		consumer, candidate := newConsumer(), found.List[0]
		fate.mishaps = []mishap{{status: 504}, {status: 409, body: ownFault}}
		fate.after = func() {
			if fate.writes == 2 {
				_, err := quiet.Claim(t.Context(), consumer, candidate)
				assert.NoError(t, err)
			}
		}
		claim, err := c.Claim(t.Context(), consumer, candidate)
		require.NoError(t, err)
		assert.EqualValues(t, 1, claim.Generation)
		assert.Equal(t, candidate.Allocations, holds(t, quiet, consumer))
	})
}

// A service that never tells what it does with a write is not asked for ever.
func TestLostRequestsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fate := &unlucky{}
		for range 20 {
			fate.mishaps = append(fate.mishaps, mishap{status: 502})
		}
		c, _ := luckless(t, fate)
		start := time.Now()
		claim, err := c.Claim(t.Context(), newConsumer(), Candidate{Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}})
		require.ErrorContains(t, err, "502")
		assert.NotEmpty(t, claim.Allocations)
		assert.Zero(t, claim.Generation)
		assert.Equal(t, mostLost, fate.writes)
		assert.Less(t, time.Since(start), 10*time.Second)
	})
}

// The versions are read by each caller within its own deadline.
func TestVersionsAreReadWithinTheOwnDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})))
		patient, cancel := context.WithTimeout(t.Context(), time.Hour)
		go func() { _, _ = c.Allocations(patient, "x") }()
		synctest.Wait()
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		start := time.Now()
		_, err := c.Allocations(ctx, "x")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))
		cancel()
		synctest.Wait()
	})
}
