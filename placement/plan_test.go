package placement

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var (
	modelClasses = []string{"FPGA", "PGPU", "CUSTOM_A", "CUSTOM_B"}
	modelTraits  = []string{"OWNER_CYBORG", "CUSTOM_FAST", "CUSTOM_SLOW"}
	modelIDs     = []string{
		"00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000003",
		"00000000-0000-4000-8000-000000000004", "00000000-0000-4000-8000-000000000005",
	}
)

const modelHost = "00000000-0000-4000-8000-0000000000ff"

// drawTree draws providers in a random arrangement; a uuid always has the same name.
func drawTree(t *rapid.T, label string) []TreeProvider {
	var tree []TreeProvider
	for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(modelIDs), 0, 5, rapid.ID).Draw(t, label) {
		provider := TreeProvider{UUID: id, Name: "p" + id[35:], Inventories: make(map[string]Inventory)}
		for _, class := range rapid.SliceOfDistinct(rapid.SampledFrom(modelClasses), rapid.ID).Draw(t, "classes") {
			provider.Inventories[class] = Inventory{Total: rapid.IntRange(1, 3).Draw(t, "total")}
		}
		provider.Traits = rapid.SliceOfDistinct(rapid.SampledFrom(modelTraits), rapid.ID).Draw(t, "traits")
		if len(tree) > 0 && rapid.Bool().Draw(t, "nested") {
			last := &tree[len(tree)-1]
			last.Children = append(last.Children, provider)
			continue
		}
		tree = append(tree, provider)
	}
	return tree
}

// model is a state that plans are applied to.
func newModel() state {
	return state{modelHost: &found{Provider: Provider{UUID: modelHost, Root: modelHost}}}
}

// apply does what applier does, and fails where Placement would refuse.
func (s state) apply(t require.TestingT, p *plan) {
	for _, node := range p.create {
		require.Contains(t, s, node.parent, "a parent must exist before its child")
		require.NotContains(t, s, node.UUID)
		s[node.UUID] = &found{Provider: Provider{UUID: node.UUID, Name: node.Name, Parent: node.parent, Root: node.root}, inventories: make(inventorySet)}
	}
	for _, node := range p.move {
		for above := node.parent; above != ""; above = s[above].Parent {
			require.NotEqual(t, node.UUID, above, "a provider must not come under itself")
		}
		s[node.UUID].Parent = node.parent
	}
	for _, edit := range p.edits {
		if edit.traits != nil {
			s[edit.uuid].traits = edit.traits
		}
		if edit.inventories != nil {
			s[edit.uuid].inventories = edit.inventories
		}
	}
	for uuid, set := range p.reshape {
		s[uuid].inventories = set
	}
	for _, uuid := range p.retire {
		require.Empty(t, s.children(uuid), "children must go before their parent")
		delete(s, uuid)
	}
}

// Whatever was reported before, a report leads to the wanted tree, keeps what is foreign, and is then done.
func TestPlansLeadToTheWantedTree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		have := newModel()
		previous, wanted := drawTree(t, "previous"), drawTree(t, "wanted")
		first, _, err := difference("op", flatten(previous, modelHost, modelHost), nil, have, nil)
		require.NoError(t, err)
		have.apply(t, first)

		guests := make(map[string]bool)
		for _, node := range flatten(previous, modelHost, modelHost) {
			if rapid.Bool().Draw(t, "foreign") {
				guests[node.UUID] = true
				have[node.UUID].traits = append(slices.Clone(have[node.UUID].traits), "CUSTOM_FOREIGN")
				have[node.UUID].inventories = maps.Clone(have[node.UUID].inventories)
				have[node.UUID].inventories["CUSTOM_NIC"] = json.RawMessage(`{"total":7.0}`)
			}
		}
		nodes := flatten(wanted, modelHost, modelHost)
		plan, _, err := difference("op", nodes, Owning(previous...), have, nil)
		require.NoError(t, err)
		for _, kept := range plan.kept {
			require.ErrorIs(t, kept, ErrForeign)
		}
		stay := 0
		for uuid := range guests {
			if !slices.ContainsFunc(nodes, func(n node) bool { return n.UUID == uuid }) {
				stay++
			}
		}
		require.Len(t, plan.kept, stay, "each provider that could not be removed is reported")
		have.apply(t, plan)

		for _, node := range nodes {
			here := have[node.UUID]
			require.NotNil(t, here)
			assert.Equal(t, node.parent, here.Parent)
			classes, traits := slices.Collect(maps.Keys(node.Inventories)), slices.Clone(node.Traits)
			if guests[node.UUID] {
				classes, traits = append(classes, "CUSTOM_NIC"), append(traits, "CUSTOM_FOREIGN")
			}
			assert.ElementsMatch(t, classes, slices.Collect(maps.Keys(here.inventories)))
			assert.ElementsMatch(t, traits, here.traits)
			for class, inventory := range node.Inventories {
				got, _ := here.inventories.get(class)
				assert.Equal(t, inventory.withDefaults(), got)
			}
		}
		for uuid := range guests {
			require.NotNil(t, have[uuid], "a provider with inventory of others stays")
			assert.JSONEq(t, `{"total":7.0}`, string(have[uuid].inventories["CUSTOM_NIC"]))
			assert.Contains(t, have[uuid].traits, "CUSTOM_FOREIGN")
		}
		again, _, err := difference("op", nodes, Owning(wanted...), have, nil)
		require.NoError(t, err)
		assertNothingToDo(t, again)
	})
}

func assertNothingToDo(t require.TestingT, p *plan) {
	assert.Empty(t, p.create)
	assert.Empty(t, p.move)
	assert.Empty(t, p.shifts)
	assert.Empty(t, p.retire)
	for _, edit := range p.edits {
		assert.Nil(t, edit.traits)
		assert.Nil(t, edit.inventories)
	}
}

// With a memory that has nothing in it, nothing that exists is changed.
func TestPlansWithoutOwnershipChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		have := newModel()
		others, wanted := drawTree(t, "others"), drawTree(t, "wanted")
		first, _, err := difference("op", flatten(others, modelHost, modelHost), nil, have, nil)
		require.NoError(t, err)
		have.apply(t, first)
		before := make(map[string]string)
		for uuid, here := range have {
			before[uuid] = fmt.Sprint(here.Parent, here.inventories)
		}
		plan, _, err := difference("op", flatten(wanted, modelHost, modelHost), nil, have, nil)
		if err != nil {
			require.ErrorIs(t, err, ErrForeign)
			return
		}
		assert.Empty(t, plan.retire)
		assert.Empty(t, plan.move)
		for _, edit := range plan.edits {
			here := have[edit.uuid]
			if edit.inventories == nil || here == nil {
				continue
			}
			for class, raw := range here.inventories {
				assert.JSONEq(t, string(raw), string(edit.inventories[class]))
			}
		}
	})
}

func TestInvalidTreesAreRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	good := func() TreeProvider {
		return TreeProvider{UUID: uuid.NewString(), Name: "card-" + uuid.NewString(), Inventories: map[string]Inventory{"FPGA": {Total: 1}}}
	}
	with := func(change func(*TreeProvider)) []TreeProvider {
		p := good()
		change(&p)
		return []TreeProvider{p}
	}
	twice := good()
	tests := []struct {
		name      string
		providers []TreeProvider
		want      string
	}{
		{"no uuid", with(func(p *TreeProvider) { p.UUID = "" }), "dashed lower-case form"},
		{"capital uuid", with(func(p *TreeProvider) { p.UUID = "ABCDEF00-0000-4000-8000-000000000000" }), "dashed lower-case form"},
		{"no name", with(func(p *TreeProvider) { p.Name = "" }), "1 to 200 characters"},
		{"twice", []TreeProvider{twice, {UUID: uuid.NewString(), Name: "x", Children: []TreeProvider{twice}}}, "comes up twice"},
		{"no total", with(func(p *TreeProvider) { p.Inventories["FPGA"] = Inventory{} }), "inventory FPGA: total,"},
		{"too much reserved", with(func(p *TreeProvider) { p.Inventories["FPGA"] = Inventory{Total: 1, Reserved: 2} }), "inventory FPGA: reserved"},
		{"min above max", with(func(p *TreeProvider) { p.Inventories["FPGA"] = Inventory{Total: 1, MinUnit: 2, MaxUnit: 1} }), "min_unit must not be above max_unit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := inMemory(t)
			_, err := c.Report(t.Context(), Tree{Providers: test.providers}, nil)
			require.ErrorIs(t, err, ErrTree)
			require.ErrorContains(t, err, test.want)
		})
	}
}
