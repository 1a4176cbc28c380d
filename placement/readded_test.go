package placement

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What others removed and then made again is theirs, also when that happens right before the report's own write, or after a
// report that saw it gone and failed.
func TestReportDoesNotOwnWhatOthersMadeAgain(t *testing.T) {
	t.Parallel()
	bare := func(card TreeProvider) TreeProvider { return TreeProvider{UUID: card.UUID, Name: card.Name} }
	tests := []struct {
		name         string
		method, path string
		// without is the card as it is without the thing, both in Placement and in what is wanted later.
		without func(card TreeProvider) []TreeProvider
	}{
		{"a trait", http.MethodPut, "/traits", func(card TreeProvider) []TreeProvider { card.Traits = nil; return []TreeProvider{card} }},
		{"an inventory", http.MethodPut, "/inventories", func(card TreeProvider) []TreeProvider { card.Inventories = nil; return []TreeProvider{card} }},
		{"a provider", http.MethodPost, "/resource_providers", func(TreeProvider) []TreeProvider { return nil }},
	}
	for _, test := range tests {
		for _, when := range []string{"before the write", "after a failed report"} {
			t.Run(test.name+" "+when, func(t *testing.T) {
				t.Parallel()
				s := newScene()
				card := s.Cards[2]
				if test.path == "/resource_providers" {
					card = bare(card)
				}
				var meddle, broken atomic.Bool
				var others *Client
				c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
					return roundTripper(func(r *http.Request) (*http.Response, error) {
						if r.Method == test.method && strings.HasSuffix(r.URL.Path, test.path) {
							if broken.Load() {
								return respond(r, http.StatusForbidden, ownFaultBody()), nil
							}
							if meddle.CompareAndSwap(true, false) {
								mustReport(t, others, s.under(card), nil)
							}
						}
						return next.RoundTrip(r)
					})
				})
				others = newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(server.Transport()))
				mustReport(t, others, Tree{Providers: []TreeProvider{s.Host}}, nil)
				owned := mustReport(t, c, s.under(card), nil)
				mustReport(t, others, s.under(test.without(card)...), owned) // others remove it

				if when == "before the write" {
					meddle.Store(true)
					owned = mustReport(t, c, s.under(card), owned)
				} else {
					broken.Store(true)
					var err error
					owned, err = c.Report(t.Context(), s.under(card), owned)
					require.ErrorIs(t, err, ErrForbidden)
					broken.Store(false)
					mustReport(t, others, s.under(card), nil)
				}
				mustReport(t, c, s.under(test.without(card)...), owned)
				assert.Equal(t, wantContent(card, s.Host.UUID), contentOf(t, others, card.UUID))
			})
		}
	}
}

// ownFaultBody is a refusal in Placement's own form.
func ownFaultBody() map[string]any {
	return map[string]any{"errors": []any{map[string]any{"status": 403, "detail": "no"}}}
}

// Others put a card that is to go into an aggregate: it stays, without what was reported of it.
func TestReportKeepsAProviderInAnAggregate(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		owned := s.report(t, c)
		card, aggregate := s.Cards[2], newConsumer().UUID
		join(t, c, card.UUID, aggregate)
		for range 2 {
			var err error
			owned, err = c.Report(t.Context(), s.under(s.Cards[:2]...), owned)
			require.ErrorIs(t, err, ErrForeign)
			require.ErrorContains(t, err, "it has aggregate "+aggregate)
			assert.Equal(t, wantContent(TreeProvider{Name: card.Name}, s.Host.UUID), contentOf(t, c, card.UUID))
		}
		join(t, c, card.UUID, []string{}...)
		assertOwned(t, Owning(s.Cards[:2]...), mustReport(t, c, s.under(s.Cards[:2]...), owned))
		_, err := c.Provider(t.Context(), card.UUID)
		require.ErrorIs(t, err, ErrNotFound)
	})
}

// A card that moves to another host would take along a child of others: that is refused before anything is written.
func TestReportDoesNotMoveChildrenOfOthers(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s, other := newScene(), newScene()
		mustReport(t, c, Tree{Providers: []TreeProvider{other.Host}}, nil)
		card := s.Cards[0]
		card.Children = s.Cards[1:2]
		mustReport(t, c, Tree{Providers: []TreeProvider{s.Host}}, nil)
		owned := mustReport(t, c, s.under(card), nil)
		guest := TreeProvider{UUID: newConsumer().UUID, Name: "guest-" + s.Tag}
		mustReport(t, c, Tree{Parent: s.Cards[1].Name, Providers: []TreeProvider{guest}}, nil)

		move := Tree{Parent: other.Host.Name, Providers: []TreeProvider{card}}
		_, err := c.Report(t.Context(), move, owned)
		require.ErrorIs(t, err, ErrForeign)
		require.ErrorContains(t, err, "it would take along \""+guest.Name+"\" below it")
		found, err := c.Provider(t.Context(), guest.UUID)
		require.NoError(t, err)
		assert.Equal(t, s.Host.UUID, found.Root)

		require.NoError(t, resourceproviders.Delete(t.Context(), c.at(baseline), guest.UUID).ExtractErr())
		mustReport(t, c, move, owned)
		found, err = c.Provider(t.Context(), card.Children[0].UUID)
		require.NoError(t, err)
		assert.Equal(t, other.Host.UUID, found.Root)
	})
}

// Others rename a card between the reading and its move: the move does not give it its old name back.
func TestReportDoesNotUndoARename(t *testing.T) {
	t.Parallel()
	s := newScene()
	name := "renamed-" + s.Tag
	var listed, renamed atomic.Bool
	var others *Client
	c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, s.Cards[1].UUID+"/usages") && listed.Load() && renamed.CompareAndSwap(false, true) {
				if err := resourceproviders.Update(r.Context(), others.at(baseline), s.Cards[1].UUID, resourceproviders.UpdateOpts{Name: &name}).Err; err != nil {
					return nil, err
				}
			}
			return next.RoundTrip(r)
		})
	})
	others = newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(server.Transport()))
	owned := s.report(t, c)
	listed.Store(true)
	top := s.Cards[0]
	top.Children = slices.Clone(s.Cards[1:2])
	_, err := c.Report(t.Context(), s.under(top, s.Cards[2]), owned)
	require.ErrorIs(t, err, ErrForeign)
	assert.Equal(t, name, contentOf(t, others, s.Cards[1].UUID).Name)
	assert.Equal(t, s.Host.UUID, contentOf(t, others, s.Cards[1].UUID).Parent)
}
