package placement

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

const (
	fuzzHost = "10000000-0000-4000-8000-000000000001"
	fuzzCard = "10000000-0000-4000-8000-000000000002"
)

// answering returns a client whose server gives the same answer to every read, and refuses every write.
func answering(t testing.TB, body string) *Client {
	t.Helper()
	c := newClient(t, WithEndpoint("http://odd.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet {
			return respond(r, http.StatusForbidden, json.RawMessage(ownFault)), nil
		}
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(body)), Request: r,
		}, nil
	})))
	pretend(t, c, "1.39")
	return c
}

// assertNamesTheCall fails if an error does not say what was being done.
func assertNamesTheCall(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || errors.Is(err, ErrMapping) { // which names the candidate that it is about
		return
	}
	failure, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%v", err)
	assert.Contains(t, failure.Error(), words)
}

// Whatever answers: no call panics, and every error names the call.
func FuzzAnswers(f *testing.F) {
	provider := `{"uuid": "` + fuzzCard + `", "name": "card", "generation": 3, "parent_provider_uuid": "` + fuzzHost + `", "root_provider_uuid": "` + fuzzHost + `"}`
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `"x"`, `{"errors": [{"status": 500}]}`, `<html>`, provider,
		`{"resource_providers": [` + provider + `]}`, `{"resource_providers": null}`, `{"resource_providers": [{}]}`,
		`{"allocation_requests": [{"allocations": {"` + fuzzCard + `": {"resources": {"FPGA": 1}}}, "mappings": {"1": ["` + fuzzCard + `"]}}],
		  "provider_summaries": {"` + fuzzCard + `": {"resources": {"FPGA": {"capacity": 1, "used": 0}}, "traits": ["A"], "root_provider_uuid": "` + fuzzHost + `"}}}`,
		`{"allocation_requests": [{"allocations": {}}]}`, `{"allocation_requests": [null], "provider_summaries": {"x": null}}`,
		`{"traits": ["A"], "resource_provider_generation": 1, "inventories": {"FPGA": {"total": 1.0}}, "usages": {"FPGA": 1}}`,
		`{"traits": [1], "inventories": {"FPGA": {"total": 1e400}}, "usages": {"FPGA": 1.5}}`,
		`{"inventories": {"FPGA": []}, "traits": [], "usages": {}, "resource_provider_generation": 1e9, "resource_providers": [` + provider + `]}`,
		`{"allocations": {"` + fuzzCard + `": {"resources": {"FPGA": 1}}}, "project_id": "p", "user_id": "u", "consumer_generation": 1, "consumer_type": "X"}`,
		`{"allocations": {"x": null}}`, `{"allocations": []}`, `{"usages": {"FPGA": "1"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c, ctx := answering(t, body), t.Context()
		req := request(requestspec.Group{Suffix: "1", Resources: map[string]int64{"FPGA": 1}})
		_, err := c.Candidates(ctx, req)
		assertNamesTheCall(t, err, "get allocation candidates")
		_, err = c.Provider(ctx, fuzzCard)
		assertNamesTheCall(t, err, "get provider "+fuzzCard)
		_, err = c.ProviderByName(ctx, "card")
		assertNamesTheCall(t, err, "get provider named card")
		_, err = c.Allocations(ctx, fuzzHost)
		assertNamesTheCall(t, err, "get allocations of consumer "+fuzzHost)
		assertNamesTheCall(t, c.CheckLimits(ctx, FixedLimits{"FPGA": 1}, "p", req), "check limits of project p")
		assertReportStands(t, c)
	})
}

// assertReportStands fails if a report panics over an answer, or takes what it did not make for its own.
func assertReportStands(t *testing.T, c *Client) {
	t.Helper()
	card := TreeProvider{UUID: fuzzCard, Name: "card", Inventories: map[string]Inventory{"FPGA": {Total: 1}}}
	owned, err := c.Report(t.Context(), Tree{Parent: "card", Providers: []TreeProvider{card}}, nil)
	if err != nil {
		assert.Contains(t, err.Error(), "report the provider tree under card")
	}
	assert.Empty(t, owned, "every write was refused")
}

// A stored claim that decodes encodes to what decodes the same, and no method panics over it.
func FuzzStoredClaim(f *testing.F) {
	f.Add(`{"consumer": {"uuid": "` + fuzzHost + `", "project_id": "p", "user_id": "u"}, "generation": 1, "allocations": {"` + fuzzCard + `": {"FPGA": 1}}}`)
	f.Add(`{"generation": 0, "allocations": {}}`)
	f.Add(`{"allocations": {"x": null}}`)
	f.Add(`{"consumer": null, "generation": -1}`)
	c := answering(f, `{"allocations": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var claim Claim
		if json.Unmarshal([]byte(text), &claim) != nil {
			return
		}
		stored, err := json.Marshal(claim)
		require.NoError(t, err)
		var again Claim
		require.NoError(t, json.Unmarshal(stored, &again))
		assert.Equal(t, claim, again)
		assertNamesTheCall(t, c.Release(t.Context(), claim), "release consumer")
		_, err = c.Drop(t.Context(), claim, claim.Allocations)
		assertNamesTheCall(t, err, "drop a part of consumer")
	})
}

// What a reporter stored decodes and encodes the same, and a plan with it never panics nor touches what is not in it.
func FuzzStoredOwned(f *testing.F) {
	text, err := json.Marshal(Owning(TreeProvider{UUID: fuzzCard, Name: "card", Traits: []string{"A"}, Inventories: map[string]Inventory{"FPGA": {Total: 1}}}))
	require.NoError(f, err)
	f.Add(string(text))
	f.Add(`{"` + fuzzCard + `": {"created": "card", "inventories": {"FPGA": null}, "traits": [""]}}`)
	f.Add(`{"x": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var owned Owned
		if json.Unmarshal([]byte(text), &owned) != nil {
			return
		}
		stored, err := json.Marshal(owned)
		require.NoError(t, err)
		var again Owned
		require.NoError(t, json.Unmarshal(stored, &again))
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		assert.Equal(t, string(stored), string(twice))

		foreign := json.RawMessage(`{"total": 7.0}`)
		have := state{
			fuzzHost: {Provider: Provider{UUID: fuzzHost, Name: "host", Root: fuzzHost}},
			fuzzCard: {
				Provider:    Provider{UUID: fuzzCard, Name: "card", Parent: fuzzHost, Root: fuzzHost},
				inventories: inventorySet{"FOREIGN": foreign, "FPGA": json.RawMessage(`{"total": 1}`)}, traits: []string{"A"},
			},
		}
		plan, _, err := difference("op", nil, owned, have, nil)
		require.NoError(t, err)
		assert.NotContains(t, plan.retire, fuzzCard)
		for _, edit := range plan.edits {
			if edit.inventories != nil && edit.uuid == fuzzCard {
				assert.Equal(t, foreign, edit.inventories["FOREIGN"])
			}
		}
	})
}
