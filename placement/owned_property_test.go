package placement

import (
	"context"
	"io"
	"maps"
	"net/http"
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
	inventories map[string]map[string]Inventory
	children    map[string]bool
	created     map[string]bool
	claims      []Claim
	doubts
}

// doubts are the things of which nobody could tell whose they are, were they made now: others removed them, or a write of
// them got lost, and the reporter has not looked since. Things are names of traits and classes, and provider.
type doubts struct {
	unsure, before map[string]map[string]bool
	// fresh is what others made since the report began; either what of that may be the reporter's as well.
	fresh, either map[string]map[string]bool
}

const provider = "provider"

func newDoubts() doubts {
	d := doubts{either: make(map[string]map[string]bool), before: make(map[string]map[string]bool)}
	d.begin()
	return d
}

// begin is the begin of a report.
func (d *doubts) begin() {
	for uuid, things := range d.unsure {
		for thing := range things {
			note(d.before, uuid, thing, true)
		}
	}
	d.unsure, d.fresh = make(map[string]map[string]bool), make(map[string]map[string]bool)
}

// end is the end of a report that came through, and so has seen all that was before it.
func (d *doubts) end() { d.before = make(map[string]map[string]bool) }

// about tells whether others had better not make a thing now.
func (d *doubts) about(uuid, thing string) bool {
	return d.unsure[uuid][thing] || d.before[uuid][thing] || d.unsure[uuid][provider] || d.before[uuid][provider]
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
	switch rapid.SampledFrom([]string{"trait", "inventory", "child", "claim", provider}).Draw(o.T, "act") {
	case "trait":
		o.flipTrait(here, traits)
	case "inventory":
		o.putInventory(here)
	case "child":
		o.flipChild(here, have)
	case "claim":
		o.claim(here)
	case provider:
		o.flipProvider(here, have)
	}
}

// flipProvider makes a provider that the reporter may want, or removes one, whoever made it.
func (o *others) flipProvider(here *found, have state) {
	for _, id := range modelIDs {
		if have[id] == nil && !o.about(id, provider) {
			o.create(id, "p"+id[35:], modelHost)
			o.created[id] = true
			note(o.fresh, id, provider, true)
			return
		}
	}
	used := slices.ContainsFunc(slices.Collect(maps.Values(here.used)), func(n int64) bool { return n > 0 })
	if used || len(have.children(here.UUID)) > 0 {
		return
	}
	require.NoError(o, resourceproviders.Delete(o.ctx, o.client.at(baseline), here.UUID).ExtractErr())
	note(o.unsure, here.UUID, provider, true)
	for _, mine := range []map[string]map[string]bool{o.traits, o.fresh, o.either} {
		delete(mine, here.UUID)
	}
	delete(o.inventories, here.UUID)
	delete(o.created, here.UUID)
}

// flipTrait adds a trait or removes one, whoever made it.
func (o *others) flipTrait(here *found, names []string) {
	trait := rapid.SampledFrom(names).Draw(o.T, "trait")
	traits := slices.DeleteFunc(slices.Clone(here.traits), func(name string) bool { return name == trait })
	add := len(traits) == len(here.traits)
	if add && o.about(here.UUID, trait) {
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
		note(o.fresh, here.UUID, trait, true)
		return
	}
	note(o.unsure, here.UUID, trait, true)
	delete(o.traits[here.UUID], trait)
	delete(o.either[here.UUID], trait)
}

// putInventory adds, changes or removes an inventory, whoever made it.
func (o *others) putInventory(here *found) {
	class := rapid.SampledFrom(modelClasses).Draw(o.T, "class")
	_, exists := here.inventories[class]
	switch {
	case exists && rapid.Bool().Draw(o.T, "remove"):
		if here.used[class] > 0 {
			return
		}
		delete(here.inventories, class)
		delete(o.inventories[here.UUID], class)
		delete(o.either[here.UUID], class)
	case !exists && !o.about(here.UUID, class) && rapid.Bool().Draw(o.T, "as the reporter would"):
		o.setInventory(here, class, rapid.IntRange(1, 3).Draw(o.T, "total"))
	default:
		o.total++
		o.setInventory(here, class, o.total)
	}
	if exists {
		note(o.unsure, here.UUID, class, true)
	}
	body := inventoriesBody{Generation: here.Generation, Inventories: here.inventories}
	require.NoError(o, resourceproviders.UpdateInventories(o.ctx, o.client.at(baseline), here.UUID, body).Err)
}

func (o *others) setInventory(here *found, class string, total int) {
	here.inventories.set(class, Inventory{Total: total})
	note(o.inventories, here.UUID, class, Inventory{Total: total})
	note(o.fresh, here.UUID, class, true)
	delete(o.either[here.UUID], class)
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
	for _, theirs := range []map[string]bool{o.children, o.created} {
		for uuid := range theirs {
			require.Contains(o, have, uuid)
		}
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
		w.others.act(modelTraits)
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

// note keeps what a write is about that gets lost. Who else made the same in that moment cannot be told apart.
func (w *wire) note(r *http.Request) {
	o := w.others
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var uuids, things []string
	switch {
	case r.Method == http.MethodGet:
	case segments[0] == "reshaper" || r.Method == http.MethodPost:
		uuids, things = modelIDs, slices.Concat(modelClasses, []string{provider})
	case len(segments) == 3:
		uuids, things = segments[1:2], slices.Concat(modelClasses, modelTraits)
	case r.Method == http.MethodDelete:
		uuids, things = segments[1:2], []string{provider}
	}
	for _, uuid := range uuids {
		for _, thing := range things {
			note(o.unsure, uuid, thing, true)
			if !o.fresh[uuid][thing] {
				continue
			}
			note(o.either, uuid, thing, true)
			delete(o.traits[uuid], thing)
			delete(o.inventories[uuid], thing)
			if thing == provider {
				delete(o.created, uuid)
			}
		}
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
				T: rt, ctx: t.Context(), total: 1000, doubts: newDoubts(), created: make(map[string]bool),
				client: newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(server.Transport())),
				traits: make(map[string]map[string]bool), inventories: make(map[string]map[string]Inventory), children: make(map[string]bool),
			}
			everything := Tree{Providers: []TreeProvider{{UUID: uuid.NewString(), Name: "all", Traits: modelTraits, Inventories: map[string]Inventory{
				"CUSTOM_A": {Total: 1}, "CUSTOM_B": {Total: 1},
			}}}}
			mustReport(t, o.client, everything, nil) // so that the names exist
			o.create(modelHost, "host", "")
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(modelIDs), 0, 1, rapid.ID).Draw(rt, "created by others") {
				o.create(id, "p"+id[35:], modelHost)
				o.created[id] = true
			}
			line := &wire{next: server.Transport(), others: o}
			c := newClient(t, WithEndpoint(server.URL()), WithToken("admin"), WithTransport(line))

			var tree Tree
			for range rapid.IntRange(1, 4).Draw(rt, "reports") {
				tree = Tree{Parent: "host", Providers: drawTree(rt, "wanted")}
				o.begin()
				if owned, err = c.Report(t.Context(), tree, owned); err == nil { // it may well fail
					o.end()
				}
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
			checkReported(rt, tree, o, have, err)
		})
	})
}

// checkReported fails unless Placement holds what is wanted and what others have, and nothing else.
func checkReported(t *rapid.T, tree Tree, o *others, have state, err error) {
	if err != nil {
		require.ErrorIs(t, err, ErrForeign)
	}
	wanted := make(map[string]node)
	for _, node := range flatten(tree.Providers, modelHost, modelHost) {
		wanted[node.UUID] = node
		if o.created[node.UUID] && node.parent != modelHost {
			require.ErrorIs(t, err, ErrForeign)
		}
		if (o.created[node.UUID] || o.either[node.UUID][provider]) && err != nil && node.parent != modelHost {
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
			assert.True(t, got.is(want) || (theirs || o.either[node.UUID][class]) && err != nil, "%s of %s is %v", class, node.UUID, got)
		}
	}
	for uuid, here := range have {
		node, isWanted := wanted[uuid]
		theirs := uuid == modelHost || o.children[uuid] || o.created[uuid] || o.either[uuid][provider]
		assert.True(t, isWanted || theirs || err != nil, "%s was not removed", uuid)
		for _, trait := range here.traits {
			assert.True(t, slices.Contains(node.Traits, trait) || o.traits[uuid][trait] || o.either[uuid][trait], "%s of %s was not removed", trait, uuid)
		}
		for class := range here.inventories {
			_, keep := node.Inventories[class]
			_, theirs := o.inventories[uuid][class]
			assert.True(t, keep || theirs || o.either[uuid][class], "%s of %s was not removed", class, uuid)
		}
	}
}
