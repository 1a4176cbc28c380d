package virtdriver_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// pciARQ is a bound ARQ with the function of a joined address "dddd:bb:dd.f".
func pciARQ(uuid, address string) cyborgclient.ARQ {
	parts := strings.FieldsFunc(address, func(r rune) bool { return r == ':' || r == '.' })
	return cyborgclient.ARQ{
		UUID: uuid, State: cyborgclient.StateBound,
		AttachHandle: cyborgclient.AttachHandle{
			Type: cyborgclient.HandlePCI,
			Info: map[string]any{"domain": parts[0], "bus": parts[1], "device": parts[2], "function": parts[3]},
		},
	}
}

func typedARQ(uuid string, kind cyborgclient.HandleType) cyborgclient.ARQ {
	arq := pciARQ(uuid, "0000:c3:00.0")
	arq.AttachHandle.Type = kind
	return arq
}

func TestComposeText(t *testing.T) {
	t.Parallel()
	one := []cyborgclient.ARQ{pciARQ("arq-1", "0:3b:0.1")}
	for _, test := range []struct {
		name, xml, want string
		arqs            []cyborgclient.ARQ
	}{
		{
			name: "at the end of the devices",
			xml:  "<domain type='kvm'>\n  <devices>\n    <emulator>/bin/q</emulator>\n    <!-- last -->\n  </devices>\n</domain>\n",
			want: "<domain type='kvm'>\n  <devices>\n    <emulator>/bin/q</emulator>\n    <!-- last -->\n" +
				"    <hostdev mode='subsystem' type='pci' managed='yes'>\n      <source>\n" +
				"        <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/>\n" +
				"      </source>\n    </hostdev>\n  </devices>\n</domain>\n",
		},
		{
			name: "after the last hostdev, in double quotes, with tabs",
			xml:  "<domain type=\"qemu\">\n\t<devices>\n\t\t<hostdev mode=\"subsystem\" type=\"usb\"/>\n\t\t<memballoon model='none'/>\n\t</devices>\n</domain>",
			want: "<domain type=\"qemu\">\n\t<devices>\n\t\t<hostdev mode=\"subsystem\" type=\"usb\"/>\n" +
				"\t\t<hostdev mode=\"subsystem\" type=\"pci\" managed=\"yes\">\n\t\t\t<source>\n" +
				"\t\t\t\t<address domain=\"0x0000\" bus=\"0x3b\" slot=\"0x00\" function=\"0x1\"/>\n" +
				"\t\t\t</source>\n\t\t</hostdev>\n\t\t<memballoon model='none'/>\n\t</devices>\n</domain>",
		},
		{
			name: "all in one line",
			xml:  `<domain type="kvm"><devices><emulator>/bin/q</emulator></devices></domain>`,
			want: `<domain type="kvm"><devices><emulator>/bin/q</emulator>` +
				`<hostdev mode="subsystem" type="pci" managed="yes"><source><address domain="0x0000" bus="0x3b" slot="0x00" function="0x1"/></source></hostdev>` +
				`</devices></domain>`,
		},
		{
			name: "line ends of another system, three blanks a level",
			xml:  "<domain type='kvm'>\r\n   <devices>\r\n      <console/></devices>\r\n</domain>",
			want: "<domain type='kvm'>\r\n   <devices>\r\n      <console/>\r\n" +
				"      <hostdev mode='subsystem' type='pci' managed='yes'>\r\n         <source>\r\n" +
				"            <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/>\r\n" +
				"         </source>\r\n      </hostdev></devices>\r\n</domain>",
		},
		{
			name: "empty devices",
			xml:  "<domain type='parallels'>\n  <devices/>\n</domain>",
			want: "<domain type='parallels'>\n  <devices >\n    <hostdev mode='subsystem' type='pci' managed='no'>\n      <source>\n" +
				"        <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/>\n" +
				"      </source>\n    </hostdev>\n  </devices>\n</domain>",
		},
		{
			name: "nothing to add",
			xml:  "<?xml version='1.0'?>\n<domain type='lxc' ><devices\n/></domain >",
			want: "<?xml version='1.0'?>\n<domain type='lxc' ><devices\n/></domain >",
			arqs: []cyborgclient.ARQ{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			arqs := test.arqs
			if arqs == nil {
				arqs = one
			}
			got, err := virtdriver.Compose([]byte(test.xml), arqs)
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(test.want, string(got.XML)))
			again, err := virtdriver.Compose(got.XML, arqs)
			require.NoError(t, err)
			assert.Equal(t, string(got.XML), string(again.XML), "composing twice is composing once")
			assert.Len(t, again.Attached, len(arqs))
		})
	}
}

func TestComposeKeepsEveryByte(t *testing.T) {
	t.Parallel()
	input := readFile(t, "testdata/odd-domain.xml")
	got, err := virtdriver.Compose(input, []cyborgclient.ARQ{pciARQ("a", "0000:81:00.1"), pciARQ("b", "0000:81:00.0")})
	require.NoError(t, err)
	before, after, ok := strings.Cut(string(got.XML), `
	    <hostdev mode="subsystem" type="pci" managed="yes">
	      <source>
	        <address domain="0x0000" bus="0x81" slot="0x00" function="0x1"/>
	      </source>
	    </hostdev>
	    <hostdev mode="subsystem" type="pci" managed="yes">
	      <source>
	        <address domain="0x0000" bus="0x81" slot="0x00" function="0x0"/>
	      </source>
	    </hostdev>`)
	require.True(t, ok, "%s", got.XML)
	assert.Equal(t, string(input), before+after)
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

func TestComposePolicies(t *testing.T) {
	t.Parallel()
	pci, test, bar := typedARQ("pci", "PCI"), typedARQ("test", "TEST_PCI"), typedARQ("bar", "BAR")
	for _, c := range []struct {
		name              string
		arqs              []cyborgclient.ARQ
		opts              []virtdriver.ComposeOption
		attached, skipped []string
		reports           []string
		err               error
	}{
		{"TEST_PCI is skipped", []cyborgclient.ARQ{test, pci}, nil, []string{"pci"}, []string{"test"}, nil, nil},
		{"TEST_PCI fails on wish", []cyborgclient.ARQ{test, pci}, []virtdriver.ComposeOption{virtdriver.WithTestPCI(virtdriver.Fail)}, nil, nil, nil, virtdriver.ErrHandleType},
		{
			"TEST_PCI is reported on wish",
			[]cyborgclient.ARQ{test, pci},
			[]virtdriver.ComposeOption{virtdriver.WithTestPCI(virtdriver.Report)},
			[]string{"pci"},
			[]string{"test"},
			[]string{`compose domain: ARQ test: attach handle type refused: "TEST_PCI" gives no device`},
			nil,
		},
		{"unknown fails", []cyborgclient.ARQ{pci, bar}, nil, nil, nil, nil, virtdriver.ErrHandleType},
		{"unknown is skipped on wish", []cyborgclient.ARQ{bar, pci, typedARQ("foo", "FOO")}, []virtdriver.ComposeOption{virtdriver.WithUnknown(virtdriver.Skip)}, []string{"pci"}, []string{"bar", "foo"}, nil, nil},
		{
			"unknown is reported on wish",
			[]cyborgclient.ARQ{bar, test},
			[]virtdriver.ComposeOption{virtdriver.WithUnknown(virtdriver.Report)},
			nil,
			[]string{"bar", "test"},
			[]string{`compose domain: ARQ bar: attach handle type refused: "BAR" gives no device`},
			nil,
		},
		{"no handle fails whatever is skipped", []cyborgclient.ARQ{typedARQ("none", "")}, []virtdriver.ComposeOption{virtdriver.WithUnknown(virtdriver.Skip)}, nil, nil, nil, virtdriver.ErrNoHandle},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Compose([]byte("<domain type='kvm'><devices/></domain>"), c.arqs, c.opts...)
			require.ErrorIs(t, err, c.err)
			if c.err != nil {
				return
			}
			assert.Equal(t, c.attached, uuids(got.Attached))
			assert.Equal(t, c.skipped, uuids(got.Skipped))
			var reports []string
			for _, report := range got.Reports {
				require.ErrorIs(t, report, virtdriver.ErrHandleType)
				reports = append(reports, report.Error())
			}
			assert.Equal(t, c.reports, reports)
			assert.Equal(t, len(c.attached), strings.Count(string(got.XML), "<hostdev "))
		})
	}
}

func uuids(arqs []cyborgclient.ARQ) []string {
	var all []string
	for _, arq := range arqs {
		all = append(all, arq.UUID)
	}
	return all
}

func TestComposeOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, opt := range []virtdriver.ComposeOption{virtdriver.WithTestPCI(0), virtdriver.WithUnknown(7)} {
		_, err := virtdriver.Compose([]byte("<domain type='kvm'><devices/></domain>"), nil, opt)
		require.ErrorContains(t, err, "needs Fail, Skip or Report")
	}
}

func TestComposeIntoPresentDevices(t *testing.T) {
	t.Parallel()
	const (
		live = `<hostdev mode='subsystem' type='pci' managed='yes'><driver name='vfio'/>` +
			`<source><address domain='0' bus='59' slot='0x0' function='01'/></source>` +
			`<alias name='hostdev0'/><address type='pci' domain='0x0000' bus='0x00' slot='0x05' function='0x0'/></hostdev>`
		port = `<interface type='hostdev' managed='yes'><source><address type='pci' domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/></source></interface>`
		nvme = `<disk type='nvme' device='disk'><source type='pci' managed='yes' namespace='1'><address bus='0x3b' slot='0x00' function='0x1'/></source></disk>`
	)
	wrap := func(device string) string {
		return "<domain type='kvm'>\n<devices>\n" + device + "\n</devices></domain>"
	}
	for _, test := range []struct {
		name, xml, text string
		err             error
	}{
		{"same device of a live guest", wrap(live), "", nil},
		{
			"not managed", wrap(strings.Replace(live, " managed='yes'", "", 1)),
			`compose domain: line 3 column 1: /domain/devices/hostdev[1]: ARQ arq-1: host address in use: 0000:3b:00.1, and managed of <hostdev> is "no", not "yes"`, virtdriver.ErrAddressInUse,
		},
		{"interface", wrap(port), "/domain/devices/interface[1]: ARQ arq-1: host address in use: 0000:3b:00.1, and the device is <interface>, not <hostdev>", virtdriver.ErrAddressInUse},
		{"NVMe disk", wrap(nvme), "the device is <disk>, not <hostdev>", virtdriver.ErrAddressInUse},
		{"namespaces of an NVMe disk", wrap(nvme + "\n" + strings.Replace(nvme, "namespace='1'", "namespace='2'", 1)), "line 3 column 1: /domain/devices/disk[1]: ARQ arq-1: host address in use", virtdriver.ErrAddressInUse},
		{"twice before us", wrap(live + "\n" + port), "line 4 column 1: /domain/devices/interface[1]: same host address twice: 0000:3b:00.1 is also in line 3, /domain/devices/hostdev[1]", virtdriver.ErrAddressTwice},
		{"hexadecimal without 0x", wrap(strings.Replace(live, "bus='59'", "bus='3b'", 1)), `host address of a device: bus "3b" is no number`, virtdriver.ErrAddress},
		{"octal", wrap(strings.Replace(live, "function='01'", "function='010'", 1)), `function "8": out of range`, virtdriver.ErrAddress},
		{"wide domain", wrap(strings.Replace(live, "domain='0'", "domain='0x10001'", 1)), `domain "10001": domains above 0xffff`, virtdriver.ErrAddress},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Compose([]byte(test.xml), []cyborgclient.ARQ{pciARQ("arq-1", "0000:3b:00.1")})
			require.ErrorIs(t, err, test.err)
			if test.err != nil {
				require.ErrorContains(t, err, test.text)
				return
			}
			assert.Equal(t, test.xml, string(got.XML))
			assert.Equal(t, []string{"arq-1"}, uuids(got.Attached))
		})
	}
}
