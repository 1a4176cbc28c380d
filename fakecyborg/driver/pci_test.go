package driver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// Before Cyborg's 2026.2 the generic PCI driver did not say who owns a device; those
// of GPUs did.
func TestUnowned(t *testing.T) {
	t.Parallel()
	card := driver.Card{Address: "0000:01:00.0"}
	machine, err := driver.NewMachine("h1", driver.WithKinds(func(name string) (driver.Kind, error) {
		kind, err := driver.Named(name)
		return kind.Unowned(), err
	}))
	require.NoError(t, err)
	device, err := machine.Insert("pci", card)
	require.NoError(t, err)
	assert.Equal(t, []driver.Pair{
		{Key: "rc", Value: "CUSTOM_PCI"}, {Key: "trait0", Value: "CUSTOM_PCI_NVIDIA"}, {Key: "trait1", Value: "CUSTOM_PCI_PRODUCT_ID_1DB4"},
	}, device.Deployables[0].Attributes)
	kind, err := driver.Named("pgpu")
	require.NoError(t, err)
	owned, err := kind.Describe("h1", card)
	require.NoError(t, err)
	same, err := kind.Unowned().Describe("h1", card)
	require.NoError(t, err)
	assert.Equal(t, owned, same)
}
