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
		{"too deep", "<domain type='kvm'>" + strings.Repeat("<a>", 5000), "malformed XML: elements nest deeper than 256", virtdriver.ErrMalformedXML},
		{"attribute twice", "<domain type='qemu'\n type='kvm'><devices/></domain>", "line 1 column 1: /domain: malformed XML: attribute type is there twice", virtdriver.ErrMalformedXML},
		{"attribute twice in a device", "<domain type='kvm'><devices>\n<hostdev type='usb' type='pci'/></devices></domain>", "line 2 column 1: /hostdev: malformed XML: attribute type is there twice", virtdriver.ErrMalformedXML},
		{"attribute twice by its namespace", "<domain type='kvm' xmlns:a='urn:x' xmlns:b='urn:x' a:c='' b:c=''><devices/></domain>", "attribute b:c is there twice", virtdriver.ErrMalformedXML},
		{"prefix bound twice", "<domain type='kvm' xmlns:a='urn:x' xmlns:a='urn:y'><devices/></domain>", "attribute xmlns:a is there twice", virtdriver.ErrMalformedXML},
		{"undeclared prefix of an element", "<domain type='kvm'><devices>\n <q:hostdev/></devices></domain>", "line 2 column 2: /q:hostdev: malformed XML: the prefix of q:hostdev is not declared", virtdriver.ErrMalformedXML},
		{"undeclared prefix of an attribute", "<domain type='kvm'><devices q:x=''/></domain>", "/devices: malformed XML: the prefix of q:x is not declared", virtdriver.ErrMalformedXML},
		{"prefix declared elsewhere", "<domain type='kvm'><a xmlns:q='urn:x'/><q:a/><devices/></domain>", "the prefix of q:a is not declared", virtdriver.ErrMalformedXML},
		{"prefix undeclared again", "<domain type='kvm' xmlns:q=''><devices/></domain>", "xmlns:q is empty", virtdriver.ErrMalformedXML},
		{"reserved prefix", "<domain type='kvm' xmlns:xml='urn:x'><devices/></domain>", "xmlns:xml binds what XML reserves", virtdriver.ErrMalformedXML},
		{"reserved namespace", "<domain type='kvm' xmlns:q='http://www.w3.org/2000/xmlns/'><devices/></domain>", "xmlns:q binds what XML reserves", virtdriver.ErrMalformedXML},
		{"two colons", "<domain type='kvm'><a:b:c/><devices/></domain>", "line 1 column ", virtdriver.ErrMalformedXML},
		{"empty prefix", "<domain type='kvm'><:a/><devices/></domain>", `":a" is no name`, virtdriver.ErrMalformedXML},
		{"digit after the prefix", "<domain type='kvm' xmlns:q='urn:x'><q:1/><devices/></domain>", `"q:1" is no name`, virtdriver.ErrMalformedXML},
		{"declaration after a blank", " <?xml version='1.0'?>" + ok, "line 1 column 2: malformed XML: XML declaration after the start", virtdriver.ErrMalformedXML},
		{"declaration inside", "<domain type='kvm'>\n<?xml version='1.0'?><devices/></domain>", "line 2 column 1: malformed XML: XML declaration after the start", virtdriver.ErrMalformedXML},
		{"declaration in capitals", "<?XML version='1.0'?>" + ok, "<?XML is reserved", virtdriver.ErrMalformedXML},
		{"declaration without version", "<?xml encoding='UTF-8'?>" + ok, "bad XML declaration", virtdriver.ErrMalformedXML},
		{"declaration in the wrong order", "<?xml version='1.0' standalone='yes' encoding='UTF-8'?>" + ok, "bad XML declaration", virtdriver.ErrMalformedXML},
		{"instruction without blank", "<?a#b?>" + ok, "no blank after <?a", virtdriver.ErrMalformedXML},
		{"instruction with a prefix", "<?a:b c?>" + ok, `"a:b" is no name`, virtdriver.ErrMalformedXML},
		{"no blank between attributes", "<domain type='kvm'id='1'><devices/></domain>", "no blank between attributes", virtdriver.ErrMalformedXML},
		{"control character in a comment", "<domain type='kvm'>\n<!-- \x01 --><devices/></domain>", "line 2 column 6: malformed XML: illegal character U+0001", virtdriver.ErrMalformedXML},
		{"no UTF-8 in a comment", "<!-- \xff -->" + ok, "line 1 column 6: malformed XML: invalid UTF-8", virtdriver.ErrMalformedXML},
		{"reference to a surrogate", "<domain type='kvm'>&#xD800;<devices/></domain>", "&#xD800; is no character", virtdriver.ErrMalformedXML},
		{"reference to a surrogate in an attribute", "<domain type='kvm' a='&#55296;'><devices/></domain>", "&#55296; is no character", virtdriver.ErrMalformedXML},
		{"reference outside", "&#32;" + ok, "text outside of the root element", virtdriver.ErrMalformedXML},
		{"empty CDATA outside", ok + "<![CDATA[]]>", "text outside of the root element", virtdriver.ErrMalformedXML},
		{"wide blank outside", ok + "\u00a0", "text outside of the root element", virtdriver.ErrMalformedXML},
		{"end without start", ok + "</domain>", "unexpected end element </domain>", virtdriver.ErrMalformedXML},
		{"closed with another prefix", "<domain type='kvm' xmlns:a='urn:x' xmlns:b='urn:x'><a:x></b:x><devices/></domain>", "element <a:x> closed by </b:x>", virtdriver.ErrMalformedXML},
		{"too long", ok + strings.Repeat(" ", 10_000_000), "10000038 bytes, libvirt takes 10000000", virtdriver.ErrMalformedXML},
		{"name too long", "<domain type='kvm'><" + strings.Repeat("a", 50_001) + "/><devices/></domain>", "a name is too long", virtdriver.ErrMalformedXML},
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

// Elements of a foreign namespace are no devices, however they are named.
func TestComposePassesOverForeignElements(t *testing.T) {
	t.Parallel()
	const source = "<source><address bus='1'/></source>"
	for _, test := range []struct{ name, before, after string }{
		{"prefix", "<domain type='kvm' xmlns:q='urn:x'><devices>", "<q:hostdev type='pci'>" + source + "</q:hostdev></devices></domain>"},
		{"default namespace", "<domain type='kvm'><devices>", "<hostdev xmlns='urn:x' type='pci'>" + source + "</hostdev></devices></domain>"},
		{"source", "<domain type='kvm' xmlns:q='urn:x'><devices><hostdev type='pci'><q:source><address bus='1'/></q:source></hostdev>", "</devices></domain>"},
		{"source in a default namespace", "<domain type='kvm'><devices><hostdev type='pci'><source xmlns='urn:x'><address bus='1'/></source></hostdev>", "</devices></domain>"},
		{"address", "<domain type='kvm'><devices><hostdev type='pci'><source><q:address xmlns:q='urn:x' bus='1'/></source></hostdev>", "</devices></domain>"},
		{"devices", "<domain type='kvm' xmlns:q='urn:x'><q:devices><hostdev type='pci'>" + source + "</hostdev></q:devices><devices>", "</devices></domain>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			input := test.before + test.after
			got, err := virtdriver.Compose([]byte(input), []cyborgclient.ARQ{pciARQ("a", "0000:01:00.0")})
			require.NoError(t, err)
			assert.Equal(t, strings.Count(input, "bus=")+1, strings.Count(string(got.XML), "bus="), "the device is new")
			again, err := virtdriver.Compose(got.XML, []cyborgclient.ARQ{pciARQ("a", "0000:01:00.0")})
			require.NoError(t, err)
			assert.Equal(t, string(got.XML), string(again.XML))
		})
	}
}

func TestComposeTakesByteOrderMark(t *testing.T) {
	t.Parallel()
	got, err := virtdriver.Compose([]byte("\ufeff<domain type='kvm'><devices/></domain>"), []cyborgclient.ARQ{pciARQ("a", "0000:01:00.0")})
	require.NoError(t, err)
	assert.Contains(t, string(got.XML), "\ufeff<domain type='kvm'><devices ><hostdev ")
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
