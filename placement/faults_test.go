package placement

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// before runs something once, right before the first request of a kind.
func before(method, path string, do func()) func(http.RoundTripper) http.RoundTripper {
	var once sync.Once
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == method && strings.HasSuffix(r.URL.Path, path) {
				once.Do(do)
			}
			return next.RoundTrip(r)
		})
	}
}

// Somebody writes to a provider between our reading and our writing: the report starts over and keeps their work.
func TestReportStartsOverWhenOthersWrite(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path string }{
		{"before the traits", "/traits"},
		{"before the inventories", "/inventories"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene()
			interfere := func() {}
			mine, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next })
			owned := s.report(t, mine)
			racing := newClient(t, WithEndpoint(server.URL()), WithToken("admin"),
				WithTransport(before(http.MethodPut, test.path, func() { interfere() })(server.Transport())))
			card := s.Cards[2]
			interfere = func() { foreign(t, mine, card.UUID, "CUSTOM_MAINTENANCE", "CUSTOM_NIC", 7) }

			changed := card
			changed.Traits, changed.Inventories = []string{"CUSTOM_NEW"}, map[string]Inventory{s.GPU: {Total: 5}}
			mustReport(t, racing, s.under(changed), owned)
			got := contentOf(t, mine, card.UUID)
			assert.Equal(t, []string{"CUSTOM_MAINTENANCE", "CUSTOM_NEW"}, got.Traits)
			assert.Equal(t, 5, got.Inventories[s.GPU].Total)
			assert.Equal(t, 7, got.Inventories["CUSTOM_NIC"].Total)
		})
	}
}

// Between the plan and the removal somebody puts a child under a vanished provider, or claims it.
func TestReportKeepsWhatIsTakenAtTheLastMoment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		take func(t *testing.T, c *Client, s scene)
		left func(s scene) map[string]Inventory
	}{
		{"a child", func(t *testing.T, c *Client, s scene) {
			t.Helper()
			_, err := resourceproviders.Create(t.Context(), c.at(baseline), resourceproviders.CreateOpts{
				Name: "guest", UUID: uuid.NewString(), ParentProviderUUID: s.Cards[0].UUID,
			}).Extract()
			require.NoError(t, err)
		}, func(scene) map[string]Inventory { return nil }},
		{"a claim", func(t *testing.T, c *Client, s scene) {
			t.Helper()
			claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
		}, func(s scene) map[string]Inventory {
			return map[string]Inventory{s.FPGA: s.Cards[0].Inventories[s.FPGA].withdrawn()}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene()
			mine, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next })
			owned := s.report(t, mine)
			card := s.Cards[0]
			racing := newClient(t, WithEndpoint(server.URL()), WithToken("admin"),
				WithTransport(before(http.MethodPut, card.UUID+"/inventories", func() { test.take(t, mine, s) })(server.Transport())))
			_, err := racing.Report(t.Context(), s.under(s.Cards[1]), owned)
			require.ErrorIs(t, err, ErrInUse)
			card.Inventories = test.left(s)
			assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, mine, card.UUID))
			_, err = mine.Provider(t.Context(), s.Cards[2].UUID)
			require.ErrorIs(t, err, ErrNotFound)
		})
	}
}

// Others put something into a vanished provider while it is being removed: it stays, with theirs and without ours.
func TestReportDoesNotDeleteWhatOthersJustPutThere(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, method, path string }{
		{"before the last write", http.MethodPut, "/inventories"},
		{"after the last write", http.MethodGet, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene()
			mine, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next })
			owned := s.report(t, mine)
			card := s.Cards[0]
			put := func() { foreign(t, mine, card.UUID, "CUSTOM_MAINTENANCE", "CUSTOM_NIC", 7) }
			meddle := before(test.method, card.UUID+test.path, put)(server.Transport())
			emptied := false // the first reading of the traits comes before the plan
			racing := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
				emptied = emptied || r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, card.UUID+"/inventories")
				if emptied {
					return meddle.RoundTrip(r)
				}
				return server.Transport().RoundTrip(r)
			})))
			_, err := racing.Report(t.Context(), s.under(s.Cards[1:]...), owned)
			require.ErrorIs(t, err, ErrForeign)
			got := contentOf(t, mine, card.UUID)
			assert.Equal(t, []string{"CUSTOM_MAINTENANCE"}, got.Traits)
			assert.Equal(t, []string{"CUSTOM_NIC"}, slices.Collect(maps.Keys(got.Inventories)))
		})
	}
}

func TestReleaseRecognisesItsOwnSuccess(t *testing.T) {
	t.Parallel()
	var lossy atomic.Bool
	c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
		lose := loseReplies(100, http.MethodPut, "/allocations/")(next)
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if lossy.Load() {
				return lose.RoundTrip(r)
			}
			return next.RoundTrip(r)
		})
	})
	s := newScene()
	s.report(t, c)
	claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
	lossy.Store(true)
	require.NoError(t, c.Release(t.Context(), claim))
	assert.Zero(t, server.AllocationCount())
}

// A claim whose outcome is not known can be released, moved and dropped by its content.
func TestClaimsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
		unknown := claim
		unknown.Generation = 0
		card := Candidate{Allocations: map[string]map[string]int64{s.Cards[1].UUID: {s.GPU: 1}}}
		moved, err := c.Move(t.Context(), unknown, card)
		require.NoError(t, err)
		assert.EqualValues(t, 2, moved.Generation)
		moved.Generation = 0
		back, err := c.Drop(t.Context(), moved, card.Allocations)
		require.NoError(t, err)
		assert.Equal(t, claim.Allocations, back.Allocations)
		require.ErrorIs(t, c.Release(t.Context(), moved), ErrConsumerChanged)
		require.NoError(t, c.Release(t.Context(), unknown))
		require.NoError(t, c.Release(t.Context(), unknown), "there is nothing left of it")

		_, err = c.Move(t.Context(), unknown, card)
		require.ErrorIs(t, err, ErrConsumerChanged)
		held, err := c.Allocations(t.Context(), claim.Consumer.UUID)
		require.NoError(t, err)
		assert.Empty(t, held.Allocations)
	})
}

// The caller gives up while the claim's reply is on its way: the claim it gets is enough to clean up.
func TestClaimGivenUpAndReleased(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/allocations/") && r.Context().Err() == nil {
				cancel()
			}
			return response, err
		})
	})
	s := newScene()
	s.report(t, c)
	found, err := c.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 1)))
	require.NoError(t, err)
	claim, err := c.Claim(ctx, newConsumer(), found.List[0])
	if err != nil { // the transport may notice the end of the context before the reply, or after
		require.ErrorIs(t, err, context.Canceled)
	}
	assert.Equal(t, 1, server.AllocationCount())
	require.NoError(t, c.Release(t.Context(), claim))
	assert.Zero(t, server.AllocationCount())
}

// One card, sixteen instances: one gets it, the others are told that there is no room.
func TestManyClaimOneCard(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		found, err := c.Candidates(t.Context(), request(flavor(), devices(0, s.FPGA, 1)))
		require.NoError(t, err)
		errs := make([]error, 16)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = c.Claim(t.Context(), newConsumer(), found.List[0]) })
		}
		wg.Wait()
		refused := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
		assert.Len(t, refused, 15)
		for _, err := range refused {
			require.ErrorIs(t, err, ErrNoCapacity)
		}
	})
}

func TestServerErrorsStayErrors(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if broken.Load() && r.Method == http.MethodPut {
				return nil, errors.New("connection refused")
			}
			return next.RoundTrip(r)
		})
	})
	s := newScene()
	s.report(t, c)
	found, err := c.Candidates(t.Context(), request(flavor()))
	require.NoError(t, err)
	broken.Store(true)
	claim, err := c.Claim(t.Context(), newConsumer(), found.List[0])
	require.ErrorContains(t, err, "connection refused")
	assert.Zero(t, claim.Generation)
	assert.Zero(t, server.AllocationCount())
}
