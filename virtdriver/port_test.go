package virtdriver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func port(arq, address string) virtdriver.Port {
	return virtdriver.Port{ID: "port-" + arq, MAC: "ca:fe:de:ad:be:ef", ARQ: pciARQ(arq, address)}
}

func TestComposePort(t *testing.T) {
	t.Parallel()
	tagged := port("a", "0000:0a:00.1")
	tagged.VLAN = 100
	got, err := virtdriver.Compose([]byte("<domain type='kvm'>\n <devices>\n  <interface type='user'/>\n  <console/>\n </devices>\n</domain>"), nil, virtdriver.WithPorts(tagged))
	require.NoError(t, err)
	assert.Equal(t, `<domain type='kvm'>
 <devices>
  <interface type='user'/>
  <interface type='hostdev' managed='yes'>
   <mac address='ca:fe:de:ad:be:ef'/>
   <source>
    <address type='pci' domain='0x0000' bus='0x0a' slot='0x00' function='0x1'/>
   </source>
   <vlan>
    <tag id='100'/>
   </vlan>
  </interface>
  <console/>
 </devices>
</domain>`, string(got.XML))
	tagged.VLAN = 101
	_, err = virtdriver.Compose(got.XML, nil, virtdriver.WithPorts(tagged))
	require.ErrorIs(t, err, virtdriver.ErrAddressInUse)
	require.ErrorContains(t, err, `/domain/devices/interface[2]: ARQ a: host address in use: 0000:0a:00.1, and id of <tag> is "100", not "101"`)
}

// A server with an accelerator flavor and an accelerator port gets the function
// of the port once, also when all of its ARQs are given: Nova's guests get it a
// second time when they restart.
func TestBugLogPortFunctionTwice(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{pciARQ("flavor", "0000:3b:00.0"), pciARQ("port", "0000:0a:00.1")}
	got, err := virtdriver.Compose([]byte(emptyDomain), arqs, virtdriver.WithPorts(port("port", "0000:0a:00.1")))
	require.NoError(t, err)
	assert.Equal(t, []string{"port", "flavor"}, uuids(got.Attached))
	doc := string(got.XML)
	assert.Equal(t, 1, strings.Count(doc, "<hostdev "))
	assert.Equal(t, 1, strings.Count(doc, "<interface "))

	_, err = virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{pciARQ("other", "0:a:0.1")}, virtdriver.WithPorts(port("port", "0000:0a:00.1")))
	require.EqualError(t, err, "compose domain: ARQ port and ARQ other: same host address twice: 0000:0a:00.1")
}

const emptyDomain = "<domain type='kvm'><devices/></domain>"

func TestPortRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		change     func(*virtdriver.Port)
		err        error
	}{
		{"no MAC", `compose domain: ARQ a: port port-a: port: mac "" is no unicast address`, func(p *virtdriver.Port) { p.MAC = "" }, virtdriver.ErrPort},
		{"group MAC", `mac "01:00:5e:00:00:01"`, func(p *virtdriver.Port) { p.MAC = "01:00:5e:00:00:01" }, virtdriver.ErrPort},
		{"long MAC", "unicast address of six bytes", func(p *virtdriver.Port) { p.MAC = "02:00:5e:10:00:00:00:01" }, virtdriver.ErrPort},
		{"VLAN", "vlan 4095, the highest is 4094", func(p *virtdriver.Port) { p.VLAN = 4095 }, virtdriver.ErrPort},
		{"not bound", `state "BindFailed"`, func(p *virtdriver.Port) { p.ARQ.State = cyborgclient.StateBindFailed }, virtdriver.ErrNoHandle},
		{"mediated device", `"MDEV" is no network function`, func(p *virtdriver.Port) { p.ARQ = mdevARQ("a", vGPU) }, virtdriver.ErrHandleType},
		{"bad address", "parse pci bus", func(p *virtdriver.Port) { p.ARQ.AttachHandle.Info["bus"] = "100" }, virtdriver.ErrBadField},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := port("a", "0000:0a:00.1")
			test.change(&p)
			_, err := virtdriver.Compose([]byte(emptyDomain), nil, virtdriver.WithPorts(p))
			require.ErrorIs(t, err, test.err)
			require.ErrorContains(t, err, test.text)
		})
	}
	_, err := virtdriver.Compose([]byte("<domain type='lxc'><devices/></domain>"), nil, virtdriver.WithPorts(port("a", "0000:0a:00.1")))
	require.ErrorIs(t, err, virtdriver.ErrVirtType)
}

func TestSplitARQs(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{{UUID: "a"}, {UUID: "b"}, {UUID: "c"}}
	flavor, ports, err := virtdriver.SplitARQs(arqs, map[string]string{"p1": "b"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "c"}, uuids(flavor))
	assert.Equal(t, map[string]cyborgclient.ARQ{"p1": {UUID: "b"}}, ports)

	flavor, ports, err = virtdriver.SplitARQs(arqs, nil)
	require.NoError(t, err)
	assert.Equal(t, arqs, flavor)
	assert.Empty(t, ports)

	_, _, err = virtdriver.SplitARQs(arqs, map[string]string{"p1": "b", "p2": "b"})
	require.EqualError(t, err, "split ARQs: ARQ b: port: p1 and p2 have the same ARQ")
	_, _, err = virtdriver.SplitARQs(arqs, map[string]string{"p1": "x"})
	require.EqualError(t, err, "split ARQs: ARQ x: port: p1 has an ARQ that is not among the 3 of the instance")
}

func TestPortBindingProfile(t *testing.T) {
	t.Parallel()
	arq := pciARQ("a", "0000:0c:0.1")
	_, err := virtdriver.PortBindingProfile(arq)
	require.EqualError(t, err, "make binding profile: ARQ a: attach handle lacks a field: physical_network")
	arq.AttachHandle.Info["physical_network"] = "physnet1"
	profile, err := virtdriver.PortBindingProfile(arq)
	require.NoError(t, err)
	text, err := json.Marshal(profile)
	require.NoError(t, err)
	assert.JSONEq(t, `{"physical_network": "physnet1", "pci_slot": "0000:0c:00.1", "arq_uuid": "a"}`, string(text))
}
