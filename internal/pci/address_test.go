package pci_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/internal/pci"
)

func anyAddress() *rapid.Generator[pci.Address] {
	return rapid.Custom(func(t *rapid.T) pci.Address {
		return pci.Address{
			Domain:   rapid.Uint16().Draw(t, "domain"),
			Bus:      rapid.Uint8().Draw(t, "bus"),
			Device:   rapid.Uint8Range(0, 0x1f).Draw(t, "device"),
			Function: rapid.Uint8Range(0, 7).Draw(t, "function"),
		}
	})
}

func TestStringIsPadded(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "0000:00:00.0", pci.Address{}.String())
	assert.Equal(t, "00ab:0c:1f.7", pci.Address{Domain: 0xab, Bus: 0xc, Device: 0x1f, Function: 7}.String())
}

func TestStringParsesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := anyAddress().Draw(t, "address")
		b, err := pci.ParseAddress(a.String())
		require.NoError(t, err)
		assert.Equal(t, a, b)
	})
}

func TestCompareOrdersAsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		addresses := rapid.SliceOfN(anyAddress(), 2, 8).Draw(t, "addresses")
		slices.SortFunc(addresses, pci.Address.Compare)
		for i, a := range addresses[1:] {
			before := addresses[i]
			assert.LessOrEqual(t, before.String(), a.String(), "padded text has the numeric order")
			assert.Equal(t, before == a, before.Compare(a) == 0)
			assert.Equal(t, -a.Compare(before), before.Compare(a))
		}
	})
}
