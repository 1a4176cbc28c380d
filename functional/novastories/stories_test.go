package novastories_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// story is what is done to one server, or to some at once, and what is to come of it.
type story struct {
	name string
	// groups are those of the device profile; without any there is no such profile.
	groups []requestspec.ProfileGroup
	// specs are further extra specs of the flavor.
	specs map[string]string
	// most is how many accelerators are in use at most, and servers how many servers there are, if not one.
	most, servers int64

	cuts   []cut
	events eventFault
	// faults are rules of the fake. The real Cyborg comes to the same by other means, or has no part in the story.
	faults []string
	alone  bool // the fake's
	last   bool // it takes what the others need, and is told when they have ended
	before func(context.Context, *testing.T, *telling)
	after  func(*testing.T, *telling)
	steps  []step
}

// step is one thing that is done.
type step struct {
	name string
	act  func(context.Context, *telling) error
	// refused is the status of Nova's answer, if it is one of a refusal, and reason is in its text.
	refused int
	reason  string
	want    state
}

func (s *story) cutOf(method string) (cut, bool) {
	i := slices.IndexFunc(s.cuts, func(c cut) bool { return c.method == method })
	if i < 0 {
		return cut{}, false
	}
	return s.cuts[i], true
}

func (s *story) place(step string) int {
	for i, one := range s.steps {
		if one.name == step {
			return i
		}
	}
	return len(s.steps)
}

// TestNovaStories tells each story with both Cyborgs, and compares the journals line by line.
func TestNovaStories(t *testing.T) {
	t.Parallel()
	k := newStack(t)
	for _, last := range []bool{false, true} {
		t.Run(map[bool]string{false: "together", true: "last"}[last], func(t *testing.T) { // ends when its stories have ended
			for i := range stories {
				s := &stories[i]
				if s.last != last {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					k.tellStory(t, s)
				})
			}
		})
	}
}

// tellStory tells a story with all that have a part in it.
func (k *stack) tellStory(t *testing.T, s *story) {
	t.Helper()
	name := strings.ReplaceAll(s.name, " ", "-") + "-" + k.id
	specs := map[string]string{"accel:device_profile": name}
	maps.Copy(specs, s.specs)
	flavor := k.newFlavor(t, name, specs)
	peers := []*peer{k.real, k.fake}
	if s.alone {
		peers = peers[1:]
	}
	tellings := make([]*telling, len(peers))
	t.Run("with", func(t *testing.T) { // ends when all have ended
		for i, p := range peers {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				l := k.prepare(t, s, p, name, flavor)
				l.tell(t)
				if s.after != nil {
					s.after(t, l)
				}
				tellings[i] = l
			})
		}
	})
	if t.Failed() || len(tellings) < 2 {
		return
	}
	assert.Empty(t, cmp.Diff(tellings[0].transcript(), tellings[1].transcript()), "the journals differ: - real Cyborg, + fakecyborg")
}

// prepare makes what a telling needs, and has it go with the test.
func (k *stack) prepare(t *testing.T, s *story, p *peer, name, flavor string) *telling {
	t.Helper()
	require.NoError(t, k.budget.Acquire(t.Context(), s.most))
	t.Cleanup(func() { k.budget.Release(s.most) })
	require.NoError(t, k.quota.Acquire(t.Context(), max(s.servers, 1)))
	t.Cleanup(func() { k.quota.Release(max(s.servers, 1)) })
	l := &telling{stack: k, story: s, peer: p, profile: name, flavor: flavor}
	user, endpoints := k.login(t, k.user)
	var err error
	l.compute, err = openstack.NewComputeV2(user, endpoints)
	require.NoError(t, err)
	l.compute.Microversion = "2.82"
	k.wire.follow(l, user.Token())
	t.Cleanup(func() { l.clear(t) })
	if s.groups != nil {
		_, err = p.admin.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{Name: name, Groups: s.groups})
		require.NoError(t, err)
	}
	if len(s.faults) > 0 && p == k.fake {
		k.injectFaults(t, name, s.faults)
	}
	if s.before != nil {
		s.before(t.Context(), t, l)
	}
	return l
}

// injectFaults adds rules to the fake that go with the test.
func (k *stack) injectFaults(t *testing.T, scope string, rules []string) {
	t.Helper()
	var text strings.Builder
	for _, rule := range rules {
		text.WriteString("- {scope: " + scope + ", " + rule + "}\n")
	}
	k.control(t, http.MethodPost, "faults", text.String())
	t.Cleanup(func() { k.control(t, http.MethodDelete, "faults?scope="+scope, "") })
}

func (k *stack) control(t *testing.T, method, path, body string) {
	t.Helper()
	where := k.fake.url.Scheme + "://" + k.fake.url.Host + "/_fake/" + path
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, where, strings.NewReader(body))
	require.NoError(t, err)
	response, err := k.transport.RoundTrip(request)
	require.NoError(t, err)
	answer, err := drain(&response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Less(t, response.StatusCode, http.StatusMultipleChoices, "%s %s: %s", method, path, answer)
}

// create makes so many servers.
func create(count int) func(context.Context, *telling) error {
	return func(ctx context.Context, l *telling) error {
		name := l.profile + "-" + l.peer.name
		first, err := servers.Create(ctx, l.compute, servers.CreateOpts{
			Name: name, FlavorRef: l.flavor, ImageRef: l.image, Networks: "none", Min: count, Max: count,
		}, nil).Extract()
		if err != nil {
			return err
		}
		if count == 1 {
			l.servers = []string{first.ID}
			return nil
		}
		pages, err := servers.ListSimple(l.compute, servers.ListOpts{Name: "^" + name + "(-[0-9]+)?$"}).AllPages(ctx)
		if err != nil {
			return err
		}
		all, err := servers.ExtractServers(pages)
		slices.SortFunc(all, func(a, b servers.Server) int { return strings.Compare(a.Name, b.Name) })
		for _, server := range all {
			l.servers = append(l.servers, server.ID)
		}
		return err
	}
}

// createWithoutNetworks makes a server as clients did before they had to say which networks it should have.
func createWithoutNetworks(ctx context.Context, l *telling) error {
	older := *l.compute
	older.Microversion = ""
	made, err := servers.Create(ctx, &older, servers.CreateOpts{
		Name: l.profile + "-" + l.peer.name, FlavorRef: l.flavor, ImageRef: l.image,
	}, nil).Extract()
	if err == nil {
		l.servers = []string{made.ID}
	}
	return err
}
