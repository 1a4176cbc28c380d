package placement

import (
	"math"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What Placement would refuse half-way, or would not understand, is refused before anything is sent.
func TestBadNamesAndNumbersAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*TreeProvider)
		want   string // "" when it is fine
	}{
		{"NaN", func(p *TreeProvider) { p.Inventories["FPGA"] = Inventory{Total: 1, AllocationRatio: math.NaN()} }, "allocation_ratio must be a number"},
		{"infinite", func(p *TreeProvider) { p.Inventories["FPGA"] = Inventory{Total: 1, AllocationRatio: math.Inf(1)} }, "allocation_ratio must be a number"},
		{"too great", func(p *TreeProvider) { p.Inventories["FPGA"] = Inventory{Total: 1, AllocationRatio: 1e39} }, "allocation_ratio must be a number"},
		{"negative", func(p *TreeProvider) { p.Inventories["FPGA"] = Inventory{Total: 1, AllocationRatio: -1} }, "allocation_ratio must be a number"},
		{"no class", func(p *TreeProvider) { p.Inventories[""] = Inventory{Total: 1} }, `inventory "": the name must have`},
		{"a class with a query", func(p *TreeProvider) { p.Inventories["CUSTOM_A?x"] = Inventory{Total: 1} }, `inventory "CUSTOM_A?x"`},
		{"a class with a path", func(p *TreeProvider) { p.Inventories["CUSTOM_A/../../traits/CUSTOM_B"] = Inventory{Total: 1} }, "the name must have"},
		{"a lower-case class", func(p *TreeProvider) { p.Inventories["CUSTOM_a"] = Inventory{Total: 1} }, "the name must have"},
		{"a class with a line", func(p *TreeProvider) { p.Inventories["CUSTOM_A\n"] = Inventory{Total: 1} }, "the name must have"},
		{"no trait", func(p *TreeProvider) { p.Traits = []string{""} }, `trait "": the name must have`},
		{"a lower-case trait", func(p *TreeProvider) { p.Traits = []string{"CUSTOM_a"} }, "the name must have"},
		{"a long trait", func(p *TreeProvider) { p.Traits = []string{"CUSTOM_" + strings.Repeat("A", 249)} }, "the name must have"},
		{"the longest trait", func(p *TreeProvider) { p.Traits = []string{"CUSTOM_" + strings.Repeat("A", 248)} }, ""},
		{"characters, not bytes", func(p *TreeProvider) { p.Name = strings.Repeat("é", 200) }, ""},
		{"a long name", func(p *TreeProvider) { p.Name = strings.Repeat("é", 201) }, "1 to 200 characters"},
		{"not UTF-8", func(p *TreeProvider) { p.Name = "bad\xffname" }, "in UTF-8"},
		{"replaces nothing", func(p *TreeProvider) { p.Replaces = []string{"x"} }, `replaces "x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := inMemory(t)
			provider := TreeProvider{UUID: uuid.NewString(), Name: "card", Inventories: map[string]Inventory{"FPGA": {Total: 1}}}
			test.change(&provider)
			_, err := c.Report(t.Context(), Tree{Providers: []TreeProvider{provider}}, nil)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrTree)
			require.ErrorContains(t, err, test.want)
			_, err = c.Provider(t.Context(), provider.UUID)
			require.ErrorIs(t, err, ErrNotFound)
		})
	}
}

// The keys of an Owned are uuids as Placement writes them.
func TestOwnedWithoutUUIDsIsRefused(t *testing.T) {
	t.Parallel()
	c := offline(t)
	id := uuid.NewString()
	for _, key := range []string{"", "x", strings.ToUpper(id), "../traits", strings.ReplaceAll(id, "-", "")} {
		owned := Owned{key: {Created: "card"}}
		after, err := c.Report(t.Context(), Tree{}, owned)
		require.ErrorIs(t, err, ErrTree)
		require.ErrorContains(t, err, `owned: the key "`+key+`"`)
		assert.Equal(t, owned, after)
	}
}
