package placement

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// content is what Placement holds of one provider.
type content struct {
	Name, Parent string
	Traits       []string
	Inventories  map[string]Inventory
}

// contentOf reads a provider past the code under test.
func contentOf(t *testing.T, c *Client, uuid string) content {
	t.Helper()
	provider, err := resourceproviders.Get(t.Context(), c.at(baseline), uuid).Extract()
	require.NoError(t, err)
	traits, err := resourceproviders.GetTraits(t.Context(), c.at(baseline), uuid).Extract()
	require.NoError(t, err)
	inventories, err := resourceproviders.GetInventories(t.Context(), c.at(baseline), uuid).Extract()
	require.NoError(t, err)
	got := content{
		Name: provider.Name, Parent: provider.ParentProviderUUID, Traits: slices.Sorted(slices.Values(traits.Traits)),
		Inventories: make(map[string]Inventory),
	}
	for class, i := range inventories.Inventories {
		got.Inventories[class] = Inventory{
			Total: i.Total, Reserved: i.Reserved, MinUnit: i.MinUnit, MaxUnit: i.MaxUnit, StepSize: i.StepSize,
			AllocationRatio: float64(i.AllocationRatio),
		}
	}
	return got
}

// wantContent is what a reported provider should look like.
func wantContent(p TreeProvider, parent string) content {
	want := content{Name: p.Name, Parent: parent, Inventories: make(map[string]Inventory)}
	if len(p.Traits) > 0 {
		want.Traits = slices.Sorted(slices.Values(p.Traits))
	}
	for class, inventory := range p.Inventories {
		want.Inventories[class] = inventory.withDefaults()
	}
	return want
}

// foreign writes to a provider as an operator would, past the code under test.
func foreign(t *testing.T, c *Client, uuid, trait, class string, total int) {
	t.Helper()
	a := &applier{reporting: &reporting{Client: c, op: "foreign"}, plan: &plan{classes: []string{class}, traits: []string{trait}}}
	require.NoError(t, a.ensureNames(t.Context()))
	traits, err := resourceproviders.GetTraits(t.Context(), c.at(baseline), uuid).Extract()
	require.NoError(t, err)
	traits, err = resourceproviders.UpdateTraits(t.Context(), c.at(baseline), uuid, resourceproviders.UpdateTraitsOpts{
		ResourceProviderGeneration: traits.ResourceProviderGeneration, Traits: append(traits.Traits, trait),
	}).Extract()
	require.NoError(t, err)
	require.NoError(t, resourceproviders.UpdateInventories(t.Context(), c.at(baseline), uuid, inventoriesBody{
		Generation: traits.ResourceProviderGeneration, Inventories: foreignSet(t, c, uuid, class, total),
	}).Err)
}

func foreignSet(t *testing.T, c *Client, uuid, class string, total int) inventorySet {
	t.Helper()
	var held struct{ Inventories inventorySet }
	require.NoError(t, resourceproviders.GetInventories(t.Context(), c.at(baseline), uuid).ExtractInto(&held))
	held.Inventories.set(class, Inventory{Total: total, AllocationRatio: 1.23456789})
	return held.Inventories
}

func TestReportOfANewTree(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.Cards[0].Children = []TreeProvider{{UUID: uuid.NewString(), Name: "region-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 4, StepSize: 2, MinUnit: 2}}}}
		s.report(t, c)
		assert.Equal(t, wantContent(s.Host, ""), contentOf(t, c, s.Host.UUID))
		for _, card := range s.Cards {
			assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
		}
		region := s.Cards[0].Children[0]
		assert.Equal(t, wantContent(region, s.Cards[0].UUID), contentOf(t, c, region.UUID))

		provider, err := c.ProviderByName(t.Context(), region.Name)
		require.NoError(t, err)
		assert.Equal(t, &Provider{UUID: region.UUID, Name: region.Name, Generation: 1, Parent: s.Cards[0].UUID, Root: s.Host.UUID}, provider)
		same, err := c.Provider(t.Context(), region.UUID)
		require.NoError(t, err)
		assert.Equal(t, provider, same)
	})
}

func TestReportWithoutADifferenceWritesNothing(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	writes := 0
	c, _ := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			if r.Method != http.MethodGet {
				writes++
			}
			return next.RoundTrip(r)
		})
	})
	s := newScene()
	owned := s.report(t, c)
	require.NotZero(t, writes)
	assertOwned(t, Owning(s.Cards...), owned)
	writes = 0
	assert.Empty(t, s.report(t, c), "what was there is not owned")
	assertOwned(t, owned, mustReport(t, c, s.under(s.Cards...), owned))
	assert.Zero(t, writes)
}

func TestReportFollowsChangesAndKeepsWhatIsForeign(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		trait, class := "CUSTOM_MAINTENANCE_"+s.Tag, "CUSTOM_NIC_"+s.Tag
		foreign(t, c, s.Cards[2].UUID, trait, class, 7)
		foreign(t, c, s.Host.UUID, trait, class, 7)
		host := contentOf(t, c, s.Host.UUID)
		ratio := contentOf(t, c, s.Cards[2].UUID).Inventories[class]

		slow := TreeProvider{
			UUID: s.Cards[2].UUID, Name: s.Cards[2].Name, Traits: []string{"CUSTOM_SLOW_" + s.Tag},
			Inventories: map[string]Inventory{s.GPU: {Total: 3}, s.FPGA: {Total: 1}},
		}
		owned = mustReport(t, c, s.under(s.Cards[0], s.Cards[1], slow), owned)
		assertOwned(t, Owning(s.Cards[0], s.Cards[1], slow), owned)

		want := wantContent(slow, s.Host.UUID)
		want.Traits = slices.Sorted(slices.Values([]string{trait, slow.Traits[0]}))
		want.Inventories[class] = ratio
		assert.Equal(t, want, contentOf(t, c, slow.UUID))
		assert.Equal(t, host, contentOf(t, c, s.Host.UUID))
	})
}

func TestReportRemovesWhatVanished(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		region := TreeProvider{UUID: uuid.NewString(), Name: "region-" + s.Tag, Inventories: map[string]Inventory{s.FPGA: {Total: 1}}}
		s.Cards[0].Children = []TreeProvider{region}
		owned := s.report(t, c)
		trait, class := "CUSTOM_MAINTENANCE_"+s.Tag, "CUSTOM_NIC_"+s.Tag
		foreign(t, c, s.Cards[2].UUID, trait, class, 7)

		// Without a memory nothing is removed.
		mustReport(t, c, s.under(s.Cards[1]), nil)
		assert.Equal(t, s.Cards[0].Name, contentOf(t, c, s.Cards[0].UUID).Name)

		for range 2 {
			var err error
			owned, err = c.Report(t.Context(), s.under(s.Cards[1]), owned)
			require.ErrorIs(t, err, ErrForeign)
			require.NotErrorIs(t, err, ErrInUse)
			require.ErrorContains(t, err, "provider \""+s.Cards[2].Name+"\" stays, but without what was reported of it: it has inventory "+class+", trait "+trait)
		}
		for _, gone := range []string{s.Cards[0].UUID, region.UUID} {
			_, err := c.Provider(t.Context(), gone)
			require.ErrorIs(t, err, ErrNotFound)
		}
		kept := contentOf(t, c, s.Cards[2].UUID)
		assert.Equal(t, []string{trait}, kept.Traits)
		assert.Equal(t, []string{class}, slices.Collect(maps.Keys(kept.Inventories)))
		assert.Equal(t, wantContent(s.Cards[1], s.Host.UUID), contentOf(t, c, s.Cards[1].UUID))

		delete(owned, s.Cards[2].UUID) // given up
		assertOwned(t, Owning(s.Cards[1]), mustReport(t, c, s.under(s.Cards[1]), owned))
		assert.Equal(t, kept, contentOf(t, c, s.Cards[2].UUID))
	})
}

// A trait of others alone keeps a provider: deleting the provider would delete the trait.
func TestReportKeepsAProviderForATraitOfOthers(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		card, trait := s.Cards[2], "CUSTOM_MAINTENANCE_"+s.Tag
		marked := card
		marked.Traits = append(slices.Clone(card.Traits), trait)
		theirs := mustReport(t, c, s.under(marked), nil)
		assertOwned(t, Owned{card.UUID: {Traits: []string{trait}}}, theirs)

		owned, err := c.Report(t.Context(), s.under(), owned)
		require.ErrorIs(t, err, ErrForeign)
		require.ErrorContains(t, err, "it has trait "+trait)
		assert.Equal(t, content{Name: card.Name, Parent: s.Host.UUID, Traits: []string{trait}, Inventories: map[string]Inventory{}},
			contentOf(t, c, card.UUID))
		assert.Empty(t, mustReport(t, c, s.under(), theirs), "others created the provider")
		assert.Empty(t, mustReport(t, c, s.under(), owned))
		_, err = c.Provider(t.Context(), card.UUID)
		require.ErrorIs(t, err, ErrNotFound)
	})
}

// A child of others keeps its parent; a child of ours that is in use does too, but that is nobody else's.
func TestReportKeepsParentsOfWhatStays(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		numa := TreeProvider{UUID: uuid.NewString(), Name: "numa0-" + s.Tag, Children: s.Cards[:1]}
		mustReport(t, c, Tree{Providers: []TreeProvider{s.Host}}, nil)
		owned := mustReport(t, c, s.under(numa), nil)

		claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
		owned, err := c.Report(t.Context(), s.under(), owned)
		require.ErrorIs(t, err, ErrInUse)
		require.NotErrorIs(t, err, ErrForeign)
		require.NoError(t, c.Release(t.Context(), claim))

		guest := s.Cards[1]
		mustReport(t, c, Tree{Parent: numa.Name, Providers: []TreeProvider{guest}}, nil)
		_, err = c.Report(t.Context(), s.under(), owned)
		require.ErrorIs(t, err, ErrForeign)
		require.ErrorContains(t, err, "it has the child "+guest.Name)
		assert.Equal(t, wantContent(guest, numa.UUID), contentOf(t, c, guest.UUID))
	})
}

// The refusal names the fields that differ, not others that are the same.
func TestReportNamesTheForeignFields(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		changed := s.Host
		changed.Inventories = map[string]Inventory{"VCPU": {Total: 8, Reserved: 1, AllocationRatio: 4}}
		_, err := c.Report(t.Context(), Tree{Providers: []TreeProvider{changed}}, nil)
		require.ErrorIs(t, err, ErrForeign)
		require.ErrorContains(t, err, `inventory VCPU of provider "`+s.Host.Name+`" has reserved 0, not 1; allocation_ratio 2, not 4: made by others`)
	})
}

func TestReportWithdrawsWhatIsInUse(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
		for range 2 {
			var err error
			owned, err = c.Report(t.Context(), s.under(s.Cards[1]), owned)
			require.ErrorIs(t, err, ErrInUse)
			require.ErrorContains(t, err, s.Cards[0].Name)
		}
		assert.Equal(t, 1, contentOf(t, c, s.Cards[0].UUID).Inventories[s.FPGA].Reserved)
		_, err := c.Provider(t.Context(), s.Cards[2].UUID)
		require.ErrorIs(t, err, ErrNotFound, "the rest of the report is done")

		require.NoError(t, c.Release(t.Context(), claim))
		assertOwned(t, Owning(s.Cards[1]), mustReport(t, c, s.under(s.Cards[1]), owned))
		_, err = c.Provider(t.Context(), s.Cards[0].UUID)
		require.ErrorIs(t, err, ErrNotFound)
	})
}

func TestReportRefusesWhatIsForeign(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		other := newScene()
		other.report(t, c)
		card := s.Cards[0]
		renamed, sameName, changed := card, card, card
		renamed.Name = "other-" + s.Tag
		sameName.UUID = uuid.NewString()
		changed.Inventories = map[string]Inventory{s.FPGA: {Total: 2}}
		tests := []struct {
			name     string
			parent   string
			provider TreeProvider
		}{
			{"the uuid has another name", s.Host.Name, renamed},
			{"the name has another uuid", s.Host.Name, sameName},
			{"the provider is under another host", other.Host.Name, card},
			{"the inventory is another", s.Host.Name, changed},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				owned, err := c.Report(t.Context(), Tree{Parent: test.parent, Providers: []TreeProvider{test.provider}}, nil)
				require.ErrorIs(t, err, ErrForeign)
				assert.Empty(t, owned)
				assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
			})
		}
		mustReport(t, c, s.under(changed), Owning(card))
		assert.Equal(t, 2, contentOf(t, c, card.UUID).Inventories[s.FPGA].Total, "a reporter can know better")
	})
}

func TestReportMovesItsOwnProviders(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		numa := TreeProvider{UUID: uuid.NewString(), Name: "numa0-" + s.Tag, Children: s.Cards[:1]}
		owned = mustReport(t, c, s.under(numa), owned)
		assert.Equal(t, numa.UUID, contentOf(t, c, s.Cards[0].UUID).Parent)
		assertOwned(t, Owning(s.Cards[0]), mustReport(t, c, s.under(s.Cards[0]), owned))
		assert.Equal(t, s.Host.UUID, contentOf(t, c, s.Cards[0].UUID).Parent)
		_, err := c.Provider(t.Context(), numa.UUID)
		require.ErrorIs(t, err, ErrNotFound)
	})
}

// Several agents report cards of one host while Nova writes to the host: nobody's work is lost.
func TestReportsAtTheSameTime(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		mustReport(t, c, Tree{Providers: []TreeProvider{s.Host}}, nil)
		reports := []Tree{{Providers: []TreeProvider{s.Host}}, s.under(s.Cards...), s.under(s.Cards[:2]...)}
		owned := make([]Owned, len(reports))
		var wg sync.WaitGroup
		errs := make([]error, len(reports))
		for i, tree := range reports {
			wg.Go(func() { owned[i], errs[i] = c.Report(context.WithoutCancel(t.Context()), tree, nil) })
		}
		wg.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		assert.Equal(t, wantContent(s.Host, ""), contentOf(t, c, s.Host.UUID))
		for _, card := range s.Cards {
			assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
			owners := 0
			for _, made := range owned {
				if made[card.UUID].Created != "" {
					owners++
				}
			}
			assert.Equal(t, 1, owners, "one report created it, and knows")
		}
	})
}

func TestReportUnderAMissingParent(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		_, err := c.Report(t.Context(), Tree{Parent: "no-host-" + uuid.NewString(), Providers: newScene().Cards}, nil)
		require.ErrorIs(t, err, ErrNotFound)
		require.ErrorContains(t, err, "report the provider tree under no-host-")
	})
}
