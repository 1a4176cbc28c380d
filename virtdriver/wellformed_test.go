package virtdriver_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/virtdriver"
)

// fuzzSeeds are documents of all kinds, most of them well formed.
var fuzzSeeds = []string{
	"<domain type='kvm'><devices/></domain>",
	"<domain type='kvm'>\n <devices>\n  <hostdev mode='subsystem' type='pci'><source><address bus='1'/></source></hostdev>\n </devices></domain>",
	"<!DOCTYPE d [<!ENTITY a '&b;&b;'>]><domain type=\"qemu\"><devices>&a;</devices></domain>",
	"<domain type='kvm' xmlns:x='urn:y'><x:devices/><devices x:a='&lt;'><![CDATA[<devices>]]></devices></domain>",
	"<domain type='xen'><devices ><!-- </devices> --></devices\n></domain>\r\n",
	strings.Repeat("<domain>", 1100),
	"\ufeff<domain type='parallels'>\r\n\t<devices>\r\n\t\t<interface type='hostdev'/></devices></domain>",
	"<?xml version='1.0' encoding=\"utf-8\" standalone='no'?><?a b?>\n<domain type='kvm'>&#65;&#x42;&amp;<devices><q:hostdev xmlns:q='urn:z' q:type='a' type='b'/></devices></domain><!-- end -->",
	"<domain type='kvm' type='qemu'><devices/></domain>",
	" <?xml version='1.0'?><domain type='kvm'><devices/></domain>",
	"<domain type='kvm'><devices><q:hostdev/></devices></domain>",
	"<domain type='kvm'><devices > </devices></domain>",
	"<domain type='kvm'>\n <devices >\n\n</devices></domain>",
}

// pieces are put into documents where they may or may not belong.
var pieces = []string{
	"<", ">", "/", "'", "\"", "=", "&", ";", " ", "\n", ":", "-", "--", "?", "!", "]]>", "<![CDATA[", "]]", "<!--", "-->", "<?", "?>", "<a>", "</a>", "<a/>",
	" type='kvm'", " a='1'", " b='2'", "c='3'", " xml:lang='en'", " xmlns='urn:x'", " xmlns:q='urn:q'", " xmlns:r='urn:q'", " q:a=''", " r:a=''", "<q:b/>", " xmlns:q=''",
	" xmlns:xml='urn:x'", " xmlns:xmlns='urn:x'", "&#0;", "&#9;", "&#xD800;", "&#xFFFE;", "&#x10FFFF;", "&#x110000;", "&lt;", "&nope;", "&#X41;", "\x00", "\x01", "\x7f", "\u0085",
	"\u00a0", "\u00b7", "\u00d7", "\u0300", "\u0e01", "\u20d0", "\u2028", "\u3005", "\ufeff", "\ufffd", "\uffff", "😀", "\xff", "\xed\xa0\x80", "é",
	"<?xml version='1.0'?>", "<?xml version='1.1'?>", "<?xml?>", "<?XML x?>", "<?x:y z?>", "<?p?>", "<?p#?>", "<!DOCTYPE a>", "<devices/>", "<domain>", "1", "_", "x", ".", "\r",
}

// mutate deletes, doubles or adds something in one to three places.
func mutate(r *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + r.IntN(3) {
		from := r.IntN(len(text) + 1)
		to := min(len(text), from+r.IntN(8))
		switch r.IntN(5) {
		case 0:
			text = slices.Delete(text, from, to)
		case 1:
			text = slices.Insert(text, to, text[from:to]...)
		default:
			text = slices.Insert(text, from, []byte(pieces[r.IntN(len(pieces))])...)
		}
	}
	return text
}

// TestComposeAcceptsOnlyWhatLibxmlTakes: every document that Compose takes,
// libxml2, and so libvirt, takes without complaint, but for namespace names that
// are no URIs, which it reads all the same.
func TestComposeAcceptsOnlyWhatLibxmlTakes(t *testing.T) {
	t.Parallel()
	xmllint := lookForXmllint(t)
	seeds := append([]string{string(readFile(t, "testdata/odd-domain.xml"))}, fuzzSeeds...)
	random := rand.New(rand.NewPCG(1, 2)) // the same documents every time
	dir := t.TempDir()
	var taken []string
	for i := range 60_000 {
		text := []byte(seeds[i%len(seeds)])
		if i >= len(seeds) {
			text = mutate(random, text)
		}
		if _, err := virtdriver.Compose(text, nil); err != nil {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%05d.xml", i))
		require.NoError(t, os.WriteFile(path, text, 0o600))
		taken = append(taken, path)
	}
	require.Greater(t, len(taken), 3000)
	for some := range slices.Chunk(taken, 1000) {
		out, err := exec.CommandContext(t.Context(), xmllint, append([]string{"--noout", "--nonet"}, some...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		for line := range bytes.Lines(out) {
			if !bytes.HasSuffix(line, []byte("is not a valid URI\n")) {
				assert.NotContains(t, string(line), " error : ")
			}
		}
	}
}

func lookForXmllint(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("xmllint")
	if err != nil && os.Getenv("NOVACYBORG_PEERS") == "required" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("no xmllint")
	}
	return path
}
