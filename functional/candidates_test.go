package functional_test

import (
	"flag"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// update makes TestCandidates write what the real Placement answers to the own queries, instead of comparing.
var update = flag.Bool("update", false, "record the real Placement's answers to the queries of "+ownCandidates)

// TestCandidates asks the same questions over HTTP to placementtest and to a real Placement: those of testdata/candidates, whose
// answers were recorded with -update from a real one, and those that lie beside the checkout in CI. What counts is the set of
// candidates with mappings and summaries; where there is a limit or no recorded answer, their number; of errors status, code and
// title.
func TestCandidates(t *testing.T) {
	t.Parallel()
	t.Run("placementtest", func(t *testing.T) {
		t.Parallel()
		if *update {
			t.Skip("-update: only the real Placement is asked")
		}
		checkCandidates(t, func(t *testing.T) (url, token string) { return placementtest.Start(t).URL(), adminToken })
	})
	t.Run("real Placement", func(t *testing.T) {
		t.Parallel()
		checkCandidates(t, freshPlacement) // what other tests do in a shared one changes answers
	})
}

// checkCandidates runs the own cases and the shared ones against a service each, which are quicker side by side.
func checkCandidates(t *testing.T, start func(*testing.T) (url, token string)) {
	t.Helper()
	t.Run("own trees", func(t *testing.T) {
		t.Parallel()
		check := candidateSet.compare
		if *update {
			check = candidateSet.record
		}
		askCandidateSets(t, start, ownCandidateSets(t), check)
	})
	t.Run("shared inputs", func(t *testing.T) {
		t.Parallel()
		askCandidateSets(t, start, sharedCandidateSets(t), candidateSet.compare)
	})
}

// askCandidateSets has one set of trees in the service at a time.
func askCandidateSets(t *testing.T, start func(*testing.T) (url, token string), sets []candidateSet,
	check func(candidateSet, *testing.T, map[string]result),
) {
	t.Helper()
	url, token := start(t)
	s := side{client: &http.Client{Timeout: time.Minute}, base: url, token: token}
	t.Cleanup(s.client.CloseIdleConnections)
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) { check(set, t, set.ask(t, s)) })
	}
}

// ask loads the trees, puts all questions and clears the service.
func (c candidateSet) ask(t *testing.T, s side) map[string]result {
	t.Helper()
	c.trees.load(t, s)
	defer c.trees.clear(t, s)
	answers := make(map[string]result)
	for _, question := range c.cases {
		query := c.trees.withUUIDs(question.Query)
		got := s.ask(t, http.MethodGet, "/allocation_candidates?"+query, question.Microversion, nil)
		answers[question.Name] = result{Status: got.Status, Body: c.trees.withNames(t, question.reduced(t, got.Body))}
	}
	return answers
}

// compare checks the answers to all questions.
func (c candidateSet) compare(t *testing.T, answers map[string]result) {
	t.Helper()
	for _, question := range c.cases {
		require.Contains(t, c.want, question.Name, "no answer is recorded: run this test with -update")
		want := c.want[question.Name]
		want.Body = comparableForm(c.trees.withNames(t, want.Body))
		assert.Empty(t, cmp.Diff(want, answers[question.Name]), "%s: %s at %s (-want +got)", question.Name, question.Query,
			question.Microversion)
	}
}

// candidateCase is a question.
type candidateCase struct {
	Name         string `json:"name"`
	Microversion string `json:"microversion"`
	// Query may have names of providers and aggregates in braces for their uuids.
	Query string `json:"query"`
	// countOnly says that nothing but the number of candidates is known.
	countOnly bool
}

// reduced is what counts of a body.
func (c candidateCase) reduced(t *testing.T, body any) any {
	t.Helper()
	found, ok := body.(map[string]any)
	require.True(t, ok, "%v", body)
	requests, ok := found["allocation_requests"].([]any)
	if ok && (c.countOnly || strings.Contains(c.Query, "limit=")) {
		return countOf(len(requests))
	}
	return body
}

// countOf stands for a body of which only the number of candidates counts.
func countOf(candidates int) any { return map[string]any{"candidate_count": float64(candidates)} }
