package placement

import (
	"maps"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// hostWithGPUs puts a host into Placement that has four GPUs in its own inventory, as nova-compute did before it had
// children, and claims one and three of them.
func hostWithGPUs(t *testing.T, c *Client) (s scene, before TreeProvider, owned Owned, claims []Claim) {
	t.Helper()
	s = newScene()
	before = s.Host
	before.Inventories = maps.Clone(before.Inventories)
	before.Inventories[s.GPU] = Inventory{Total: 4}
	owned = mustReport(t, c, Tree{Providers: []TreeProvider{before}}, nil)
	for _, amount := range []int64{1, 3} {
		group := flavor()
		group.Resources[s.GPU] = amount
		claims = append(claims, claimOne(t, c, request(group)))
	}
	return s, before, owned, claims
}

func TestReportReshapesInventoryThatMoves(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s, before, owned, claims := hostWithGPUs(t, c)
		after := s.Host
		after.Children = []TreeProvider{
			{UUID: uuid.NewString(), Name: "gpu0-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 1}}},
			{UUID: uuid.NewString(), Name: "gpu1-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 3}}, Traits: []string{s.Fast}},
		}
		owned = mustReport(t, c, Tree{Providers: []TreeProvider{after}}, owned)
		assertOwned(t, Owning(after), owned)
		assert.Equal(t, wantContent(s.Host, ""), contentOf(t, c, before.UUID))
		for i, claim := range claims {
			card := after.Children[i]
			assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
			held, err := c.Allocations(t.Context(), claim.Consumer.UUID)
			require.NoError(t, err)
			assert.Equal(t, map[string]map[string]int64{
				before.UUID: {"VCPU": 2, "MEMORY_MB": 1024},
				card.UUID:   {s.GPU: claim.Allocations[before.UUID][s.GPU]},
			}, held.Allocations)
			assert.Equal(t, claim.Consumer, held.Consumer)
		}

		// One card takes over the other.
		whole := s.Host
		whole.Children = []TreeProvider{after.Children[1]}
		whole.Children[0].Inventories = map[string]Inventory{s.GPU: {Total: 4}}
		whole.Children[0].Replaces = []string{after.Children[0].UUID}
		assertOwned(t, Owning(whole), mustReport(t, c, Tree{Providers: []TreeProvider{whole}}, owned))
		_, err := c.Provider(t.Context(), after.Children[0].UUID)
		require.ErrorIs(t, err, ErrNotFound)
		held, err := c.Allocations(t.Context(), claims[0].Consumer.UUID)
		require.NoError(t, err)
		assert.Equal(t, map[string]int64{s.GPU: 1}, held.Allocations[whole.Children[0].UUID])
	}, placementtest.WithoutAuth())
}

// A new card is not a replacement of one that vanished while it is claimed, unless the tree says so.
func TestReportDoesNotMoveClaimsToOtherCards(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
		spare := TreeProvider{UUID: uuid.NewString(), Name: "spare-" + s.Tag, Inventories: map[string]Inventory{s.FPGA: {Total: 1}}}
		_, err := c.Report(t.Context(), s.under(spare), owned)
		require.ErrorIs(t, err, ErrInUse)
		held, err := c.Allocations(t.Context(), claim.Consumer.UUID)
		require.NoError(t, err)
		assert.Equal(t, claim.Allocations, held.Allocations)
		assert.Equal(t, wantContent(spare, s.Host.UUID), contentOf(t, c, spare.UUID))
	})
}

// What cannot move, for lack of room or because the amount is not allowed, is withdrawn; the same devices are not offered
// elsewhere meanwhile, and everything else is done. Once it is released, the report comes to its end.
func TestReshapeThatCannotBe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		cards []Inventory
	}{
		{"no room", []Inventory{{Total: 2}, {Total: 2}}},
		{"max_unit", []Inventory{{Total: 4, MaxUnit: 2}}},
		{"min_unit", []Inventory{{Total: 4, MinUnit: 4}}},
		{"step_size", []Inventory{{Total: 4, StepSize: 2}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T, c *Client) {
				s, before, owned, claims := hostWithGPUs(t, c)
				spare := TreeProvider{UUID: uuid.NewString(), Name: "spare-" + s.Tag, Inventories: map[string]Inventory{s.FPGA: {Total: 1}}}
				maps.Copy(owned, mustReport(t, c, s.under(spare), nil))
				after, withdrawn := s.Host, before
				for i, inventory := range test.cards {
					after.Children = append(after.Children, TreeProvider{
						UUID: uuid.NewString(), Name: string(rune('a'+i)) + "-" + s.Tag,
						Inventories: map[string]Inventory{s.GPU: inventory}, Traits: []string{s.Fast},
					})
				}
				withdrawn.Inventories = maps.Clone(before.Inventories)
				withdrawn.Inventories[s.GPU] = before.Inventories[s.GPU].withDefaults().withdrawn()
				for range 2 {
					var err error
					owned, err = c.Report(t.Context(), Tree{Providers: []TreeProvider{after}}, owned)
					require.ErrorIs(t, err, ErrInUse)
					require.ErrorContains(t, err, "no provider has room for the ")
					require.ErrorContains(t, err, "allocated: it is withdrawn")
					assert.Equal(t, wantContent(withdrawn, ""), contentOf(t, c, before.UUID))
					for _, card := range after.Children {
						card.Inventories = nil
						assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
					}
					_, err = c.Provider(t.Context(), spare.UUID)
					require.ErrorIs(t, err, ErrNotFound)
				}
				for _, claim := range claims {
					require.NoError(t, c.Release(t.Context(), claim))
				}
				assertOwned(t, Owning(after), mustReport(t, c, Tree{Providers: []TreeProvider{after}}, owned))
				for _, card := range after.Children {
					assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
				}
			}, placementtest.WithoutAuth())
		})
	}
}

// A part that stays claimed does not keep the claims that fit from moving once it is released.
func TestReshapeAfterARelease(t *testing.T) {
	t.Parallel()
	c := inMemory(t, placementtest.WithoutAuth())
	s, before, owned, claims := hostWithGPUs(t, c)
	after := s.Host
	after.Children = []TreeProvider{{UUID: uuid.NewString(), Name: "gpu-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 4, MaxUnit: 2}}}}
	owned, err := c.Report(t.Context(), Tree{Providers: []TreeProvider{after}}, owned)
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, c.Release(t.Context(), claims[1]))
	assertOwned(t, Owning(after), mustReport(t, c, Tree{Providers: []TreeProvider{after}}, owned))
	assert.Equal(t, wantContent(s.Host, ""), contentOf(t, c, before.UUID))
	held, err := c.Allocations(t.Context(), claims[0].Consumer.UUID)
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{s.GPU: 1}, held.Allocations[after.Children[0].UUID])
}

// The default policy of newer releases lets only the role service reshape.
func TestReshapeWithoutTheRole(t *testing.T) {
	t.Parallel()
	c := inMemory(t)
	s, before, owned, _ := hostWithGPUs(t, c)
	after := s.Host
	after.Children = []TreeProvider{{UUID: uuid.NewString(), Name: "gpu-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 4}}}}
	_, err := c.Report(t.Context(), Tree{Providers: []TreeProvider{after}}, owned)
	require.ErrorIs(t, err, ErrForbidden)
	assert.Equal(t, wantContent(before, ""), contentOf(t, c, before.UUID))
}

func TestReportTooOldToReshapeOrMove(t *testing.T) {
	t.Parallel()
	c := inMemory(t, placementtest.WithMaxVersion("1.29"), placementtest.WithoutAuth())
	s, _, owned, _ := hostWithGPUs(t, c)
	after := s.Host
	after.Children = []TreeProvider{{UUID: uuid.NewString(), Name: "gpu-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 4}}}}
	_, err := c.Report(t.Context(), Tree{Providers: []TreeProvider{after}}, owned)
	require.ErrorIs(t, err, ErrVersion)
	require.ErrorContains(t, err, "the reshaper needs microversion 1.30, but this placement offers only up to 1.29")

	cards := mustReport(t, c, s.under(s.Cards[0]), nil)
	numa := TreeProvider{UUID: uuid.NewString(), Name: "numa-" + s.Tag, Children: s.Cards[:1]}
	_, err = c.Report(t.Context(), s.under(numa), cards)
	require.ErrorIs(t, err, ErrVersion)
	require.ErrorContains(t, err, "another parent needs microversion 1.37")
}

// A consumer that releases between the two reads of a reshape has nothing left to move.
func TestReshapeWhileAConsumerReleases(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		release func(t *testing.T, c *Client, claim Claim, card, class string) error
	}{
		{"all", func(t *testing.T, c *Client, claim Claim, _, _ string) error {
			t.Helper()
			return c.Release(t.Context(), claim)
		}},
		{"only the device", func(t *testing.T, c *Client, claim Claim, card, class string) error {
			t.Helper()
			_, err := c.Drop(t.Context(), claim, map[string]map[string]int64{card: {class: 1}})
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next }, placementtest.WithoutAuth())
			s := newScene()
			owned := s.report(t, c)
			claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
			old := s.Cards[0]
			racing := newClient(t, WithEndpoint(server.URL()), WithTransport(before(http.MethodGet, "/allocations/"+claim.Consumer.UUID, func() {
				assert.NoError(t, test.release(t, c, claim, old.UUID, s.FPGA))
			})(server.Transport())))
			next := TreeProvider{
				UUID: uuid.NewString(), Name: "next-" + s.Tag, Inventories: old.Inventories, Replaces: []string{old.UUID},
			}
			owned = mustReport(t, racing, s.under(next, s.Cards[1], s.Cards[2]), owned)
			assertOwned(t, Owning(next, s.Cards[1], s.Cards[2]), owned)
			assert.Equal(t, wantContent(next, s.Host.UUID), contentOf(t, c, next.UUID))
			_, err := c.Provider(t.Context(), old.UUID)
			require.ErrorIs(t, err, ErrNotFound)
			held, err := c.Allocations(t.Context(), claim.Consumer.UUID)
			require.NoError(t, err)
			assert.NotContains(t, held.Allocations, next.UUID)
		})
	}
}
