package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// apart is the card of twoFunctions whose functions are in groups of their own.
func apart(slot string) virtdriver.Topology {
	functions := twoFunctions(slot)
	functions[1].IOMMUGroup++
	return functions
}

// TestReplaceOntoTheSameAddress: the old host's companion leaves although the new
// host has the card at the same address.
func TestReplaceOntoTheSameAddress(t *testing.T) {
	t.Parallel()
	old, next := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}, []cyborgclient.ARQ{pciARQ("b", "0:3b:0.0")}
	before := virtdriver.WithTopologyBefore(twoFunctions("3b:00"))
	for name, test := range map[string]struct {
		opts      []virtdriver.ComposeOption
		functions int
	}{
		"functions apart": {[]virtdriver.ComposeOption{before, virtdriver.WithTopology(apart("3b:00")), virtdriver.WithCompanions()}, 1},
		"one function":    {[]virtdriver.ComposeOption{before, virtdriver.WithTopology(twoFunctions("3b:00")[:1])}, 1},
		"a companion too": {[]virtdriver.ComposeOption{before, virtdriver.WithTopology(twoFunctions("3b:00")), virtdriver.WithCompanions()}, 2},
		"as it stands":    {[]virtdriver.ComposeOption{virtdriver.WithTopology(apart("3b:00")), virtdriver.WithCompanions()}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Replace(composedCard(t), old, next, test.opts...)
			require.NoError(t, err)
			assert.Equal(t, test.functions, strings.Count(string(got.XML), "<hostdev "))
			assert.Empty(t, got.Reports)
		})
	}
	same, err := virtdriver.Replace(composedCard(t), old, old)
	require.NoError(t, err, "a rebuild asks nothing about companions")
	assert.Equal(t, string(composedCard(t)), string(same.XML))
}

// TestReplaceByAnInterface: a card that is the port's afterwards does not stay, and
// nor does what came with it.
func TestReplaceByAnInterface(t *testing.T) {
	t.Parallel()
	got, err := virtdriver.Replace(composedCard(t), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}, nil,
		virtdriver.WithPorts(port("a", "0:3b:0.0")), virtdriver.WithTopologyBefore(twoFunctions("3b:00")))
	require.NoError(t, err)
	assert.NotContains(t, string(got.XML), "<hostdev")
	assert.Contains(t, string(got.XML), "bus='0x3b' slot='0x00' function='0x0'/></source></interface>")
}

// TestReplaceDropsOneOfTwoCards leaves the other as it is, with its companion.
func TestReplaceDropsOneOfTwoCards(t *testing.T) {
	t.Parallel()
	host := append(twoFunctions("0000:01:00"), twoFunctions("0000:02:00")...)
	host[2].IOMMUGroup, host[3].IOMMUGroup = 8, 8
	opts := []virtdriver.ComposeOption{virtdriver.WithTopology(host), virtdriver.WithCompanions()}
	a, b := pciARQ("a", "0:1:0.0"), pciARQ("b", "0:2:0.0")
	compose := func(arqs ...cyborgclient.ARQ) string {
		composed, err := virtdriver.Compose([]byte(emptyDomain), arqs, opts...)
		require.NoError(t, err)
		return string(composed.XML)
	}
	for _, stays := range []cyborgclient.ARQ{a, b} {
		got, err := virtdriver.Replace([]byte(compose(a, b)), []cyborgclient.ARQ{a, b}, []cyborgclient.ARQ{stays}, opts...)
		require.NoError(t, err)
		assert.Equal(t, compose(stays), string(got.XML))
	}
}

// cardAmongOthers has, besides a card at 3b:02.3, functions without an ARQ: one
// before it, some behind it, and one behind a gap.
const cardAmongOthers = `<domain type='kvm'>
  <devices>
    <hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b' slot='2' function='1'/></source></hostdev>
    <hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b' slot='2' function='3'/></source></hostdev>
    <hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b' slot='2' function='4'/></source></hostdev>
    <!-- no gap -->
    <hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b' slot='2' function='2'/></source></hostdev>
    <memballoon/>
    <hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b' slot='2' function='5'/></source></hostdev>
  </devices>
</domain>`

// left lists the functions of the card's device that a domain has.
func left(xml []byte) string {
	var functions []string
	for _, device := range strings.Split(string(xml), "bus='0x3b' slot='2' function='")[1:] {
		functions = append(functions, device[:1])
	}
	return strings.Join(functions, " ")
}

func reported(reports []error) string {
	var functions []string
	for _, report := range reports {
		_, rest, _ := strings.Cut(report.Error(), " goes and 0000:3b:02.")
		functions = append(functions, rest[:1])
	}
	return strings.Join(functions, " ")
}

// TestFunctionsWithoutARQ: companions are what the topology names or, where it knows
// nothing, what stands where Compose puts them; the rest is left and told.
func TestFunctionsWithoutARQ(t *testing.T) {
	t.Parallel()
	var whole virtdriver.Topology // functions 3 and 5 are in one group
	for function, group := range []int{1, 2, 3, 4, 5, 4} {
		whole = append(whole, virtdriver.HostFunction{Address: "0000:3b:02." + string(rune('0'+function)), IOMMUGroup: group, NUMANode: -1})
	}
	elsewhere := append(twoFunctions("0000:5e:00"), virtdriver.HostFunction{Address: "0000:77:00.0", IOMMUGroup: 9, NUMANode: -1})
	arq, next := []cyborgclient.ARQ{pciARQ("a", "0:3b:2.3")}, []cyborgclient.ARQ{pciARQ("b", "0:77:0.0")}
	companions := []virtdriver.ComposeOption{virtdriver.WithTopology(elsewhere), virtdriver.WithCompanions()}
	for _, test := range []struct {
		name              string
		opts              []virtdriver.ComposeOption
		replaced, reports string // what stays, what is told; empty for a refusal
		decomposed        string
		reportsDecomposed string
	}{
		{"nothing known", nil, "", "", "1 4 2 5", "1 2 4 5"},
		{"companions wanted", companions, "1 5", "1 5", "1 5", "1 5"},
		{"the old host names one", append(companions, virtdriver.WithTopologyBefore(whole)), "1 4 2", "1 2 4", "1 5", "1 5"},
		{"without companions on the new host", []virtdriver.ComposeOption{virtdriver.WithTopologyBefore(whole)}, "1 4 2", "1 2 4", "1 4 2 5", "1 2 4 5"},
		{"the old host knows another card", append(companions, virtdriver.WithTopologyBefore(elsewhere)), "1 5", "1 5", "1 5", "1 5"},
		{"the next is another's", append(companions, virtdriver.WithOthers("0000:3b:02.4")), "1 4 2 5", "1 2 5", "1 4 2 5", "1 2 5"},
		{"the second is another's", append(companions, virtdriver.WithOthers("3b:2.2", "3b:2.1")), "1 2 5", "5", "1 2 5", "5"},
		{"all are others'", []virtdriver.ComposeOption{virtdriver.WithOthers("3b:2.1", "3b:2.2", "3b:2.4", "3b:2.5")}, "1 4 2 5", "", "1 4 2 5", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Replace([]byte(cardAmongOthers), arq, next, test.opts...)
			if test.replaced == "" {
				require.ErrorIs(t, err, virtdriver.ErrIOMMUGroup)
				require.ErrorContains(t, err, "line 5 column 5: /domain/devices/hostdev[3]: ARQ a: ")
			} else {
				require.NoError(t, err)
				assert.Equal(t, test.replaced, left(got.XML))
				assert.Equal(t, test.reports, reported(got.Reports))
				assert.Contains(t, string(got.XML), "bus='0x77'")
			}
			gone, err := virtdriver.Decompose([]byte(cardAmongOthers), arq, test.opts...)
			require.NoError(t, err)
			assert.Equal(t, test.decomposed, left(gone.XML))
			assert.Equal(t, test.reportsDecomposed, reported(gone.Reports))
			unplugged, err := virtdriver.HotUnplug([]byte(cardAmongOthers), arq, test.opts...)
			require.NoError(t, err)
			assert.Len(t, unplugged, 5-len(strings.Fields(test.decomposed)))
		})
	}
	got, err := virtdriver.Decompose([]byte(cardAmongOthers), arq, virtdriver.WithTopology(whole), virtdriver.WithCompanions())
	require.NoError(t, err)
	assert.Equal(t, "1 4 2", left(got.XML), "the host names one")
	assert.EqualError(t, got.Reports[0], "compose domain: line 3 column 5: /domain/devices/hostdev[1]: ARQ a: IOMMU group: 0000:3b:02.3 goes and 0000:3b:02.1 of the same device stays, "+
		"since nothing says that it is a companion; WithOthers (-others) says that it is not")
}

// TestReplaceTakesAnARQForAnExplanation: the new ARQs may hold what stands behind
// an old device.
func TestReplaceTakesAnARQForAnExplanation(t *testing.T) {
	t.Parallel()
	a, b := pciARQ("a", "0:3b:0.0"), pciARQ("b", "0:3b:0.1")
	composed, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{a, b})
	require.NoError(t, err)
	got, err := virtdriver.Replace(composed.XML, []cyborgclient.ARQ{a}, []cyborgclient.ARQ{b})
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(got.XML), "<hostdev "))
	assert.Contains(t, string(got.XML), "function='0x1'")
	assert.Empty(t, got.Reports)
}

// TestOthersAreNotAdded: what is somebody else's is no companion to be added.
func TestOthersAreNotAdded(t *testing.T) {
	t.Parallel()
	opts := []virtdriver.ComposeOption{virtdriver.WithTopology(twoFunctions("3b:00")), virtdriver.WithCompanions(), virtdriver.WithOthers("3b:00.1")}
	arqs := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}
	_, err := virtdriver.Compose([]byte(emptyDomain), arqs, opts...)
	require.ErrorContains(t, err, "with 0000:3b:00.1, which this guest does not have")
	_, err = virtdriver.Compose([]byte("<domain type='kvm'><devices><hostdev mode='subsystem' type='pci'><source><address bus='0x3b' function='1'/></source></hostdev></devices></domain>"), arqs, opts...)
	require.NoError(t, err)
	_, err = virtdriver.Compose([]byte(emptyDomain), nil, virtdriver.WithOthers("3b:00"))
	require.ErrorContains(t, err, "compose domain: WithOthers: parse pci address")
}
