package placement

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// A trait and an inventory that others made first are not the reporter's, though it wanted them: they stay when it wants
// them no more.
func TestReportDoesNotOwnWhatOthersMadeFirst(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		card := s.Cards[2]
		bare := card
		bare.Traits, bare.Inventories = nil, nil
		mustReport(t, c, Tree{Providers: []TreeProvider{s.Host}}, nil)
		owned := mustReport(t, c, s.under(bare), nil)
		mustReport(t, c, s.under(card), nil)

		owned = mustReport(t, c, s.under(card), owned)
		assertOwned(t, Owning(bare), owned)
		mustReport(t, c, s.under(bare), owned)
		assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
	})
}

// An operator changes an inventory by hand: it is left alone and told, all else is done. Once it is as it was written,
// it is the reporter's again.
func TestReportLeavesAloneWhatOthersChanged(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		card, next := s.Cards[1], s.Cards[2]
		was := card.Inventories[s.GPU].withDefaults()
		setInventory(t, c, card.UUID, s.GPU, was.withdrawn())

		next.Traits = nil
		for _, wanted := range []TreeProvider{card, {UUID: card.UUID, Name: card.Name}} {
			var err error
			owned, err = c.Report(t.Context(), s.under(s.Cards[0], wanted, next), owned)
			require.ErrorIs(t, err, ErrForeign)
			require.ErrorContains(t, err, "has reserved 2, not 0")
			assert.Equal(t, was.withdrawn(), contentOf(t, c, card.UUID).Inventories[s.GPU])
			assert.Empty(t, contentOf(t, c, next.UUID).Traits)
		}
		setInventory(t, c, card.UUID, s.GPU, was)
		card.Inventories = map[string]Inventory{s.GPU: {Total: 1}}
		owned = mustReport(t, c, s.under(s.Cards[0], card, next), owned)
		assertOwned(t, Owning(s.Cards[0], card, next), owned)
	})
}

// setInventory writes one inventory of a provider as an operator would.
func setInventory(t *testing.T, c *Client, uuid, class string, inventory Inventory) {
	t.Helper()
	here := found{Provider: Provider{UUID: uuid}}
	require.NoError(t, c.readDetails(t.Context(), "look", &here))
	here.inventories.set(class, inventory)
	r := &reporting{Client: c, owned: make(Owned)}
	a := &applier{reporting: r, generations: map[string]int{uuid: here.Generation}}
	require.NoError(t, a.setInventories(t.Context(), "set", uuid, here.inventories))
}

// What others removed is forgotten once that was seen: made again by others, it is theirs.
func TestReportForgetsWhatOthersRemoved(t *testing.T) {
	t.Parallel()
	c := inMemory(t)
	s := newScene()
	owned := s.report(t, c)
	card := s.Cards[2]
	bare := TreeProvider{UUID: card.UUID, Name: card.Name}
	mustReport(t, c, s.under(bare), Owning(card))
	owned = mustReport(t, c, s.under(bare), owned)
	assertOwned(t, Owning(bare), owned)
	mustReport(t, c, s.under(card), nil)
	mustReport(t, c, s.under(bare), owned)
	assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, c, card.UUID))
}

// A provider of the reporter's that others renamed stays, without what is the reporter's in it.
func TestReportKeepsARenamedProvider(t *testing.T) {
	t.Parallel()
	c := inMemory(t)
	s := newScene()
	owned := s.report(t, c)
	card := s.Cards[2]
	name := "renamed-" + s.Tag
	_, err := resourceproviders.Update(t.Context(), c.at(baseline), card.UUID, resourceproviders.UpdateOpts{Name: &name}).Extract()
	require.NoError(t, err)
	_, err = c.Report(t.Context(), s.under(s.Cards[:2]...), owned)
	require.ErrorIs(t, err, ErrForeign)
	require.ErrorContains(t, err, "it has another name than "+card.Name)
	assert.Equal(t, wantContent(TreeProvider{Name: name}, s.Host.UUID), contentOf(t, c, card.UUID))
}

// A reporter that was killed has only what it stored before; that is plain JSON.
func TestOwnedIsStoredAsJSON(t *testing.T) {
	t.Parallel()
	c := inMemory(t)
	s := newScene()
	text, err := json.Marshal(s.report(t, c))
	require.NoError(t, err)
	var owned Owned
	require.NoError(t, json.Unmarshal(text, &owned))
	assert.Empty(t, mustReport(t, c, s.under(), owned))
	_, err = c.Provider(t.Context(), s.Cards[0].UUID)
	require.ErrorIs(t, err, ErrNotFound)
}

// Every write of a report in turn gets lost, before or behind its effect, or is refused by something on the way; then
// the network is gone for good. What the failed report returns is enough for the next one to finish, and to take
// everything back.
func TestLostWritesLoseNoOwnership(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		lose func(*http.Response) (*http.Response, error) // nil when the request does not arrive
	}{
		{"request lost", nil},
		{"reply lost", func(*http.Response) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }},
		{"bad gateway", func(answer *http.Response) (*http.Response, error) {
			return respond(answer.Request, http.StatusBadGateway, nil), nil
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for at := 0; loseWrite(t, at, test.lose); at++ {
				}
			})
		})
	}
}

// loseWrite runs a report whose write of that number gets lost. It returns false when there is none of that number.
func loseWrite(t *testing.T, at int, lose func(*http.Response) (*http.Response, error)) bool {
	t.Helper()
	server, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(t, err)
	plain := newClient(t, WithEndpoint(server.URL()), WithTransport(server.Transport()))
	writes, lost := -1, false
	c := newClient(t, WithEndpoint(server.URL()), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		if lost {
			return nil, io.ErrUnexpectedEOF
		}
		if r.Method != http.MethodGet && !strings.HasPrefix(r.URL.Path, "/traits/") && !strings.HasPrefix(r.URL.Path, "/resource_classes/") {
			writes++
		}
		if lost = writes == at; !lost {
			return server.Transport().RoundTrip(r)
		}
		if lose == nil {
			return nil, io.ErrUnexpectedEOF
		}
		answer, err := server.Transport().RoundTrip(r)
		if err != nil {
			return nil, err
		}
		return lose(answer)
	})))
	s := newScene()
	mustReport(t, plain, Tree{Providers: []TreeProvider{s.Host}}, nil)
	host := contentOf(t, plain, s.Host.UUID)
	numa := TreeProvider{UUID: newConsumer().UUID, Name: "numa-" + s.Tag, Inventories: map[string]Inventory{s.GPU: {Total: 4}}}
	owned := mustReport(t, plain, s.under(numa, s.Cards[0]), nil)
	claimOne(t, plain, request(devices(0, s.GPU, 1)))

	after := numa // its inventory moves to two cards below it; a card goes
	after.Inventories, after.Children = nil, s.Cards[1:]
	owned, err = c.Report(t.Context(), s.under(after), owned)
	if lost {
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	owned = mustReport(t, plain, s.under(after), owned)
	assertOwned(t, Owning(after), owned)
	other := s.Cards[1]
	other.Inventories = maps.Clone(other.Inventories)
	other.Inventories[s.FPGA] = Inventory{Total: 1}
	after.Children = []TreeProvider{other, s.Cards[2]}
	assertOwned(t, Owning(after), mustReport(t, plain, s.under(after), owned))
	assert.Equal(t, host, contentOf(t, plain, s.Host.UUID))
	return lost
}
