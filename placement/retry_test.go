package placement

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer is a scripted reply.
type answer struct {
	status int
	code   string
	detail string
}

// script answers PUTs with its replies in turn, and the other requests as an empty Placement.
type script struct {
	answers []answer
	puts    []map[string]any
	times   []time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.Method == http.MethodPut:
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return nil, err
		}
		s.puts, s.times = append(s.puts, body), append(s.times, time.Now())
		reply := s.answers[min(len(s.puts), len(s.answers))-1]
		return respond(r, reply.status, map[string]any{"errors": []any{map[string]any{
			"status": reply.status, "code": reply.code, "detail": "Stock sentence.\n\n " + reply.detail + "  ", "request_id": "req-1",
		}}}), nil
	case r.URL.Path == "/":
		return respond(r, 200, map[string]any{"versions": []any{map[string]any{"id": "v1.0", "min_version": "1.0", "max_version": "1.39"}}}), nil
	}
	return respond(r, 200, map[string]any{"allocations": map[string]any{}}), nil
}

func respond(r *http.Request, status int, body any) *http.Response {
	text, _ := json.Marshal(body)
	if status == http.StatusNoContent {
		text = nil
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(text)), Request: r,
	}
}

var (
	concurrent = answer{409, "placement.concurrent_update", "consumer generation conflict"}
	noRoom     = answer{409, "placement.undefined_code", "Unable to allocate inventory: no room"}
	done       = answer{status: 204}
)

func TestConflictsAreRepeatedAfterGrowingWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{concurrent, concurrent, concurrent, done}}
		c := newClient(t, WithEndpoint("http://placement.invalid"), WithToken("admin"), WithTransport(s))
		claim, err := c.Claim(t.Context(), newConsumer(), Candidate{
			Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}, Mapping: map[string][]string{"device_profile_0": {"p"}},
		})
		require.NoError(t, err)
		assert.EqualValues(t, 1, claim.Generation)
		require.Len(t, s.puts, 4)
		for try := range 3 {
			wait, span := s.times[try+1].Sub(s.times[try]), conflictFirstWait<<try
			assert.GreaterOrEqual(t, wait, span/2)
			assert.LessOrEqual(t, wait, span)
		}
		last := s.puts[3]
		assert.Contains(t, last, "consumer_generation")
		assert.Nil(t, last["consumer_generation"])
		assert.Equal(t, map[string]any{"device_profile_0": []any{"p"}}, last["mappings"])
	})
}

// A busy provider refuses each kind of write twice: all come through, at generations that follow one another.
func TestEachWriteIsRepeatedAfterConflicts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refusals, writes := 0, 0
		c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/allocations/") {
					return next.RoundTrip(r)
				}
				writes++
				if refusals--; refusals >= 0 {
					return answerWith(concurrent.status, `{"errors": [{"code": "placement.concurrent_update", "detail": "busy"}]}`)(r)
				}
				return next.RoundTrip(r)
			})
		})
		s, to := newScene(), newScene()
		s.report(t, c)
		to.report(t, c)
		from, err := c.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		other, err := c.Candidates(t.Context(), request(flavor(), devices(0, to.FPGA, 1)))
		require.NoError(t, err)

		refusals = 2
		claim, err := c.Claim(t.Context(), newConsumer(), from.List[0])
		require.NoError(t, err)
		refusals = 2
		both, err := c.Move(t.Context(), claim, other.List[0])
		require.NoError(t, err)
		refusals = 2
		after, err := c.Drop(t.Context(), both, claim.Allocations)
		require.NoError(t, err)
		assert.Equal(t, []int64{1, 2, 3}, []int64{claim.Generation, both.Generation, after.Generation})
		refusals = 2
		require.NoError(t, c.Release(t.Context(), after))
		assert.Equal(t, 4*3, writes)
		assert.Zero(t, server.AllocationCount())
	})
}

func TestWaitsAreJittered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := make(map[time.Duration]bool)
		for range 20 {
			start := time.Now()
			require.NoError(t, pause(t.Context(), 4))
			waits[time.Since(start)] = true
		}
		assert.Greater(t, len(waits), 10)
	})
}

func TestConflictsEndInAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{concurrent}}
		c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(s))
		start := time.Now()
		consumer := newConsumer()
		_, err := c.Claim(t.Context(), consumer, Candidate{Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}})
		require.ErrorIs(t, err, ErrConcurrentUpdate)
		assert.Len(t, s.puts, conflictTries)
		assert.Less(t, time.Since(start), 10*time.Second)
		assert.EqualError(t, err, "claim consumer "+consumer.UUID+": 409 consumer generation conflict: changed by others at the same time (req-1)")
	})
}

func TestLackOfRoomIsNotRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{noRoom}}
		c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(s))
		start := time.Now()
		_, err := c.Claim(t.Context(), newConsumer(), Candidate{Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}})
		require.ErrorIs(t, err, ErrNoCapacity)
		assert.Len(t, s.puts, 1)
		assert.Zero(t, time.Since(start))
	})
}

func TestWaitsEndWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{concurrent}}
		c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(s))
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
		defer cancel()
		_, err := c.Claim(ctx, newConsumer(), Candidate{Allocations: map[string]map[string]int64{"p": {"FPGA": 1}}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, ErrConcurrentUpdate)
	})
}
