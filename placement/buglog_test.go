package placement

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/requestspec"
)

// The tests of this file are public bug reports, each as small as it can be.

// Only the root's aggregates were looked at, not those of its children (Launchpad nova 1792503).
func TestAggregatesOfChildrenCount(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		onRoot, onChild := newConsumer().UUID, newConsumer().UUID
		join(t, c, s.Host.UUID, onRoot)
		join(t, c, s.Cards[2].UUID, onChild)
		for _, test := range []struct {
			name, suffix, aggregate string
			want                    int
		}{
			{"the child's", "", onChild, 1},
			{"the root's, which it lends", "", onRoot, 2},
			{"the child's, numbered", "1", onChild, 1},
			{"the root's, numbered", "1", onRoot, 0},
		} {
			group := requestspec.Group{Suffix: test.suffix, Resources: map[string]int64{s.GPU: 1}, Aggregates: [][]string{{test.aggregate}}}
			found, err := c.Candidates(t.Context(), request(group))
			require.NoError(t, err)
			require.Len(t, found.List, test.want, test.name)
			if test.want == 1 {
				assert.Contains(t, found.List[0].Allocations, s.Cards[2].UUID, test.name)
			}
		}
	})
}

// All permutations of equal devices were built before the limit was looked at (Launchpad nova 2070257, 2126751). Ten of
// sixteen have 29 billion, which no server builds and no client matches: that an answer comes at all is the proof.
func TestEqualDevicesDoNotExplode(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.32", "1.39"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			asked := 0
			c, _ := inMemoryThrough(t, func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/allocation_candidates") {
						asked++
					}
					return next.RoundTrip(r)
				})
			}, placementtest.WithMaxVersion(version))
			s := newScene()
			cards := make([]TreeProvider, 16)
			for i := range cards {
				cards[i] = TreeProvider{UUID: newConsumer().UUID, Name: fmt.Sprint("card", i), Inventories: map[string]Inventory{s.GPU: {Total: 1}}}
			}
			mustReport(t, c, Tree{Providers: []TreeProvider{s.Host}}, nil)
			mustReport(t, c, s.under(cards...), nil)
			for i, test := range []struct{ groups, limit, ordered, sets int }{{2, 0, 240, 120}, {3, 0, 3360, 560}, {10, 10, 10, 10}} {
				req := &requestspec.Request{GroupPolicy: "isolate", Limit: test.limit}
				for n := range test.groups {
					req.Groups = append(req.Groups, devices(n, s.GPU, 1))
				}
				found, err := c.Candidates(t.Context(), req)
				require.NoError(t, err)
				assert.Equal(t, i+1, asked)
				if version == "1.39" {
					assert.Len(t, found.List, test.ordered)
				} else { // without mappings, the orders of the same devices are one candidate
					assert.NotEmpty(t, found.List)
					assert.LessOrEqual(t, len(found.List), test.sets)
				}
			}
		})
	}
}

// A consumer of a provider that is over its capacity could not even shrink (Launchpad placement 2104040).
func TestShrinkingOverCapacity(t *testing.T) {
	t.Parallel()
	c := inMemory(t)
	s := newScene()
	card := s.Cards[1]
	card.Inventories = map[string]Inventory{s.GPU: {Total: 4}}
	mustReport(t, c, Tree{Providers: []TreeProvider{s.Host}}, nil)
	mustReport(t, c, s.under(card), nil)
	two, other := claimOne(t, c, request(devices(0, s.GPU, 2))), claimOne(t, c, request(devices(0, s.GPU, 2)))
	setInventory(t, c, card.UUID, s.GPU, Inventory{Total: 4, Reserved: 2}.withDefaults())

	one := map[string]map[string]int64{card.UUID: {s.GPU: 1}}
	less, err := c.Drop(t.Context(), two, one)
	require.NoError(t, err)
	_, err = c.Move(t.Context(), less, Candidate{Allocations: one})
	require.ErrorIs(t, err, ErrNoCapacity)
	held, err := c.Allocations(t.Context(), other.Consumer.UUID)
	require.NoError(t, err)
	_, err = c.put(t.Context(), "the same", write{consumer: other.Consumer, allocations: held.Allocations, before: &held.Generation})
	require.NoError(t, err)
}

// Forbidden traits and any-of sets got mixed up (the rules of microversion 1.39).
func TestForbiddenAndAnyOfTraits(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		if newest, err := c.serverMax(t.Context()); err != nil || newest < 39 {
			t.Skip("this Placement offers less than microversion 1.39")
		}
		s := newScene()
		other := "CUSTOM_OTHER_" + s.Tag
		s.Cards[1].Traits = []string{other}
		s.report(t, c)
		ask := func(traits string) (int, error) {
			var found struct {
				Requests []any `json:"allocation_requests"`
			}
			service := c.at(39)
			//nolint:bodyclose // gophercloud reads and closes it
			_, err := service.Get(t.Context(), service.ServiceURL("allocation_candidates")+"?resources="+s.GPU+":1&"+traits, &found, nil)
			return len(found.Requests), wrap("ask", err)
		}
		for query, want := range map[string]int{
			"required=in:" + s.Fast + "," + other:                            2,
			"required=in:" + s.Fast + "," + other + "&required=!" + s.Fast:   1,
			"required=in:" + s.Fast + "," + other + "&required=" + s.Fast:    1,
			"required=" + s.Fast + "&required=" + other:                      0,
			"required=!" + s.Fast + ",!" + other:                             0,
			"required=" + other + "&required=!" + s.Fast + ",!MISC_NO_SHARE": -1,
		} {
			got, err := ask(query)
			if want < 0 {
				require.Error(t, err, query)
				continue
			}
			require.NoError(t, err, query)
			assert.Equal(t, want, got, query)
		}
		_, err := ask("required=in:" + s.Fast + ",!" + other)
		failure := new(Error)
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, http.StatusBadRequest, failure.StatusCode)
	})
}

// Disks were joined to hosts that they are not shared with (Launchpad nova 1763907).
func TestSharedDisksStayWithTheirHosts(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		left, right := newScene(), newScene()
		class, aggregate := "CUSTOM_DISK_"+left.Tag, newConsumer().UUID
		disk := TreeProvider{
			UUID: newConsumer().UUID, Name: "disk1-" + left.Tag, Traits: []string{sharingTrait}, Inventories: map[string]Inventory{class: {Total: 100}},
		}
		right.Host.Inventories[class] = Inventory{Total: 100}
		common := "CUSTOM_CPU_" + left.Tag
		left.Host.Inventories[common], right.Host.Inventories[common] = Inventory{Total: 8}, Inventory{Total: 8}
		for _, root := range []TreeProvider{left.Host, right.Host, disk} {
			mustReport(t, c, Tree{Providers: []TreeProvider{root}}, nil)
		}
		join(t, c, left.Host.UUID, aggregate)
		join(t, c, disk.UUID, aggregate)
		found, err := c.Candidates(t.Context(), request(requestspec.Group{Resources: map[string]int64{common: 1, class: 10}}))
		require.NoError(t, err)
		var taken []map[string]map[string]int64
		for _, candidate := range found.List {
			taken = append(taken, candidate.Allocations)
		}
		assert.ElementsMatch(t, []map[string]map[string]int64{
			{left.Host.UUID: {common: 1}, disk.UUID: {class: 10}},
			{right.Host.UUID: {common: 1, class: 10}},
		}, taken)
	})
}
