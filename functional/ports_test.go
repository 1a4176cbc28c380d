package functional_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// TestPortBesideFlavor gives the instance a device by its flavor and one by an accelerator port. Both are bound in one
// go; the port's device is not a host device of the domain.
func TestPortBesideFlavor(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	for name, class := range map[string]string{"fpga": "FPGA", "gpu": "PGPU"} {
		_, err := c.cyborg.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
			Name: name, Groups: []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:" + class: "1"})},
		})
		require.NoError(t, err)
	}
	port := requestspec.Port{ID: uuid.NewString(), VNICType: "accelerator-direct", DeviceProfile: "fpga"}
	want := request("gpu")
	want.Spec.Ports = []requestspec.Port{port, {ID: uuid.NewString(), VNICType: "normal"}}

	created, err := c.manager.Create(t.Context(), want)
	require.NoError(t, err)
	require.Len(t, created.ARQs, 2)
	assert.Len(t, created.Record.PortARQs(), 1)
	provider, err := created.Candidate.Provider(requestspec.RequesterID(0, port.ID))
	require.NoError(t, err)
	arq, err := c.cyborg.ARQ(t.Context(), created.Record.PortARQs()[port.ID])
	require.NoError(t, err)
	assert.Equal(t, provider, arq.DeviceRPUUID)
	assert.Equal(t, "fpga", arq.DeviceProfileName)

	devices := hostdevs(t, created.Composition.XML)
	require.Len(t, devices, 1)
	assert.Contains(t, []uint{0xaf, 0xd8}, *devices[0].SubsysPCI.Source.Address.Bus, "the GPU of the flavor")

	require.NoError(t, c.manager.Delete(t.Context(), created.Record))
	c.requireNothingLeft(t, want.Consumer.UUID)
}
