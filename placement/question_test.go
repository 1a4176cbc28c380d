package placement

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/requestspec"
)

func TestAskAtTheLowestVersion(t *testing.T) {
	t.Parallel()
	rooted, subtree := request(flavor(), devices(0, "FPGA", 1)), request(flavor(), devices(0, "FPGA", 1))
	rooted.RootRequired = []string{"COMPUTE_ACCELERATORS"}
	subtree.SameSubtree = [][]string{{"device_profile_0"}}
	tests := []struct {
		name    string
		request *requestspec.Request
		newest  int
		minor   int
		query   string
	}{
		{"mappings are always wanted", request(devices(0, "FPGA", 1)), 39, 34, "group_policy=none&limit=1000&resourcesdevice_profile_0=FPGA%3A1"},
		{"root traits", rooted, 39, 35, rooted.Query()},
		{"same_subtree", subtree, 36, 36, subtree.Query()},
		{"root traits unknown", rooted, 34, 34, "group_policy=none&limit=4000&resources=MEMORY_MB%3A1024%2CVCPU%3A2&resourcesdevice_profile_0=FPGA%3A1"},
		{"suffixes unknown", rooted, 32, 32, "group_policy=none&limit=4000&resources=MEMORY_MB%3A1024%2CVCPU%3A2&resources1=FPGA%3A1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			q := ask(test.request, test.newest)
			assert.Equal(t, test.query, q.sent.Query())
			assert.Equal(t, test.minor, q.minor)
		})
	}
}

// Numbered suffixes never collide, and the caller's request stays as it is.
func TestNumberedSuffixesDiffer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		suffixes := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"", "1", "2", "3", "4", "_NIC", "device_profile_0", "007", "99"}), rapid.ID).Draw(t, "suffixes")
		req := &requestspec.Request{}
		for _, suffix := range suffixes {
			req.Groups = append(req.Groups, requestspec.Group{Suffix: suffix})
		}
		seen := make(map[string]bool)
		for i, group := range numbered(req).Groups {
			assert.True(t, group.Suffix == "" || isNumber(group.Suffix), group.Suffix)
			assert.False(t, seen[group.Suffix], "%q twice", group.Suffix)
			assert.Equal(t, suffixes[i], req.Groups[i].Suffix)
			seen[group.Suffix] = true
		}
	})
}

// LP#2068893: 400 aggregates in one query are more than a web server takes.
func TestManyAggregatesAreSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var set []string
		for i := range rapid.IntRange(0, 900).Draw(t, "aggregates") {
			set = append(set, fmt.Sprintf("6be1b1b1-0000-4000-8000-%012d", i))
		}
		group := flavor()
		group.Aggregates = [][]string{{"6be1b1b1-0000-4000-8000-00000000000f"}, set}
		req := request(group)
		var joined []string
		for _, part := range split(req) {
			chunk := part.Groups[0].Aggregates[1]
			assert.LessOrEqual(t, len(chunk), maxAggregates)
			assert.Less(t, len(part.Query()), 8192)
			assert.Equal(t, group.Aggregates[0], part.Groups[0].Aggregates[0])
			joined = append(joined, chunk...)
		}
		assert.True(t, slices.Equal(set, joined))
		assert.Equal(t, set, req.Groups[0].Aggregates[1])
	})
}

func TestSplitRequestsAreMergedWithoutDuplicates(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, c *Client) {
		s := newScene()
		s.report(t, c)
		aggregates := make([]string, 400)
		for i := range aggregates {
			aggregates[i] = newConsumer().UUID
		}
		join(t, c, s.Cards[1].UUID, aggregates[0], aggregates[399])
		join(t, c, s.Cards[2].UUID, aggregates[250])
		group := devices(0, s.GPU, 1)
		group.Aggregates = [][]string{aggregates}
		found, err := c.Candidates(t.Context(), request(flavor(), group))
		require.NoError(t, err)
		assert.Len(t, found.List, 2)
	})
}

// Several required traits go into one parameter: below 1.39 a repeated one overwrites the first (story 2005345).
func TestRequiredTraitsAreNeverRepeated(t *testing.T) {
	t.Parallel()
	group := devices(0, "FPGA", 1, "CUSTOM_A", "CUSTOM_B")
	for _, newest := range []int{32, 34, 39} {
		query := ask(request(group), newest).sent.Query()
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		for key, value := range values {
			assert.Len(t, value, 1, key)
		}
		assert.Contains(t, query, "CUSTOM_A%2CCUSTOM_B")
	}
}
