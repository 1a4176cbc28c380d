package functional_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// corpusVariable names the folder with libvirt's sources, whose tests have some thousand domains.
const corpusVariable = "NOVACYBORG_LIBVIRT_CORPUS"

// refusedInCorpus are the reasons for which Compose may refuse a domain of libvirt's own tests, and what these are.
var refusedInCorpus = []struct {
	err  error
	what string
}{
	{virtdriver.ErrVirtType, "a hypervisor that takes no devices of the host"},
	{virtdriver.ErrAddressTwice, "a device that is there twice"},
	{virtdriver.ErrDevices, "no devices, or twice"},
	{virtdriver.ErrMalformedXML, "no well-formed XML"},
}

// TestLibvirtCorpus composes into every domain of libvirt's own tests: all that was there stays, byte for byte, and what
// was put in comes out again.
func TestLibvirtCorpus(t *testing.T) {
	t.Parallel()
	folder := requireCorpus(t)
	requirePrograms(t, "xmllint")
	originals, composed, refused := []string(nil), t.TempDir(), make(map[string][]string)
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".xml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		result, reason := composeCorpus(t, path, text)
		switch {
		case errors.Is(reason, virtdriver.ErrNotDomain): // networks, capabilities, node devices …
		case reason != nil:
			what := whyRefused(reason)
			assert.NotEmpty(t, what, "%s: %v", path, reason)
			refused[what] = append(refused[what], filepath.Base(path))
		default:
			require.NoError(t, os.WriteFile(filepath.Join(composed, fmt.Sprint(len(originals), ".xml")), result, 0o600))
			originals = append(originals, path)
		}
		return nil
	}))
	for what, names := range refused {
		t.Logf("refused: %d domains with %s, such as %s", len(names), what, names[0])
	}
	t.Logf("composed into %d domains", len(originals))
	assert.GreaterOrEqual(t, len(originals), 1500)
	checkValidity(t, originals, composed)
	for what, names := range refused {
		if what != refusedInCorpus[0].what {
			assert.Less(t, len(names), 25, what)
		}
	}
}

// checkValidity wants domains that libvirt's schema takes to be taken with their new devices too.
func checkValidity(t *testing.T, originals []string, composed string) {
	t.Helper()
	var wanted []string
	valid := validDomains(t, originals)
	for i, path := range originals {
		if valid[path] {
			wanted = append(wanted, filepath.Join(composed, fmt.Sprint(i, ".xml")))
		}
	}
	t.Logf("valid before: %d", len(wanted))
	assert.GreaterOrEqual(t, len(wanted), 1000)
	after := validDomains(t, wanted)
	for _, path := range wanted {
		assert.True(t, after[path], "%s", path)
	}
}

// validDomains asks xmllint for many files at once, since reading the schema takes longest.
func validDomains(t *testing.T, paths []string) map[string]bool {
	t.Helper()
	valid := make(map[string]bool)
	for some := range slices.Chunk(paths, 500) {
		arguments := append([]string{"--noout", "--relaxng", "/usr/share/libvirt/schemas/domain.rng"}, some...)
		out, _ := exec.CommandContext(t.Context(), "xmllint", arguments...).CombinedOutput() // it fails when any file is not valid
		for line := range strings.Lines(string(out)) {
			if path, ok := strings.CutSuffix(line, " validates\n"); ok {
				valid[path] = true
			}
		}
	}
	return valid
}

func whyRefused(err error) string {
	for _, reason := range refusedInCorpus {
		if errors.Is(err, reason.err) {
			return reason.what
		}
	}
	return ""
}

// composeCorpus returns the composed domain, or why it is refused.
func composeCorpus(t *testing.T, path string, text []byte) ([]byte, error) {
	t.Helper()
	mdev := mdevARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a03")
	port := virtdriver.WithPorts(virtdriver.Port{
		ID: "port", MAC: "52:54:00:ab:cd:ef", VLAN: 7, ARQ: pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a04", "00fe", "ed", "1f", "5"),
	})
	arqs := []cyborgclient.ARQ{pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a01", "00fe", "ed", "1f", "7")}
	if !bytes.Contains(text, []byte("type='xen'")) { // which has no mediated devices
		arqs = append(arqs, mdev)
	}
	composition, err := virtdriver.Compose(text, arqs, port)
	if err != nil {
		return nil, err
	}
	again, err := virtdriver.Compose(composition.XML, arqs, port)
	require.NoError(t, err, path)
	assert.Equal(t, string(composition.XML), string(again.XML), path)

	back, err := virtdriver.Decompose(composition.XML, arqs, port)
	require.NoError(t, err, path)
	assert.Equal(t, string(text), string(back.XML), path)
	assert.Len(t, back.Detached, len(arqs)+1, path)

	recomposed, err := virtdriver.Compose(back.XML, arqs, port)
	require.NoError(t, err, path)
	assert.Equal(t, string(composition.XML), string(recomposed.XML), path)
	assert.True(t, isSubsequence(text, composition.XML), "%s: only bytes were added", path)
	return composition.XML, nil
}

// isSubsequence says whether all bytes of the part are in the whole in their order, but for a slash that became a blank.
func isSubsequence(part, whole []byte) bool {
	at := 0
	for _, c := range whole {
		if at < len(part) && (part[at] == c || part[at] == '/' && c == ' ' && at+1 < len(part) && part[at+1] == '>') {
			at++
		}
	}
	return at == len(part)
}

func requireCorpus(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(corpusVariable)
	if folder == "" {
		t.Skipf("%s is not set: no sources of libvirt (apt-get source libvirt)", corpusVariable)
	}
	_, err := os.Stat(filepath.Join(folder, "tests"))
	require.NoError(t, err, corpusVariable)
	return filepath.Join(folder, "tests")
}
