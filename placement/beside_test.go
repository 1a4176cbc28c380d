package placement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/traits"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writer is another service that writes to a provider: it reads, adds what it has to say, and writes back with the
// generation that it read, over again when somebody else was faster.
type writer struct {
	client   *Client
	provider string
	round    int
	// traits and inventory are what it wrote last.
	traits    []string
	class     string
	inventory Inventory
}

// own returns another client of the same Placement.
func own(t *testing.T, c *Client) *Client {
	t.Helper()
	return newClient(t, WithProvider(c.service.ProviderClient, gophercloud.EndpointOpts{}), WithEndpoint(c.service.Endpoint))
}

// write says something new of the provider, after a look whether what was said before is still there.
func (w *writer) write(ctx context.Context, tag string) error {
	w.round++
	trait := fmt.Sprintf("CUSTOM_%s_%d", tag, w.round)
	if err := traits.Create(ctx, w.client.at(baseline), trait).ExtractErr(); err != nil {
		return err
	}
	for range 200 {
		done, err := w.try(ctx, trait)
		if err != nil || done {
			return err
		}
	}
	return fmt.Errorf("writes to provider %s never came through", w.provider)
}

func (w *writer) try(ctx context.Context, trait string) (done bool, err error) {
	here := found{Provider: Provider{UUID: w.provider}}
	if err := w.client.readDetails(ctx, "look", &here); err != nil {
		return false, err
	}
	if err := w.lost(here); err != nil {
		return false, err
	}
	written, err := resourceproviders.UpdateTraits(ctx, w.client.at(baseline), w.provider, resourceproviders.UpdateTraitsOpts{
		ResourceProviderGeneration: here.Generation, Traits: distinct(append(here.traits, trait)),
	}).Extract()
	if err != nil {
		return false, unlessConflict(err)
	}
	w.traits = append(w.traits, trait)
	if w.class == "" {
		return true, nil
	}
	next := Inventory{Total: 100 + w.round, Reserved: w.round}.withDefaults()
	here.inventories.set(w.class, next)
	err = resourceproviders.UpdateInventories(ctx, w.client.at(baseline), w.provider, inventoriesBody{
		Generation: written.ResourceProviderGeneration, Inventories: here.inventories,
	}).Err
	if err != nil {
		return false, unlessConflict(err)
	}
	w.inventory = next
	return true, nil
}

// lost tells what is missing of that which was written before.
func (w *writer) lost(here found) error {
	for _, trait := range w.traits {
		if !slices.Contains(here.traits, trait) {
			return fmt.Errorf("trait %s of provider %s is lost", trait, w.provider)
		}
	}
	if got, _ := here.inventories.get(w.class); w.inventory.Total > 0 && got != w.inventory {
		return fmt.Errorf("inventory %s of provider %s is lost: %v", w.class, w.provider, got)
	}
	return nil
}

func unlessConflict(err error) error {
	if err = wrap("write", err); errors.Is(err, ErrConcurrentUpdate) {
		return nil
	}
	return err
}

// Nova writes to the host, Neutron to agents of its own below it and an operator to a card, each with a client of its own,
// while the cards are reported over and over: nothing of theirs is lost at any time, and what is reported comes to be.
func TestReportBesideNovaAndNeutron(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		claim := claimOne(t, own(t, c), request(flavor(), devices(0, s.FPGA, 1)))
		agent := TreeProvider{UUID: uuid.NewString(), Name: "agent-" + s.Tag, Children: []TreeProvider{{
			UUID: uuid.NewString(), Name: "bridge-" + s.Tag, Inventories: map[string]Inventory{"NET_BW_EGR_KILOBIT_PER_SEC": {Total: 1}},
		}}}
		others := []*writer{
			{client: own(t, c), provider: s.Host.UUID, class: "VCPU"},
			{client: own(t, c), provider: agent.Children[0].UUID, class: "NET_BW_EGR_KILOBIT_PER_SEC"},
			{client: own(t, c), provider: s.Cards[0].UUID},
		}
		ctx := context.WithoutCancel(t.Context())
		var wg sync.WaitGroup
		var running atomic.Int64
		errs := make([]error, len(others))
		_, err := own(t, c).Report(t.Context(), s.under(agent), nil)
		require.NoError(t, err)
		for i, other := range others {
			running.Add(1)
			wg.Go(func() {
				defer running.Add(-1)
				for range 12 {
					errs[i] = errors.Join(errs[i], other.write(ctx, fmt.Sprintf("%d_%s", i, s.Tag)))
				}
			})
		}
		for round := 1; running.Load() > 0; round++ {
			card := s.Cards[0]
			card.Traits = []string{fmt.Sprintf("CUSTOM_FIRMWARE_%d", round%3)}
			tree := s.under(card, s.Cards[1+round%2]) // one card comes, the other goes
			if owned, err = c.Report(ctx, tree, owned); !errors.Is(err, ErrConcurrentUpdate) {
				assert.NoError(t, err)
			}
		}
		wg.Wait()
		owned = mustReport(t, c, s.under(s.Cards...), owned)

		for i, other := range others {
			require.NoError(t, errs[i])
			here := found{Provider: Provider{UUID: other.provider}}
			require.NoError(t, c.readDetails(t.Context(), "look", &here))
			require.NoError(t, other.lost(here))
			assert.Len(t, other.traits, 12)
		}
		for _, card := range s.Cards[1:] {
			assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
		}
		assert.Equal(t, slices.Sorted(slices.Values(others[2].traits)), contentOf(t, c, s.Cards[0].UUID).Traits)
		assert.Equal(t, s.Host.UUID, contentOf(t, c, agent.UUID).Parent)
		assertOwned(t, Owning(s.Cards...), owned)
		held, err := c.Allocations(t.Context(), claim.Consumer.UUID)
		require.NoError(t, err)
		assert.Equal(t, claim.Allocations, held.Allocations)
	})
}
