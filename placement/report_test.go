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
	a := &applier{Client: c, op: "foreign", plan: &plan{classes: []string{class}, traits: []string{trait}}}
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
	s.report(t, c)
	require.NotZero(t, writes)
	writes = 0
	s.report(t, c)
	assert.Zero(t, writes)
	require.NoError(t, c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: s.Cards, Previous: s.Cards}))
	assert.Zero(t, writes)
}

func TestReportFollowsChangesAndKeepsWhatIsForeign(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		trait, class := "CUSTOM_MAINTENANCE_"+s.Tag, "CUSTOM_NIC_"+s.Tag
		foreign(t, c, s.Cards[2].UUID, trait, class, 7)
		foreign(t, c, s.Host.UUID, trait, class, 7)
		host := contentOf(t, c, s.Host.UUID)
		ratio := contentOf(t, c, s.Cards[2].UUID).Inventories[class]

		slow := TreeProvider{
			UUID: s.Cards[2].UUID, Name: s.Cards[2].Name, Traits: []string{"CUSTOM_SLOW_" + s.Tag},
			Inventories: map[string]Inventory{s.GPU: {Total: 3}, s.FPGA: {Total: 1}},
		}
		tree := Tree{Parent: s.Host.Name, Providers: []TreeProvider{s.Cards[0], s.Cards[1], slow}, Previous: s.Cards}
		tree.Previous = append(slices.Clone(s.Cards), slow) // what a report that failed half-way leaves
		require.NoError(t, c.Report(t.Context(), tree))

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
		s.report(t, c)
		trait, class := "CUSTOM_MAINTENANCE_"+s.Tag, "CUSTOM_NIC_"+s.Tag
		foreign(t, c, s.Cards[2].UUID, trait, class, 7)

		// Without a memory nothing is removed.
		require.NoError(t, c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: s.Cards[1:2]}))
		assert.Equal(t, s.Cards[0].Name, contentOf(t, c, s.Cards[0].UUID).Name)

		for range 2 {
			err := c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: s.Cards[1:2], Previous: s.Cards})
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
	})
}

// A trait of others alone keeps a provider: deleting the provider would delete the trait.
func TestReportKeepsAProviderForATraitOfOthers(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		card, trait := s.Cards[2], "CUSTOM_MAINTENANCE_"+s.Tag
		marked := card
		marked.Traits = append(slices.Clone(card.Traits), trait)
		require.NoError(t, c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: []TreeProvider{marked}, Previous: []TreeProvider{}}))

		gone := Tree{Parent: s.Host.Name, Providers: []TreeProvider{}, Previous: s.Cards}
		err := c.Report(t.Context(), gone)
		require.ErrorIs(t, err, ErrForeign)
		require.ErrorContains(t, err, "it has trait "+trait)
		assert.Equal(t, content{Name: card.Name, Parent: s.Host.UUID, Traits: []string{trait}, Inventories: map[string]Inventory{}},
			contentOf(t, c, card.UUID))
		gone.Previous = []TreeProvider{marked}
		require.NoError(t, c.Report(t.Context(), gone))
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
		require.NoError(t, c.Report(t.Context(), Tree{Providers: []TreeProvider{s.Host}}))
		require.NoError(t, c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: []TreeProvider{numa}}))
		gone := Tree{Parent: s.Host.Name, Providers: []TreeProvider{}, Previous: []TreeProvider{numa}}

		claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
		err := c.Report(t.Context(), gone)
		require.ErrorIs(t, err, ErrInUse)
		require.NotErrorIs(t, err, ErrForeign)
		require.NoError(t, c.Release(t.Context(), claim))

		guest := s.Cards[1]
		require.NoError(t, c.Report(t.Context(), Tree{Parent: numa.Name, Providers: []TreeProvider{guest}}))
		err = c.Report(t.Context(), gone)
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
		err := c.Report(t.Context(), Tree{Providers: []TreeProvider{changed}, Previous: []TreeProvider{}})
		require.ErrorIs(t, err, ErrForeign)
		require.ErrorContains(t, err, `inventory VCPU of provider "`+s.Host.Name+`" has reserved 0, not 1; allocation_ratio 2, not 4: made by others`)
	})
}

func TestReportWithdrawsWhatIsInUse(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		claim := claimOne(t, c, request(flavor(), devices(0, s.FPGA, 1)))
		tree := Tree{Parent: s.Host.Name, Providers: s.Cards[1:2], Previous: s.Cards}

		for range 2 {
			err := c.Report(t.Context(), tree)
			require.ErrorIs(t, err, ErrInUse)
			require.ErrorContains(t, err, s.Cards[0].Name)
		}
		assert.Equal(t, 1, contentOf(t, c, s.Cards[0].UUID).Inventories[s.FPGA].Reserved)
		_, err := c.Provider(t.Context(), s.Cards[2].UUID)
		require.ErrorIs(t, err, ErrNotFound, "the rest of the report is done")

		require.NoError(t, c.Release(t.Context(), claim))
		require.NoError(t, c.Report(t.Context(), tree))
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
			previous []TreeProvider
		}{
			{"the uuid has another name", s.Host.Name, renamed, nil},
			{"the name has another uuid", s.Host.Name, sameName, nil},
			{"the provider is under another host", other.Host.Name, card, nil},
			{"the inventory is not of the memory", s.Host.Name, changed, []TreeProvider{}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				err := c.Report(t.Context(), Tree{Parent: test.parent, Providers: []TreeProvider{test.provider}, Previous: test.previous})
				require.ErrorIs(t, err, ErrForeign)
				assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
			})
		}
		require.NoError(t, c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: []TreeProvider{changed}}))
		assert.Equal(t, 2, contentOf(t, c, card.UUID).Inventories[s.FPGA].Total, "without a memory it is the reporter's own")
	})
}

func TestReportMovesItsOwnProviders(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		numa := TreeProvider{UUID: uuid.NewString(), Name: "numa0-" + s.Tag, Children: s.Cards[:1]}
		require.NoError(t, c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: []TreeProvider{numa}, Previous: s.Cards[:1]}))
		assert.Equal(t, numa.UUID, contentOf(t, c, s.Cards[0].UUID).Parent)
		require.NoError(t, c.Report(t.Context(), Tree{Parent: s.Host.Name, Providers: s.Cards[:1], Previous: []TreeProvider{numa}}))
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
		require.NoError(t, c.Report(t.Context(), Tree{Providers: []TreeProvider{s.Host}}))
		reports := []Tree{{Providers: []TreeProvider{s.Host}}, {Parent: s.Host.Name, Providers: s.Cards}, {Parent: s.Host.Name, Providers: s.Cards[:2]}}
		var wg sync.WaitGroup
		errs := make([]error, len(reports))
		for i, tree := range reports {
			wg.Go(func() { errs[i] = c.Report(context.WithoutCancel(t.Context()), tree) })
		}
		wg.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		assert.Equal(t, wantContent(s.Host, ""), contentOf(t, c, s.Host.UUID))
		for _, card := range s.Cards {
			assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
		}
	})
}

func TestReportUnderAMissingParent(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		err := c.Report(t.Context(), Tree{Parent: "no-host-" + uuid.NewString(), Providers: newScene().Cards})
		require.ErrorIs(t, err, ErrNotFound)
		require.ErrorContains(t, err, "report the provider tree under no-host-")
	})
}
