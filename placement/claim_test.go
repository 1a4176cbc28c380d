package placement

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClaimAndRelease(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		req := request(flavor(), devices(0, s.FPGA, 1))
		claim := claimOne(t, c, req)
		assert.EqualValues(t, 1, claim.Generation)

		held, err := c.Allocations(t.Context(), claim.Consumer.UUID)
		require.NoError(t, err)
		assert.Equal(t, &ConsumerAllocations{
			Consumer: claim.Consumer, Generation: 1, Type: "unknown", Allocations: claim.Allocations,
		}, held)

		require.NoError(t, c.Release(t.Context(), claim))
		require.NoError(t, c.Release(t.Context(), claim), "releasing twice is no error")
		held, err = c.Allocations(t.Context(), claim.Consumer.UUID)
		require.NoError(t, err)
		assert.Empty(t, held.Allocations)
		claimOne(t, c, req)
	})
}

func TestClaimOfWhatIsGone(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		found, err := c.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		_, err = c.Claim(t.Context(), newConsumer(), found.List[0])
		require.NoError(t, err)
		second := newConsumer()
		claim, err := c.Claim(t.Context(), second, found.List[0])
		require.ErrorIs(t, err, ErrNoCapacity)
		require.NotErrorIs(t, err, ErrConcurrentUpdate)
		assert.Empty(t, claim)
		require.NoError(t, c.Release(t.Context(), claim), "a failed claim can be released")
	})
}

func TestClaimNeverOverwritesForeignAllocations(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		mine := claimOne(t, c, request(flavor()))
		found, err := c.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 1)))
		require.NoError(t, err)

		for _, candidate := range []Candidate{found.List[0], {Allocations: mine.Allocations}} {
			refused, err := c.Claim(t.Context(), mine.Consumer, candidate)
			require.ErrorIs(t, err, ErrConsumerExists)
			assert.Empty(t, refused)
			require.NoError(t, c.Release(t.Context(), refused))
			held, err := c.Allocations(t.Context(), mine.Consumer.UUID)
			require.NoError(t, err)
			assert.Equal(t, mine.Allocations, held.Allocations, "what the refused claim did not write stays, even if it is the same")
		}
	})
}

func TestReleaseOfWhatOthersChanged(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		claim := claimOne(t, c, request(flavor()))
		found, err := c.Candidates(t.Context(), request(devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		moved, err := c.Move(t.Context(), claim, found.List[0])
		require.NoError(t, err)
		assert.EqualValues(t, 2, moved.Generation)

		require.ErrorIs(t, c.Release(t.Context(), claim), ErrConsumerChanged)
		require.NoError(t, c.Release(t.Context(), moved))
	})
}

func TestMoveAndDrop(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		from, to := newScene(), newScene()
		from.report(t, c)
		to.report(t, c)
		source := claimOne(t, c, request(flavor(), devices(0, from.GPU, 1)))
		found, err := c.Candidates(t.Context(), request(flavor(), devices(0, to.GPU, 1)))
		require.NoError(t, err)
		target := found.List[0]

		both, err := c.Move(t.Context(), source, target)
		require.NoError(t, err)
		assert.Equal(t, sumAllocations(source.Allocations, target.Allocations), both.Allocations)
		again, err := c.Move(t.Context(), source, target)
		require.ErrorIs(t, err, ErrConsumerChanged, "an equal move is somebody else's")
		assert.Empty(t, again)
		_, err = c.Move(t.Context(), source, Candidate{Allocations: source.Allocations})
		require.ErrorIs(t, err, ErrConsumerChanged, "for anything else the old claim is not valid any more")

		after, err := c.Drop(t.Context(), both, source.Allocations)
		require.NoError(t, err)
		assert.Equal(t, target.Allocations, after.Allocations)
		held, err := c.Allocations(t.Context(), source.Consumer.UUID)
		require.NoError(t, err)
		assert.Equal(t, target.Allocations, held.Allocations)
		_, err = c.Drop(t.Context(), after, source.Allocations)
		require.ErrorIs(t, err, ErrInvalid)
		require.NoError(t, c.Release(t.Context(), after))
	})
}

// Placement leaves an empty consumer behind when it refuses a new one because a provider is missing.
func TestClaimAfterAMissingProvider(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		consumer := newConsumer()
		missing := Candidate{Allocations: map[string]map[string]int64{uuid.NewString(): {"VCPU": 1}}}
		_, err := c.Claim(t.Context(), consumer, missing)
		require.ErrorContains(t, err, "400")

		found, err := c.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		claim, err := c.Claim(t.Context(), consumer, found.List[0])
		require.NoError(t, err)
		assert.EqualValues(t, 1, claim.Generation)
		require.NoError(t, c.Release(t.Context(), claim))
	})
}

// loseReplies lets the first n writes of a kind reach the server and loses their replies.
func loseReplies(n int64, method, path string) func(http.RoundTripper) http.RoundTripper {
	var left atomic.Int64
	left.Store(n)
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if err == nil && r.Method == method && strings.Contains(r.URL.Path, path) && left.Add(-1) >= 0 {
				_ = response.Body.Close()
				return nil, errors.New("connection reset by peer")
			}
			return response, err
		})
	}
}

func TestClaimRecognisesItsOwnSuccess(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		lost int64
	}{
		{"one reply lost, the repetition conflicts", 1},
		{"every reply lost", 100},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, server := inMemoryThrough(t, loseReplies(test.lost, http.MethodPut, "/allocations/"))
			s := newScene()
			s.report(t, c)
			claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
			assert.EqualValues(t, 1, claim.Generation)
			require.NoError(t, c.Release(t.Context(), claim))
			assert.Zero(t, server.AllocationCount())
		})
	}
}
