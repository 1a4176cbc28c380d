package placement

import (
	"context"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// others are everybody else who writes to the same Placement, and what they have there.
type others struct {
	*rapid.T

	ctx         context.Context
	client      *Client
	total       int // of the last inventory, so that all differ
	traits      map[string]map[string]bool
	unsure      map[string]map[string]bool // traits of which nobody could tell whose they are, were they added now
	inventories map[string]map[string]Inventory
	children    map[string]bool
	claims      []Claim
}

// look reads what Placement holds.
func (o *others) look() state {
	have, err := o.client.read(o.ctx, "look", []string{modelHost}, nil)
	require.NoError(o, err)
	for _, here := range have {
		require.NoError(o, o.client.readDetails(o.ctx, "look", here))
	}
	return have
}

// act does one thing to one provider.
func (o *others) act(traits []string) {
	have := o.look()
	uuids := slices.DeleteFunc(slices.Sorted(maps.Keys(have)), func(uuid string) bool { return uuid == modelHost || o.children[uuid] })
	if len(uuids) == 0 {
		return
	}
	here := have[rapid.SampledFrom(uuids).Draw(o.T, "provider")]
	switch rapid.SampledFrom([]string{"trait", "inventory", "child", "claim"}).Draw(o.T, "act") {
	case "trait":
		o.flipTrait(here, traits)
	case "inventory":
		o.putInventory(here)
	case "child":
		o.flipChild(here, have)
	case "claim":
		o.claim(here)
	}
}

// flipTrait adds a trait or removes one, whoever made it.
func (o *others) flipTrait(here *found, names []string) {
	trait := rapid.SampledFrom(names).Draw(o.T, "trait")
	traits := slices.DeleteFunc(slices.Clone(here.traits), func(name string) bool { return name == trait })
	add := len(traits) == len(here.traits)
	if add && o.unsure[here.UUID][trait] {
		return
	}
	if add {
		traits = append(traits, trait)
	}
	require.NoError(o, resourceproviders.UpdateTraits(o.ctx, o.client.at(baseline), here.UUID, resourceproviders.UpdateTraitsOpts{
		ResourceProviderGeneration: here.Generation, Traits: traits,
	}).Err)
	if add {
		note(o.traits, here.UUID, trait, true)
		return
	}
	if !o.traits[here.UUID][trait] {
		note(o.unsure, here.UUID, trait, true) // the reporter may not have noticed
	}
	delete(o.traits[here.UUID], trait)
}

// putInventory adds, changes or removes an inventory, whoever made it.
func (o *others) putInventory(here *found) {
	class := rapid.SampledFrom(modelClasses).Draw(o.T, "class")
	if _, exists := here.inventories[class]; exists && rapid.Bool().Draw(o.T, "remove") {
		if here.used[class] > 0 {
			return
		}
		delete(here.inventories, class)
		delete(o.inventories[here.UUID], class)
	} else {
		o.total++
		here.inventories.set(class, Inventory{Total: o.total})
		note(o.inventories, here.UUID, class, Inventory{Total: o.total})
	}
	body := inventoriesBody{Generation: here.Generation, Inventories: here.inventories}
	require.NoError(o, resourceproviders.UpdateInventories(o.ctx, o.client.at(baseline), here.UUID, body).Err)
}

func (o *others) flipChild(here *found, have state) {
	for _, child := range have.children(here.UUID) {
		if o.children[child] {
			require.NoError(o, resourceproviders.Delete(o.ctx, o.client.at(baseline), child).ExtractErr())
			delete(o.children, child)
			return
		}
	}
	child := uuid.NewString()
	o.create(child, "child-"+child, here.UUID)
	o.children[child] = true
}

func (o *others) create(uuid, name, parent string) {
	_, err := resourceproviders.Create(o.ctx, o.client.at(baseline), resourceproviders.CreateOpts{
		Name: name, UUID: uuid, ParentProviderUUID: parent,
	}).Extract()
	require.NoError(o, err)
}

// claim takes one of something, or gives something back.
func (o *others) claim(here *found) {
	if len(o.claims) > 0 && rapid.Bool().Draw(o.T, "release") {
		o.release()
		return
	}
	for _, class := range slices.Sorted(maps.Keys(here.inventories)) {
		taken := Candidate{Allocations: map[string]map[string]int64{here.UUID: {class: 1}}}
		if claim, err := o.client.Claim(o.ctx, newConsumer(), taken); err == nil {
			o.claims = append(o.claims, claim)
			return
		}
	}
}

func (o *others) release() {
	require.NoError(o, o.client.Release(o.ctx, o.claims[0]))
	o.claims = o.claims[1:]
}

func note[T any](notes map[string]map[string]T, uuid, name string, value T) {
	if notes[uuid] == nil {
		notes[uuid] = make(map[string]T)
	}
	notes[uuid][name] = value
}

// check fails unless everything that the others have is as they made it.
func (o *others) check(have state) {
	for uuid, traits := range o.traits {
		for trait := range traits {
			require.Contains(o, have.traits(uuid), trait, "trait of others on %s", uuid)
		}
	}
	for uuid, inventories := range o.inventories {
		for class, want := range inventories {
			got, _ := have.inventories(uuid).get(class)
			require.True(o, got.is(want), "inventory %s of others on %s: %v", class, uuid, got)
		}
	}
	for child := range o.children {
		require.Contains(o, have, child)
	}
}

// wire is the reporter's way to Placement: writes get lost before or after they are carried out, and others act at any
// time but right before a DELETE, which nothing guards.
type wire struct {
	next   http.RoundTripper
	others *others
	calm   bool
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.calm {
		return w.next.RoundTrip(r)
	}
	if r.Method != http.MethodDelete && rapid.IntRange(0, 9).Draw(w.others.T, "interfere") == 0 {
		w.others.act([]string{"HW_CPU_X86_AVX", "HW_CPU_X86_SSE"}) // not what the reporter may be writing in this moment
	}
	fate := rapid.IntRange(0, 12).Draw(w.others.T, "fate")
	if fate > 2 {
		return w.next.RoundTrip(r)
	}
	w.note(r)
	switch fate {
	case 0:
		return respond(r, http.StatusServiceUnavailable, map[string]any{}), nil
	case 1:
		if answer, err := w.next.RoundTrip(r); err == nil {
			_ = answer.Body.Close()
		}
	}
	return nil, io.ErrUnexpectedEOF
}

// note keeps the provider whose traits a write changes that gets lost.
func (w *wire) note(r *http.Request) {
	provider, isTraits := strings.CutSuffix(r.URL.Path, "/traits")
	if r.Method != http.MethodPut || !isTraits {
		return
	}
	for _, trait := range modelTraits {
		note(w.others.unsure, path.Base(provider), trait, true)
	}
}

// Whatever happens between and in the midst of reports, and whatever becomes of their requests: what others have stays as
// it is, and in the end everything of the reporter's own is as wanted, or the report says why not.
func TestReportsKeepToWhatTheyOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) { // a bubble has no deadline, for which rapid would ask
			var owned Owned
			server, err := placementtest.New()
			require.NoError(rt, err)
			o := &others{
				T: rt, ctx: t.Context(), total: 1000, unsure: make(map[string]map[string]bool),
				client: newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(server.Transport())),
				traits: make(map[string]map[string]bool), inventories: make(map[string]map[string]Inventory), children: make(map[string]bool),
			}
			everything := Tree{Providers: []TreeProvider{{UUID: uuid.NewString(), Name: "all", Traits: modelTraits, Inventories: map[string]Inventory{
				"CUSTOM_A": {Total: 1}, "CUSTOM_B": {Total: 1},
			}}}}
			mustReport(t, o.client, everything, nil) // so that the names exist
			o.create(modelHost, "host", "")
			created := make(map[string]bool)
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(modelIDs), 0, 1, rapid.ID).Draw(rt, "created by others") {
				o.create(id, "p"+id[35:], modelHost)
				created[id] = true
			}
			line := &wire{next: server.Transport(), others: o}
			c := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(line))

			var tree Tree
			for range rapid.IntRange(1, 4).Draw(rt, "reports") {
				tree = Tree{Parent: "host", Providers: drawTree(rt, "wanted")}
				owned, _ = c.Report(t.Context(), tree, owned) // it may well fail
				o.check(o.look())
				for range rapid.IntRange(0, 3).Draw(rt, "acts") {
					o.act(modelTraits)
				}
			}
			for len(o.claims) > 0 {
				o.release()
			}
			line.calm = true
			_, err = c.Report(t.Context(), tree, owned)
			have := o.look()
			o.check(have)
			checkReported(rt, tree, o, created, have, err)
		})
	})
}

// checkReported fails unless Placement holds what is wanted and what others have, and nothing else.
func checkReported(t *rapid.T, tree Tree, o *others, created map[string]bool, have state, err error) {
	if err != nil {
		require.ErrorIs(t, err, ErrForeign)
	}
	wanted := make(map[string]node)
	for _, node := range flatten(tree.Providers, modelHost, modelHost) {
		wanted[node.UUID] = node
		if created[node.UUID] && node.parent != modelHost {
			require.ErrorIs(t, err, ErrForeign)
			return // the whole tree is refused
		}
	}
	for _, node := range wanted {
		require.Contains(t, have, node.UUID)
		assert.Equal(t, node.parent, have[node.UUID].Parent)
		for _, trait := range node.Traits {
			assert.Contains(t, have.traits(node.UUID), trait)
		}
		for class, want := range node.Inventories {
			got, _ := have.inventories(node.UUID).get(class)
			_, theirs := o.inventories[node.UUID][class]
			assert.True(t, got.is(want) || theirs && err != nil, "%s of %s is %v", class, node.UUID, got)
		}
	}
	for uuid, here := range have {
		node, isWanted := wanted[uuid]
		theirs := uuid == modelHost || o.children[uuid] || created[uuid]
		assert.True(t, isWanted || theirs || err != nil, "%s was not removed", uuid)
		for _, trait := range here.traits {
			assert.True(t, slices.Contains(node.Traits, trait) || o.traits[uuid][trait], "%s of %s was not removed", trait, uuid)
		}
		for class := range here.inventories {
			_, keep := node.Inventories[class]
			_, theirs := o.inventories[uuid][class]
			assert.True(t, keep || theirs, "%s of %s was not removed", class, uuid)
		}
	}
}
