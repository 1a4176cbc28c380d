package virtdriver_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// card is a graphics card with three more functions and a bridge in its group, and
// a network card with a neighbour in its.
func card() virtdriver.Topology {
	return virtdriver.Topology{
		{Address: "0000:00:01.0", Class: "0604", IOMMUGroup: 2},
		{Address: "0000:01:00.0", Class: "0300", IOMMUGroup: 2},
		{Address: "0000:01:00.1", Class: "0403", IOMMUGroup: 2},
		{Address: "0000:02:00.0", Class: "0200", IOMMUGroup: 3, NUMANode: 1},
		{Address: "0000:03:00.0", Class: "0108", IOMMUGroup: 3, NUMANode: 1},
		{Address: "0000:04:00.0", Class: "1200", IOMMUGroup: 4, NUMANode: 1},
		{Address: "0000:05:00.0", Class: "1200", IOMMUGroup: -1, NUMANode: -1},
		{Address: "0000:06:00.0", Class: "1200", IOMMUGroup: -1, NUMANode: -1},
	}
}

func TestComposeWithTopology(t *testing.T) {
	t.Parallel()
	tuned := func(text string) string {
		return "<domain type='kvm'><numatune>" + text + "</numatune><devices/></domain>"
	}
	for _, test := range []struct {
		name, xml, text string
		arqs            []cyborgclient.ARQ
		opts            []virtdriver.ComposeOption
		err             error
		devices         int
	}{
		{name: "without companion", arqs: []cyborgclient.ARQ{pciARQ("a", "0:1:0.0")}, err: virtdriver.ErrIOMMUGroup, text: "ARQ a: IOMMU group: 0000:01:00.0 is in group 2 with 0000:01:00.1, which this guest does not have"},
		{name: "companion by its own ARQ", arqs: []cyborgclient.ARQ{pciARQ("a", "0:1:0.0"), pciARQ("b", "0:1:0.1")}, devices: 2},
		{name: "companion added", arqs: []cyborgclient.ARQ{pciARQ("a", "0:1:0.0")}, opts: []virtdriver.ComposeOption{virtdriver.WithCompanions()}, devices: 2},
		{name: "companion in the domain", xml: "<domain type='kvm'><devices><hostdev type='pci'><source><address bus='1' function='1'/></source></hostdev></devices></domain>", arqs: []cyborgclient.ARQ{pciARQ("a", "0:1:0.0")}, devices: 2},
		{name: "foreign companion", arqs: []cyborgclient.ARQ{pciARQ("a", "0:2:0.0")}, opts: []virtdriver.ComposeOption{virtdriver.WithCompanions()}, err: virtdriver.ErrIOMMUGroup, text: "group 3 of 0000:02:00.0 has functions of other devices: 0000:03:00.0"},
		{name: "no IOMMU", arqs: []cyborgclient.ARQ{pciARQ("a", "0:5:0.0")}, devices: 1},
		{name: "not there", arqs: []cyborgclient.ARQ{pciARQ("a", "0:7:0.0")}, err: virtdriver.ErrTopology, text: "the host has no 0000:07:00.0"},
		{name: "bridge", arqs: []cyborgclient.ARQ{pciARQ("a", "0:0:1.0")}, err: virtdriver.ErrTopology, text: "0000:00:01.0 is a bridge"},
		{name: "other node", xml: tuned("<memory nodeset='0,2-3'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:4:0.0")}, err: virtdriver.ErrNUMANode, text: "0000:04:00.0 is on node 1, the guest's memory comes from [0 2 3] only"},
		{name: "excluded node", xml: tuned("<memory mode='strict' nodeset='0-3,^1'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:4:0.0")}, err: virtdriver.ErrNUMANode},
		{name: "other node, memory within bounds", xml: tuned("<memory mode='restrictive' nodeset='0'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:4:0.0")}, err: virtdriver.ErrNUMANode},
		{name: "cell within bounds", xml: tuned("<memnode cellid='0' mode='restrictive' nodeset='0'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:4:0.0")}, err: virtdriver.ErrNUMANode},
		{name: "interleaved node", xml: tuned("<memory mode='interleave' nodeset='0'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:4:0.0")}, devices: 1},
		{name: "one of the nodes", xml: tuned("<memnode cellid='0' mode='strict' nodeset='0'/><memnode cellid='1' mode='strict' nodeset='1'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:4:0.0")}, devices: 1},
		{name: "preferred node", xml: tuned("<memory mode='preferred' nodeset='0'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:4:0.0")}, devices: 1},
		{name: "unknown node", xml: tuned("<memory nodeset='0'/>"), arqs: []cyborgclient.ARQ{pciARQ("a", "0:5:0.0")}, devices: 1},
		{name: "mediated device on another node", xml: tuned("<memory nodeset='0'/>"), arqs: []cyborgclient.ARQ{mdevOn("0:4:0.0")}, err: virtdriver.ErrNUMANode},
		{name: "mediated device of a card that is not there", arqs: []cyborgclient.ARQ{mdevOn("0:7:0.0")}, err: virtdriver.ErrTopology},
		{name: "mediated device needs no group", arqs: []cyborgclient.ARQ{mdevOn("0:1:0.0")}, opts: []virtdriver.ComposeOption{virtdriver.WithCompanions()}, devices: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			xml := test.xml
			if xml == "" {
				xml = emptyDomain
			}
			opts := append(test.opts, virtdriver.WithTopology(card()))
			got, err := virtdriver.Compose([]byte(xml), test.arqs, opts...)
			if test.err != nil {
				require.ErrorIs(t, err, test.err)
				require.ErrorContains(t, err, test.text)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.devices, strings.Count(string(got.XML), "<hostdev "))
			assert.Equal(t, uuids(test.arqs), uuids(got.Attached), "companions are no ARQs")
			back, err := virtdriver.Decompose(got.XML, test.arqs, opts...)
			require.NoError(t, err)
			if !strings.Contains(xml, "<hostdev") {
				assert.Equal(t, xml, string(back.XML))
			}
		})
	}
	_, err := virtdriver.Compose([]byte(emptyDomain), nil, virtdriver.WithCompanions())
	require.ErrorContains(t, err, "WithCompanions needs WithTopology")
}

func mdevOn(address string) cyborgclient.ARQ {
	arq, parent := mdevARQ("m", vGPU), pciARQ("m", address)
	for _, field := range []string{"domain", "bus", "device", "function"} {
		arq.AttachHandle.Info[field] = parent.AttachHandle.Info[field]
	}
	return arq
}

// A card is passed with all of its functions but not with the bridge above it, and
// not when something else is in its group.
func TestBugLogCardWithAllFunctions(t *testing.T) {
	t.Parallel()
	group, err := lspci(t, "02-gpu-four-functions.txt").Companions("01:00.0")
	require.NoError(t, err)
	var addresses []string
	for _, f := range group {
		addresses = append(addresses, f.Address)
	}
	assert.Equal(t, []string{"0000:01:00.1", "0000:01:00.2", "0000:01:00.3"}, addresses)
}

// Functions in domains of more than 16 bits are listed and not assignable; an ARQ
// of one is refused and its domain never cut.
func TestBugLogWideDomain(t *testing.T) {
	t.Parallel()
	wide := 0
	for _, name := range []string{"03-vmd-wide-domains.txt", "05-six-digit-domain.txt"} {
		for _, f := range lspci(t, name) {
			if len(strings.SplitN(f.Address, ":", 2)[0]) > 4 {
				wide++
				require.ErrorIs(t, f.Assignable(), virtdriver.ErrTopology, f.Address)
				require.ErrorContains(t, f.Assignable(), "domains above 0xffff")
			}
		}
	}
	assert.Positive(t, wide)
	_, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{pciARQ("a", "10001:8a:00.0")})
	require.ErrorIs(t, err, virtdriver.ErrBadField)
	require.ErrorContains(t, err, `parse pci domain "10001"`)
}

// lspci reads the listing of a real host.
func lspci(t *testing.T, name string) virtdriver.Topology {
	t.Helper()
	var topology virtdriver.Topology
	for line := range strings.Lines(string(realInput(t, filepath.Join("lspci", name)))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f, fields := virtdriver.HostFunction{IOMMUGroup: -1, NUMANode: -1}, strings.Fields(line)
		if group, err := strconv.Atoi(fields[0]); err == nil {
			f.IOMMUGroup, fields = group, fields[1:]
		}
		f.Address, f.Class = fields[0], fields[1]
		topology = append(topology, f)
	}
	require.NotEmpty(t, topology)
	return topology
}

// A function that becomes a physical function when SR-IOV is switched on is
// another device than before.
func TestBugLogKindChanges(t *testing.T) {
	t.Parallel()
	before, after := card(), card()
	after[3].Kind = virtdriver.KindPhysical
	after = append(after[:4], after[5:]...)
	after = append(after, virtdriver.HostFunction{Address: "0000:02:00.1", Class: "0200", Kind: virtdriver.KindVirtual})
	assert.Empty(t, before.Changes(card()))
	changes := before.Changes(after)
	require.Len(t, changes, 3)
	assert.Equal(t, virtdriver.KindPhysical, changes[0].After.Kind)
	assert.Equal(t, "0000:02:00.0", changes[0].Before.Address)
	assert.Equal(t, "0000:03:00.0", changes[1].Before.Address)
	assert.Nil(t, changes[1].After)
	assert.Nil(t, changes[2].Before)
	assert.Equal(t, "0000:02:00.1", changes[2].After.Address)
}

func TestReadTopology(t *testing.T) {
	t.Parallel()
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
	}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text + "\n")} }
	sysfs := fstest.MapFS{
		"0000:3b:00.0/class":          file("0x120000"),
		"0000:3b:00.0/numa_node":      file("1"),
		"0000:3b:00.0/iommu_group":    link("../../../kernel/iommu_groups/42"),
		"0000:3b:00.0/sriov_totalvfs": file("4"),
		"0000:3b:00.1/class":          file("0x120000"),
		"0000:3b:00.1/numa_node":      file("-1"),
		"0000:3b:00.1/physfn":         link("../0000:3b:00.0"),
		"10000:e1:00.0/class":         file("0x010802"),
	}
	topology, err := virtdriver.ReadTopology(sysfs)
	require.NoError(t, err)
	assert.Equal(t, virtdriver.Topology{
		{Address: "0000:3b:00.0", Class: "1200", IOMMUGroup: 42, NUMANode: 1, Kind: virtdriver.KindPhysical},
		{Address: "0000:3b:00.1", Class: "1200", IOMMUGroup: -1, NUMANode: -1, Kind: virtdriver.KindVirtual},
		{Address: "10000:e1:00.0", Class: "0108", IOMMUGroup: -1, NUMANode: -1, Kind: virtdriver.KindPCI},
	}, topology)

	sysfs["0000:3b:00.1/numa_node"] = file("x")
	_, err = virtdriver.ReadTopology(sysfs)
	require.ErrorContains(t, err, "read PCI device 0000:3b:00.1: ")
	_, err = virtdriver.ReadTopology(fstest.MapFS{"0000:3b:00.0/numa_node": file("0")})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = virtdriver.ReadTopology(brokenFS{})
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { return nil, errBroken }
