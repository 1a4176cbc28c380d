package cyborgclient_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func TestDeployables(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, recorded(t, "109").ServeHTTP)
	deployables, err := client.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	require.Len(t, deployables, 1)
	d := deployables[0]
	assert.Equal(t, "realstack-cn1_FakeDevice", d.Name)
	assert.Equal(t, 16, d.NumAccelerators)
	assert.Equal(t, provider, d.RPUUID)
	attributes, err := d.Attributes()
	require.NoError(t, err)
	assert.Equal(t, []cyborgclient.DeployableAttribute{{Key: "traits1", Value: "CUSTOM_FAKE_DEVICE"}, {Key: "rc", Value: "FPGA"}}, attributes)
}

func TestAttributesForms(t *testing.T) {
	t.Parallel()
	none, err := cyborgclient.Deployable{}.Attributes()
	require.NoError(t, err)
	assert.Empty(t, none)
	_, err = cyborgclient.Deployable{UUID: "u", AttributesList: "rc=FPGA"}.Attributes()
	require.ErrorContains(t, err, "read the attributes of deployable u: ")
}
