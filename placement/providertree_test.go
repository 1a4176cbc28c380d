package placement

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProvidersInTree(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		host, card := uuid.NewString(), uuid.NewString()
		_, err := c.Report(t.Context(), Tree{Providers: []TreeProvider{{
			UUID: host, Name: "host-" + host,
			Children: []TreeProvider{{UUID: card, Name: "card-" + card, Traits: []string{"HW_CPU_X86_AVX", "CUSTOM_A"}}},
		}}}, nil)
		require.NoError(t, err)
		for _, start := range []string{host, card} {
			tree, err := c.ProvidersInTree(t.Context(), start)
			require.NoError(t, err)
			var names []string
			for _, provider := range tree {
				names = append(names, provider.Name)
			}
			assert.ElementsMatch(t, []string{"host-" + host, "card-" + card}, names)
		}
		traits, err := c.ProviderTraits(t.Context(), card)
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"HW_CPU_X86_AVX", "CUSTOM_A"}, traits)

		none, err := c.ProvidersInTree(t.Context(), uuid.NewString())
		require.NoError(t, err)
		assert.Empty(t, none)
		_, err = c.ProviderTraits(t.Context(), uuid.NewString())
		require.ErrorIs(t, err, ErrNotFound)
	})
}
