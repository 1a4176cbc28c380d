package virtdriver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestRealDomains composes into guests found in public reports. Of those that
// are wrong, the ones whose fault is in the host devices are refused even
// though they validate against libvirt's schema.
func TestRealDomains(t *testing.T) {
	t.Parallel()
	refused := map[string]error{
		"n1-function-two-digits-9.xml": virtdriver.ErrAddress,
		"n3-wide-domain.xml":           virtdriver.ErrAddress,
		"n5-duplicate-hostdev.xml":     virtdriver.ErrAddressTwice,
		"n7-function-without-zero.xml": virtdriver.ErrGuestAddress,
	}
	for _, path := range realDomains(t) {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			input := readFile(t, path)
			got, err := virtdriver.Compose(input, []cyborgclient.ARQ{pciARQ("a", "00fe:ed:1f.7"), pciARQ("b", "00fe:ed:1f.6")})
			if want, bad := refused[name]; bad {
				require.ErrorIs(t, err, want)
				require.ErrorContains(t, err, "line ")
				return
			}
			require.NoError(t, err)
			lines, added := strings.Split(string(got.XML), "\n"), 0
			for line := range strings.SplitSeq(string(input), "\n") {
				for lines[added] != line {
					lines = append(lines[:added], lines[added+1:]...)
				}
				added++
			}
			assert.Equal(t, string(input), strings.Join(lines, "\n"), "without the new lines it is the input")
			assert.Equal(t, 10, strings.Count(string(got.XML), "\n")-strings.Count(string(input), "\n"))
			back, err := virtdriver.Decompose(got.XML, got.Attached)
			require.NoError(t, err)
			assert.Equal(t, string(input), string(back.XML))
		})
	}
}

const realInputs = "../../shared/real-inputs"

func realDomains(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(realInputs + "/domain-xml/*.xml")
	require.NoError(t, err)
	if len(paths) == 0 {
		withoutRealInputs(t)
	}
	return paths
}

// realInput reads one file of the real inputs.
func realInput(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realInputs, name))
	if err != nil {
		withoutRealInputs(t)
	}
	return text
}

func withoutRealInputs(t *testing.T) {
	t.Helper()
	const reason = "no facts of real hosts and guests in ../shared/real-inputs"
	if os.Getenv("NOVACYBORG_PEERS") == "required" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
