package placement

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

// everywhere runs a test against a Placement in memory and against the real one that NOVACYBORG_PLACEMENT_URL names.
// The real one may be shared: a test uses only names and uuids of its own. The options are for the one in memory.
func everywhere(t *testing.T, test func(t *testing.T, c *Client), opts ...placementtest.Option) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, inMemory(t, opts...))
	})
	t.Run("real", func(t *testing.T) {
		t.Parallel()
		url := os.Getenv("NOVACYBORG_PLACEMENT_URL")
		if url == "" {
			if os.Getenv("NOVACYBORG_PEERS") == "required" {
				t.Fatal("NOVACYBORG_PEERS=required, but NOVACYBORG_PLACEMENT_URL names no real Placement")
			}
			t.Skip("NOVACYBORG_PLACEMENT_URL names no real Placement")
		}
		test(t, newClient(t, WithEndpoint(url), WithToken("admin")))
	})
}

func newClient(t testing.TB, opts ...Option) *Client {
	t.Helper()
	c, err := New(t.Context(), opts...)
	require.NoError(t, err)
	return c
}

// inMemory returns a client of a new Placement in memory.
func inMemory(t testing.TB, opts ...placementtest.Option) *Client {
	t.Helper()
	c, _ := inMemoryThrough(t, func(rt http.RoundTripper) http.RoundTripper { return rt }, opts...)
	return c
}

// inMemoryThrough puts something between the client and a new Placement in memory.
func inMemoryThrough(t testing.TB, wrap func(http.RoundTripper) http.RoundTripper, opts ...placementtest.Option) (*Client, *placementtest.Server) {
	t.Helper()
	server, err := placementtest.New(opts...)
	require.NoError(t, err)
	return newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(wrap(server.Transport())),
		WithRetries(2, time.Millisecond, 2*time.Millisecond)), server
}

// roundTripper is a function as a transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// scene is one compute node with cards, under names of its own.
type scene struct {
	// FPGA and GPU are resource classes that only this scene has, Fast a trait, Idle a class without inventory.
	FPGA, GPU, Fast string
	Host            TreeProvider
	Cards           []TreeProvider // fpga0 (1), gpu0 (2), gpu1 (2, Fast)
	Tag             string
}

func newScene() scene {
	tag := strings.ToUpper(strings.ReplaceAll(uuid.NewString(), "-", "")[:12])
	s := scene{FPGA: "CUSTOM_FPGA_" + tag, GPU: "CUSTOM_GPU_" + tag, Fast: "CUSTOM_FAST_" + tag, Tag: tag}
	s.Host = TreeProvider{
		UUID: uuid.NewString(), Name: "cn-" + tag,
		Inventories: map[string]Inventory{"VCPU": {Total: 8, AllocationRatio: 2}, "MEMORY_MB": {Total: 4096, Reserved: 512}},
		Traits:      []string{"COMPUTE_ACCELERATORS", "CUSTOM_HOST_" + tag},
	}
	s.Cards = []TreeProvider{
		{UUID: uuid.NewString(), Name: "fpga0-" + tag, Inventories: map[string]Inventory{s.FPGA: {Total: 1, MaxUnit: 1}}},
		{UUID: uuid.NewString(), Name: "gpu0-" + tag, Inventories: map[string]Inventory{s.GPU: {Total: 2, MaxUnit: 2}}},
		{UUID: uuid.NewString(), Name: "gpu1-" + tag, Inventories: map[string]Inventory{s.GPU: {Total: 2, MaxUnit: 2}}, Traits: []string{s.Fast}},
	}
	return s
}

// report puts the scene into Placement the way nova-compute and Cyborg do: the host first, then its cards. It returns
// what is owned of the cards.
func (s scene) report(t testing.TB, c *Client) Owned {
	t.Helper()
	mustReport(t, c, Tree{Providers: []TreeProvider{s.Host}}, nil)
	return mustReport(t, c, s.under(s.Cards...), nil)
}

// under is a tree of providers under the scene's host.
func (s scene) under(providers ...TreeProvider) Tree {
	return Tree{Parent: s.Host.Name, Providers: providers}
}

// mustReport reports a tree and returns what is owned after it.
func mustReport(t testing.TB, c *Client, tree Tree, owned Owned) Owned {
	t.Helper()
	owned, err := c.Report(t.Context(), tree, owned)
	require.NoError(t, err)
	return owned
}

func assertOwned(t testing.TB, want, got Owned) {
	t.Helper()
	assert.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty()))
}

// flavor is the group of a flavor's own resources.
func flavor() requestspec.Group {
	return requestspec.Group{Resources: map[string]int64{"VCPU": 2, "MEMORY_MB": 1024}}
}

// devices is the group of a device profile.
func devices(index int, class string, amount int64, required ...string) requestspec.Group {
	return requestspec.Group{
		Suffix: requestspec.RequesterID(index, ""), Resources: map[string]int64{class: amount}, Required: required,
	}
}

// request is a request for groups that may share providers.
func request(groups ...requestspec.Group) *requestspec.Request {
	return &requestspec.Request{Groups: groups, GroupPolicy: "none", Limit: 1000}
}

func newConsumer() Consumer {
	return Consumer{UUID: uuid.NewString(), ProjectID: uuid.NewString(), UserID: uuid.NewString()}
}

// claimOne claims the first candidate of a request for a new consumer.
func claimOne(t testing.TB, c *Client, req *requestspec.Request) Claim {
	t.Helper()
	found, err := c.Candidates(t.Context(), req)
	require.NoError(t, err)
	require.NotEmpty(t, found.List)
	claim, err := c.Claim(t.Context(), newConsumer(), found.List[0])
	require.NoError(t, err)
	return claim
}

// join puts a provider into aggregates.
func join(t *testing.T, c *Client, provider string, aggregates ...string) {
	t.Helper()
	held, err := resourceproviders.GetAggregates(t.Context(), c.at(baseline), provider).Extract()
	require.NoError(t, err)
	require.NoError(t, resourceproviders.UpdateAggregates(t.Context(), c.at(baseline), provider, resourceproviders.UpdateAggregatesOpts{
		ResourceProviderGeneration: held.ResourceProviderGeneration, Aggregates: aggregates,
	}).Err)
}

// pretend makes the client believe that its server offers no more than that microversion.
func pretend(t testing.TB, c *Client, newest string) {
	t.Helper()
	old := newClient(t, WithEndpoint("http://old.invalid"), WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		return respond(r, 200, map[string]any{"versions": []any{map[string]any{"id": "v1.0", "min_version": "1.0", "max_version": newest}}}), nil
	})))
	_, err := c.versions.Get(t.Context(), func(ctx context.Context) (osapi.Versions, error) {
		versions, _, err := osapi.Discover(ctx, old.service)
		return versions, err
	})
	require.NoError(t, err)
}
