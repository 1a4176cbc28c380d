package placement

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProviderAllocations(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s, before, _, claims := hostWithGPUs(t, c)
		held, err := c.ProviderAllocations(t.Context(), before.UUID)
		require.NoError(t, err)
		want := make(map[string]map[string]int64)
		for _, claim := range claims {
			want[claim.Consumer.UUID] = claim.Allocations[before.UUID]
		}
		assert.Equal(t, want, held)

		require.NoError(t, c.Release(t.Context(), claims[0]))
		held, err = c.ProviderAllocations(t.Context(), before.UUID)
		require.NoError(t, err)
		assert.Equal(t, map[string]map[string]int64{claims[1].Consumer.UUID: {"VCPU": 2, "MEMORY_MB": 1024, s.GPU: 3}}, held)
	})
}

func TestProviderAllocationsOfAnUnusedProvider(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		held, err := c.ProviderAllocations(t.Context(), s.Cards[0].UUID)
		require.NoError(t, err)
		assert.Empty(t, held)
		_, err = c.ProviderAllocations(t.Context(), uuid.NewString())
		require.ErrorIs(t, err, ErrNotFound)
	})
}

// An answer that lacks something is no empty list: what seems to hold nothing would be given to others.
func TestProviderAllocationsRefusesHoles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"no list", `{}`, "the answer has no allocations"},
		{"null", `{"allocations": null}`, "the answer has no allocations"},
		{"another form", `{"allocations": []}`, "allocations: json: cannot unmarshal"},
		{"no resources", `{"allocations": {"c1": {}}}`, "consumer c1 holds nothing by the answer"},
		{"null resources", `{"allocations": {"c1": null}}`, "consumer c1 holds nothing by the answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			held, err := answering(t, test.body).ProviderAllocations(t.Context(), fuzzHost)
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "get allocations of provider "+fuzzHost)
			assert.Nil(t, held)
		})
	}
}

func TestProviderAllocationsEscapesItsPath(t *testing.T) {
	t.Parallel()
	var seen string
	c := newClient(t, WithEndpoint("http://placement.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		seen = r.URL.RequestURI()
		return respond(r, http.StatusNotFound, map[string]any{}), nil
	})))
	_, err := c.ProviderAllocations(t.Context(), "a/b?c")
	require.ErrorIs(t, err, ErrNotFound)
	assert.Equal(t, "/resource_providers/a%2Fb%3Fc/allocations", seen)
}
