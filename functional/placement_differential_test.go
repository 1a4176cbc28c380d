package functional_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// TestPlacementDifferential sends the same random requests to a real Placement and to placementtest, step by step, and compares
// every answer. The trees, writes and questions come from a seed. NOVACYBORG_DIFFERENTIAL_STEPS and NOVACYBORG_DIFFERENTIAL_SEED
// set how many steps there are and which ones; the defaults are 2,000 and 1.
func TestPlacementDifferential(t *testing.T) {
	t.Parallel()
	url, token := freshPlacement(t) // what other tests do in a shared one changes answers
	steps, seed := envNumber(t, "NOVACYBORG_DIFFERENTIAL_STEPS", 2000), envNumber(t, "NOVACYBORG_DIFFERENTIAL_SEED", 1)
	fake, err := placementtest.New(placementtest.WithStrictCapacity())
	require.NoError(t, err)
	client := &http.Client{}
	t.Cleanup(client.CloseIdleConnections)
	d := &differ{
		t: t, rand: rand.New(rand.NewPCG(uint64(seed), 0)), world: newWorld(),
		real: side{client: client, base: url, token: token},
		fake: side{client: &http.Client{Transport: fake.Transport()}, base: fake.URL(), token: token},
	}
	t.Cleanup(d.clear)
	d.names()
	for step := 0; step < steps && !t.Failed(); step++ {
		d.step = step
		if step%150 == 0 {
			d.clear()
			d.populate()
		}
		d.next()
	}
	assert.LessOrEqual(t, d.crashes, 10+steps/100, "too many questions that the real service could not answer")
	assert.LessOrEqual(t, d.sharedLost, 10+steps/50, "too many answers put down to its defect with shared resources")
	t.Logf("seed %d: %d steps, %d requests compared, %d answered with candidates, %d that the real service could not answer (500), "+
		"%d where it loses candidates of shared resources", seed, steps, d.compared, d.withCandidates, d.crashes, d.sharedLost)
}

// envNumber reads a number from the environment.
func envNumber(t *testing.T, key string, fallback int) int {
	t.Helper()
	text := os.Getenv(key)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, key)
	return n
}

// world is the names that the requests are about. They carry the number of the run, so that what other tests and earlier runs left
// in the service is never met; consumer records, for one, cannot all be removed.
type world struct {
	prefix                                            string
	providers, consumers, classes, traits, aggregates []string
}

func newWorld() world {
	run := uuid.NewString()[:8]
	w := world{prefix: "CUSTOM_DIFF_" + strings.ToUpper(run) + "_"}
	id := func(kind, i int) string { return fmt.Sprintf("%s-d1ff-4000-8000-%04x%08x", run, kind, i) }
	for i := range 14 {
		w.providers = append(w.providers, id(1, i))
	}
	for i := range 6 {
		w.consumers = append(w.consumers, id(2, i))
	}
	for i := range 3 {
		w.aggregates = append(w.aggregates, id(3, i))
	}
	for i := range 4 {
		w.classes = append(w.classes, fmt.Sprintf("%sC%d", w.prefix, i))
		w.traits = append(w.traits, fmt.Sprintf("%sT%d", w.prefix, i))
	}
	return w
}

// sharingTrait makes a provider serve every tree that it shares an aggregate with.
const sharingTrait = "MISC_SHARES_VIA_AGGREGATE"

// side is one of the two services.
type side struct {
	client *http.Client
	base   string
	token  string
}

// result is an answer in a form in which equal answers are equal values.
type result struct {
	Status int `json:"status"`
	Body   any `json:"body"`
}

// differ runs the comparison.
type differ struct {
	t          *testing.T
	rand       *rand.Rand
	world      world
	real, fake side
	step       int

	compared, withCandidates, crashes, sharedLost int
}

// ask sends a request to one side.
func (d *differ) ask(s side, method, path, version string, body any) result {
	d.t.Helper()
	return s.ask(d.t, method, path, version, body)
}

// ask sends a request.
func (s side) ask(t *testing.T, method, path, version string, body any) result {
	t.Helper()
	var reader io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		require.NoError(t, err)
		reader = strings.NewReader(string(b))
	}
	// The clean-up runs after the test's context has ended.
	r, err := http.NewRequest(method, s.base+path, reader) //nolint:noctx // see above
	require.NoError(t, err)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("X-Auth-Token", s.token)
	r.Header.Set("X-Roles", "admin,service")
	r.Header.Set("OpenStack-API-Version", "placement "+version)
	resp, err := s.client.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	out := result{Status: resp.StatusCode}
	if len(raw) > 0 {
		require.NoError(t, json.Unmarshal(raw, &out.Body), "%s %s: %s", method, path, raw)
	}
	out.Body = comparableForm(out.Body)
	return out
}

// comparableForm sorts every list and drops what may differ: error texts and request ids.
func comparableForm(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "detail")
		delete(v, "request_id")
		for key := range v {
			v[key] = comparableForm(v[key])
		}
	case []any:
		keys := make(map[int]string, len(v))
		order := make([]int, len(v))
		for i := range v {
			v[i] = comparableForm(v[i])
			b, _ := json.Marshal(v[i])
			keys[i], order[i] = string(b), i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
		sorted := make([]any, len(v))
		for i, at := range order {
			sorted[i] = v[at]
		}
		return sorted
	}
	return v
}

// both sends a request to both sides and compares the answers. It gives the fake's.
func (d *differ) both(method, path, version string, body any) result {
	d.t.Helper()
	fake, real := d.ask(d.fake, method, path, version, body), d.ask(d.real, method, path, version, body)
	d.compared++
	if real.Status == http.StatusInternalServerError && method == http.MethodGet {
		d.crashes++
		return fake
	}
	diff := cmp.Diff(real, fake)
	if diff != "" && d.onlySharedLost(real, fake) {
		d.sharedLost++
		return fake
	}
	if diff != "" {
		b, _ := json.Marshal(body)
		d.t.Fatalf("step %d: %s %s at %s with %s (-real +fake):\n%s", d.step, method, path, version, b, diff)
	}
	return fake
}

// clear empties the world on both sides.
func (d *differ) clear() {
	for _, s := range []side{d.fake, d.real} {
		for _, c := range d.world.consumers {
			d.ask(s, http.MethodDelete, "/allocations/"+c, "1.39", nil)
		}
		for range d.world.providers {
			for _, p := range d.world.providers {
				d.ask(s, http.MethodDelete, "/resource_providers/"+p, "1.39", nil)
			}
		}
	}
}

// names makes the classes and traits.
func (d *differ) names() {
	for _, c := range d.world.classes {
		d.ask(d.fake, http.MethodPut, "/resource_classes/"+c, "1.39", nil)
		d.ask(d.real, http.MethodPut, "/resource_classes/"+c, "1.39", nil)
	}
	for _, tr := range d.world.traits {
		d.ask(d.fake, http.MethodPut, "/traits/"+tr, "1.39", nil)
		d.ask(d.real, http.MethodPut, "/traits/"+tr, "1.39", nil)
	}
}

// onlySharedLost tells whether two answers about candidates differ by a defect of the real service (8.0.0) and nothing else. While it
// searches for the plain group it keeps equal answers once, whatever tree they are for; so when sharing providers alone can give
// that group, it stays tied to one tree, which one depends on hash order, and all other trees are lost. The real answer must be
// part of the other, and in every answer that is missing, the plain group must be served by sharing providers alone.
func (d *differ) onlySharedLost(real, fake result) bool {
	realBody, ok1 := real.Body.(map[string]any)
	fakeBody, ok2 := fake.Body.(map[string]any)
	if !ok1 || !ok2 || real.Status != http.StatusOK || fake.Status != http.StatusOK || fakeBody["allocation_requests"] == nil {
		return false
	}
	summaries, _ := fakeBody["provider_summaries"].(map[string]any)
	realSummaries, _ := realBody["provider_summaries"].(map[string]any)
	for uuid, summary := range realSummaries {
		if !cmp.Equal(summary, summaries[uuid]) {
			return false
		}
	}
	missing, _ := fakeBody["allocation_requests"].([]any)
	missing = slices.Clone(missing)
	realRequests, _ := realBody["allocation_requests"].([]any)
	for _, request := range realRequests {
		i := slices.IndexFunc(missing, func(v any) bool { return cmp.Equal(v, request) })
		if i < 0 {
			return false
		}
		missing = slices.Delete(missing, i, i+1)
	}
	return !slices.ContainsFunc(missing, func(request any) bool { return !d.plainIsShared(request, summaries) })
}

// plainIsShared tells whether sharing providers alone serve the plain group of an answer; without mappings (below 1.34) whether any
// sharing provider gives anything.
func (d *differ) plainIsShared(request any, summaries map[string]any) bool {
	body, _ := request.(map[string]any)
	sharing := func(uuid string) bool {
		got, _ := d.ask(d.fake, http.MethodGet, "/resource_providers/"+uuid+"/traits", "1.39", nil).Body.(map[string]any)
		traits, _ := got["traits"].([]any)
		return slices.Contains(traits, any(sharingTrait))
	}
	mappings, ok := body["mappings"].(map[string]any)
	if !ok {
		return slices.ContainsFunc(slices.Collect(maps.Keys(summaries)), sharing)
	}
	plain, _ := mappings[""].([]any)
	return len(plain) > 0 && !slices.ContainsFunc(plain, func(v any) bool {
		uuid, _ := v.(string)
		return !sharing(uuid)
	})
}
