package elasticpool

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ask calls a breaker and says whether the cloud was asked.
func ask(b *breaker, kind guarded, answer error) (asked bool, err error) {
	err = b.call("ask", kind, func() error {
		asked = true
		return answer
	})
	return asked, err
}

func quietBreaker() *breaker { return newBreaker("north", nil, slog.New(slog.DiscardHandler)) }

// tripped returns a breaker that has just opened.
func tripped(t *testing.T) *breaker {
	t.Helper()
	b := quietBreaker()
	for range breakerFailures {
		asked, err := ask(b, guardOther, transient)
		require.True(t, asked)
		require.ErrorIs(t, err, ErrTransient)
	}
	require.Equal(t, BreakerOpen, b.status().State)
	return b
}

func TestBreakerOpens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := tripped(t)
		for _, kind := range []guarded{guardLook, guardDelete, guardOther} {
			asked, err := ask(b, kind, nil)
			assert.False(t, asked)
			require.ErrorIs(t, err, ErrTransient, "it was surely not done")
			require.EqualError(t, err, "ask: cloud failure: not asked for 30s: 5 failures in a row, the last: ask: cloud failure: 503 Service Unavailable")
		}
		status := b.status()
		assert.Equal(t, 5, status.Failures)
		assert.Equal(t, 30*time.Second, time.Until(status.Until))
		assert.Contains(t, status.Reason, "503")
	})
}

func TestBreakerClosesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := tripped(t)
		time.Sleep(30 * time.Second)
		asked, err := ask(b, guardOther, nil)
		assert.False(t, asked, "creates wait for a look")
		require.ErrorContains(t, err, "not asked until the cloud answers again")
		asked, err = ask(b, guardDelete, nil)
		assert.True(t, asked)
		require.NoError(t, err)
		assert.Equal(t, BreakerStatus{Cloud: "north", State: BreakerClosed}, b.status())
		asked, _ = ask(b, guardOther, nil)
		assert.True(t, asked)
	})
}

func TestBreakerTriesOneLookAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := tripped(t)
		time.Sleep(30 * time.Second)
		answer := make(chan error)
		go func() { _ = b.call("look", guardLook, func() error { return <-answer }) }()
		synctest.Wait()
		assert.Equal(t, BreakerHalfOpen, b.status().State)
		asked, _ := ask(b, guardLook, nil)
		assert.False(t, asked)
		answer <- nil
		synctest.Wait()
		asked, _ = ask(b, guardLook, nil)
		assert.True(t, asked)
	})
}

func TestBreakerWaitsLongerEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := tripped(t)
		for _, minutes := range []float64{1, 2, 4, 8, 10, 10} {
			time.Sleep(time.Until(b.status().Until))
			asked, _ := ask(b, guardLook, transient)
			assert.True(t, asked)
			assert.InDelta(t, minutes, time.Until(b.status().Until).Minutes(), 0.001)
		}
		time.Sleep(10 * time.Minute)
		_, _ = ask(b, guardLook, nil)
		for range breakerFailures {
			_, _ = ask(b, guardLook, transient)
		}
		assert.Equal(t, 30*time.Second, time.Until(b.status().Until), "a cloud that was back is trusted anew")
	})
}

func TestBreakerCountsWhatItShould(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"quota", &CloudError{Class: ErrQuota}, BreakerClosed},
		{"capacity", &CloudError{Class: ErrCapacity}, BreakerClosed},
		{"invalid", &CloudError{Class: ErrInvalid}, BreakerClosed},
		{"unsupported", ErrUnsupported, BreakerClosed},
		{"we stop", &CloudError{Class: ErrTransient, Err: context.Canceled}, BreakerClosed},
		{"deadline", context.DeadlineExceeded, BreakerOpen},
		{"unknown outcome", &CloudError{Class: ErrUnknownOutcome}, BreakerOpen},
		{"no class", errors.New("connection refused"), BreakerOpen},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := quietBreaker()
			for range breakerFailures {
				_, _ = ask(b, guardOther, test.err)
			}
			assert.Equal(t, test.want, b.status().State)
		})
	}
	b := quietBreaker()
	for range 3 * breakerFailures {
		_, _ = ask(b, guardOther, transient)
		_, _ = ask(b, guardOther, transient)
		_, _ = ask(b, guardOther, &CloudError{Class: ErrQuota})
	}
	assert.Equal(t, BreakerClosed, b.status().State, "not in a row")
	_, _ = ask(b, guardLook, &CloudError{Class: ErrUnauthorized})
	assert.Equal(t, BreakerOpen, b.status().State, "who is not known does not knock again and again")
}

// A cloud that is down is asked less and less, while another serves.
func TestBreakerInThePool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		policy := playPolicy()
		south := policy.Classes[0]
		south.Name, south.Cloud = "small-south", "south"
		policy.Classes = append(policy.Classes, south)
		policy.Clouds = append(policy.Clouds, Cloud{Name: "south", Priority: 1})
		w.before["north servers"] = always(transient)
		w.submit("juno", 2, 5*time.Minute)
		p := w.pool(t, dir, policy)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		assert.Equal(t, 2, w.calls("south create"))
		assert.Zero(t, w.unfinished())
		assert.Less(t, w.calls("north servers"), 25, "not 240 times")
		assert.Equal(t, BreakerOpen, p.Status().Breakers[0].State)
		assert.Equal(t, BreakerClosed, p.Status().Breakers[1].State)
		w.set(func() { clear(w.before) })
		runFor(t, p, 15*time.Minute)
		assert.Equal(t, BreakerClosed, p.Status().Breakers[0].State)
	})
}
