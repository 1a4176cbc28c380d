package placement

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// lacking returns a client of a server whose answers to GETs of a path lack one key.
func lacking(t *testing.T, server *placementtest.Server, path, key string) *Client {
	t.Helper()
	return newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		full, err := server.Transport().RoundTrip(r)
		if err != nil || r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, path) {
			return full, err
		}
		defer full.Body.Close()
		var body map[string]any
		if err := json.NewDecoder(full.Body).Decode(&body); err != nil {
			return nil, err
		}
		delete(body, key)
		return respond(r, full.StatusCode, body), nil
	})))
}

// What an answer leaves out is not there to be overwritten.
func TestReportRefusesAnswersWithHoles(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, key string }{
		{"traits", "/traits", "traits"},
		{"generation", "/traits", "resource_provider_generation"},
		{"inventories", "/inventories", "inventories"},
		{"usages", "/usages", "usages"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next })
			s := newScene()
			owned := s.report(t, c)
			card := s.Cards[2]
			foreign(t, c, card.UUID, "CUSTOM_MAINTENANCE", "CUSTOM_NIC", 7)
			was := contentOf(t, c, card.UUID)

			changed := card
			changed.Traits, changed.Inventories = []string{"CUSTOM_NEW"}, map[string]Inventory{s.GPU: {Total: 5}}
			_, err := lacking(t, server, test.path, test.key).Report(t.Context(), s.under(changed), owned)
			var failure *Error
			require.ErrorAs(t, err, &failure)
			assert.Contains(t, failure.Detail, "the answer has no "+test.key)
			assert.Equal(t, was, contentOf(t, c, card.UUID))
		})
	}
}

func TestLimitsRefuseAnswersWithoutUsages(t *testing.T) {
	t.Parallel()
	c, server := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper { return next })
	s := newScene()
	s.report(t, c)
	req := request(devices(0, s.FPGA, 1))
	require.NoError(t, c.CheckLimits(t.Context(), FixedLimits{s.FPGA: 1}, "p1", req))
	err := lacking(t, server, "/usages", "usages").CheckLimits(t.Context(), FixedLimits{s.FPGA: 1}, "p1", req)
	require.EqualError(t, err, "check limits of project p1: the answer has no usages: is this the endpoint of Placement?")
}
