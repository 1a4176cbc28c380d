package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func TestComposeRefusesXML(t *testing.T) {
	t.Parallel()
	const ok = "<domain type='kvm'><devices/></domain>"
	for _, test := range []struct {
		name, xml, text string
		err             error
	}{
		{"empty", "", "line 1 column 1: malformed XML: there is no root element", virtdriver.ErrMalformedXML},
		{"blank", " \n\n", "line 3 column 1: malformed XML: there is no root", virtdriver.ErrMalformedXML},
		{"not closed", "<domain type='kvm'>\n <devices>\n", "line 3 column 1: malformed XML: unexpected EOF", virtdriver.ErrMalformedXML},
		{"closed across", "<domain type='kvm'>\n<devices></domain></devices>", "line 2 column 19: malformed XML: element <devices> closed by </domain>", virtdriver.ErrMalformedXML},
		{"second root", ok + "\n" + ok, "line 2 column 1: /domain: malformed XML: a second root element", virtdriver.ErrMalformedXML},
		{"text after", ok + "\nx", "malformed XML: text outside of the root", virtdriver.ErrMalformedXML},
		{"text before", "x" + ok, "line 1 column 1: malformed XML: text outside", virtdriver.ErrMalformedXML},
		{"unknown entity", "<domain type='kvm'>&boom;<devices/></domain>", "malformed XML: invalid character entity &boom;", virtdriver.ErrMalformedXML},
		{"other encoding", "<?xml version='1.0' encoding='UTF-7'?>" + ok, `encoding "UTF-7", want UTF-8`, virtdriver.ErrMalformedXML},
		{"bytes that are no UTF-8", "<domain type='kvm'>\xff<devices/></domain>", "malformed XML: invalid UTF-8", virtdriver.ErrMalformedXML},
		{"too deep", "<domain type='kvm'>" + strings.Repeat("<a>", 5000), "malformed XML: elements nest deeper than 1024", virtdriver.ErrMalformedXML},
		{"doctype", "<!DOCTYPE domain [<!ENTITY a 'b'>]>\n" + ok, "line 1 column 1: document type", virtdriver.ErrDoctype},
		{"other root", "<domainsnapshot>" + ok + "</domainsnapshot>", "line 1 column 1: /domainsnapshot: the root element must be <domain>", virtdriver.ErrNotDomain},
		{"root with namespace", "<domain xmlns='urn:x' type='kvm'><devices/></domain>", "/{urn:x}domain: the root element", virtdriver.ErrNotDomain},
		{"no devices", "<domain type='kvm'><metadata><devices/></metadata></domain>", "/domain: the domain must have exactly one <devices>: there is none", virtdriver.ErrDevices},
		{"devices of another namespace", "<domain type='kvm'><devices xmlns='urn:x'/></domain>", "there is none", virtdriver.ErrDevices},
		{"two devices", "<domain type='kvm'>\n<devices/>\n <devices/></domain>", "line 3 column 2: /domain/devices: the domain must have exactly one <devices>: this is the second, the first is in line 2", virtdriver.ErrDevices},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Compose([]byte(test.xml), nil)
			require.ErrorIs(t, err, test.err)
			require.ErrorContains(t, err, test.text)
			var typed *virtdriver.ComposeError
			require.ErrorAs(t, err, &typed)
			assert.Nil(t, got)
		})
	}
}

func TestComposeTakesByteOrderMark(t *testing.T) {
	t.Parallel()
	got, err := virtdriver.Compose([]byte("\ufeff<domain type='kvm'><devices/></domain>"), []cyborgclient.ARQ{pciARQ("a", "0000:01:00.0")})
	require.NoError(t, err)
	assert.Contains(t, string(got.XML), "\ufeff<domain type='kvm'><devices><hostdev ")
}

func TestComposeRefusesDomainTypes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		managed string
	}{
		{"kvm", "yes"},
		{"qemu", "yes"},
		{"xen", "yes"},
		{"test", "yes"},
		{"parallels", "no"},
		{"lxc", ""},
		{"vmware", ""},
		{"KVM", ""},
		{"", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			xml := []byte("<domain type='" + test.name + "'><devices/></domain>")
			_, err := virtdriver.Compose(xml, []cyborgclient.ARQ{typedARQ("t", cyborgclient.HandleTestPCI)})
			require.NoError(t, err, "a guest without devices can be of any type")
			got, err := virtdriver.Compose(xml, []cyborgclient.ARQ{pciARQ("a", "0000:01:00.0")})
			if test.managed == "" {
				require.ErrorIs(t, err, virtdriver.ErrVirtType)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, string(got.XML), "managed='"+test.managed+"'")
		})
	}
}

func TestComposeRefusesHandles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		change     func(info map[string]any)
		errs       []error
	}{
		{"no function", "ARQ a: attach handle lacks a field: function", func(i map[string]any) { delete(i, "function") }, []error{virtdriver.ErrMissingField}},
		{"null", "bad field of attach handle: bus must be text, not <nil>", func(i map[string]any) { i["bus"] = nil }, []error{virtdriver.ErrBadField}},
		{"number", "bad field of attach handle: bus must be text, not float64", func(i map[string]any) { i["bus"] = 3.0 }, []error{virtdriver.ErrBadField}},
		{"range", `parse pci device "20": out of range`, func(i map[string]any) { i["device"] = "20" }, []error{virtdriver.ErrBadField, pci.ErrRange}},
		{"wide domain", `parse pci domain "10001": domains above 0xffff`, func(i map[string]any) { i["domain"] = "10001" }, []error{virtdriver.ErrBadField, pci.ErrWideDomain}},
		{"XML in it", `parse pci function "1'/>"`, func(i map[string]any) { i["function"] = "1'/>" }, []error{virtdriver.ErrBadField, pci.ErrSyntax}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			arq := pciARQ("a", "0000:8a:00.0")
			test.change(arq.AttachHandle.Info)
			_, err := virtdriver.Compose([]byte("<domain type='kvm'><devices/></domain>"), []cyborgclient.ARQ{arq})
			require.ErrorContains(t, err, test.text)
			for _, want := range test.errs {
				require.ErrorIs(t, err, want)
			}
			var typed *virtdriver.ComposeError
			require.ErrorAs(t, err, &typed)
			assert.Equal(t, []string{"a"}, typed.ARQs)
		})
	}
}

func TestComposeRefusesTwoARQsOfOneDevice(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{pciARQ("a", "0000:01:00.0"), pciARQ("b", "0:2:0.0"), pciARQ("c", "0x0:0x1:0x0.0x0")}
	_, err := virtdriver.Compose([]byte("<domain type='kvm'><devices/></domain>"), arqs)
	require.ErrorIs(t, err, virtdriver.ErrAddressTwice)
	require.EqualError(t, err, "compose domain: ARQ a and ARQ c: same host address twice: 0000:01:00.0")
}
