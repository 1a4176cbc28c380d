package virtdriver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// nic is a port with its own MAC address and a VLAN.
func nic(number int, arq, address string, vlan uint) virtdriver.Port {
	return virtdriver.Port{ID: fmt.Sprint("port-", number), MAC: fmt.Sprintf("FA:16:3E:00:00:%02d", number), VLAN: vlan, ARQ: pciARQ(arq, address)}
}

func guestWithPorts(t *testing.T, ports ...virtdriver.Port) []byte {
	t.Helper()
	composed, err := virtdriver.Compose([]byte("<domain type='kvm'>\n <devices>\n  <console/>\n </devices>\n</domain>"), nil, virtdriver.WithPorts(ports...))
	require.NoError(t, err)
	return composed.XML
}

// TestReplaceFollowsTheVLAN: a guest is not left in a network that its port has
// left.
func TestReplaceFollowsTheVLAN(t *testing.T) {
	t.Parallel()
	for _, test := range [][2]uint{{100, 0}, {100, 300}, {0, 5}, {7, 7}, {0, 0}} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			t.Parallel()
			before := nic(1, "old", "0:a:0.1", test[0])
			for arq, address := range map[string]string{"new": "0:1a:0.1", "old": "0:a:0.1"} { // another host, the same host
				after := nic(1, arq, address, test[1])
				got, err := virtdriver.Replace(guestWithPorts(t, before), []cyborgclient.ARQ{before.ARQ}, nil, virtdriver.WithPorts(after))
				require.NoError(t, err)
				assert.Equal(t, string(guestWithPorts(t, after)), string(got.XML))
			}
		})
	}
	marked := nic(1, "old", "0:a:0.1", 100)
	text := strings.Replace(string(guestWithPorts(t, marked)), "</vlan>", "</vlan><vlan trunk='yes'/><x/>", 1)
	got, err := virtdriver.Replace([]byte(text), []cyborgclient.ARQ{marked.ARQ}, nil, virtdriver.WithPorts(marked))
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(text, "<vlan trunk='yes'/>", "", 1), string(got.XML))
}

// TestComposeComparesVLANs: in both directions, by value.
func TestComposeComparesVLANs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, vlan, said string
		want             uint
	}{
		{"one too many", "<vlan><tag id='100'/></vlan>", "the VLAN of <interface> is 100, not none", 0},
		{"two", "<vlan><tag id='100'/><tag id='7'/></vlan>", "the VLAN of <interface> is 100, 7, not 100", 100},
		{"all", "<vlan trunk='yes'><tag id='100'/></vlan>", "the VLAN of <interface> is 100, trunk, not 100", 100},
		{"none", "", "<interface> has no <vlan>", 5},
		{"in hexadecimal", "<vlan><tag id='0x64'/></vlan>", "", 100},
		{"of a namespace", "<vlan xmlns='u'><tag id='1'/></vlan>", "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := nic(1, "q", "0:a:0.1", 0)
			xml := strings.Replace(string(guestWithPorts(t, p)), "</source>", "</source>"+test.vlan, 1)
			p.VLAN = test.want
			_, err := virtdriver.Compose([]byte(xml), nil, virtdriver.WithPorts(p))
			if test.said == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, virtdriver.ErrAddressInUse)
			require.ErrorContains(t, err, test.said)
		})
	}
}

// TestReplacePairsPortsByMAC: the order of ports says nothing, and one that goes
// does not leave its place to another.
func TestReplacePairsPortsByMAC(t *testing.T) {
	t.Parallel()
	one, two := nic(1, "q1", "0:a:0.1", 100), nic(2, "q2", "0:b:0.1", 200)
	next1, next2 := nic(1, "r1", "0:b:0.1", 100), nic(2, "r2", "0:1b:0.1", 200)
	old := []cyborgclient.ARQ{one.ARQ, two.ARQ}
	for name, test := range map[string]struct{ next, want []virtdriver.Port }{
		"the other way round":    {[]virtdriver.Port{next2, next1}, []virtdriver.Port{next1, next2}},
		"the first goes":         {[]virtdriver.Port{next2}, []virtdriver.Port{next2}},
		"another comes instead":  {[]virtdriver.Port{nic(3, "r3", "0:1a:0.1", 0), next2}, []virtdriver.Port{next2, nic(3, "r3", "0:1a:0.1", 0)}},
		"same ARQ, another port": {[]virtdriver.Port{nic(3, "q1", "0:a:0.1", 0), next2}, []virtdriver.Port{next2, nic(3, "q1", "0:a:0.1", 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Replace(guestWithPorts(t, one, two), old, nil, virtdriver.WithPorts(test.next...))
			require.NoError(t, err)
			assert.Equal(t, string(guestWithPorts(t, test.want...)), string(got.XML))
		})
	}
}
