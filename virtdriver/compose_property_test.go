package virtdriver_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestComposeInSteps: the devices of distinct ARQs all arrive in order, in
// one step or in several.
func TestComposeInSteps(t *testing.T) {
	t.Parallel()
	input := readFile(t, "testdata/odd-domain.xml")
	rapid.Check(t, func(t *rapid.T) {
		addresses := rapid.SliceOfNDistinct(rapid.IntRange(0, 0xffff), 1, 20, rapid.ID[int]).Draw(t, "addresses")
		var arqs []cyborgclient.ARQ
		for i, a := range addresses {
			arqs = append(arqs, pciARQ(strconv.Itoa(i), fmt.Sprintf("%x:%x:%x.%x", a%3, a>>8, a>>3&0x1f, a&7)))
		}
		cut := rapid.IntRange(0, len(arqs)).Draw(t, "cut")
		atOnce, err := virtdriver.Compose(input, arqs)
		if err != nil { // the same function in two ways
			require.ErrorIs(t, err, virtdriver.ErrAddressTwice)
			return
		}
		first, err := virtdriver.Compose(input, arqs[:cut])
		require.NoError(t, err)
		second, err := virtdriver.Compose(first.XML, arqs)
		require.NoError(t, err)
		assert.Equal(t, string(atOnce.XML), string(second.XML))
		assert.Equal(t, len(arqs), bytes.Count(atOnce.XML, []byte(`type="pci"`))-1, "the input has one in its metadata")
	})
}

func FuzzCompose(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed), "0000:3b:00.0")
	}
	f.Fuzz(func(t *testing.T, input []byte, address string) {
		if strings.Count(address, ":") != 2 || strings.Count(address, ".") != 1 || strings.Contains("."+address+".", "..") {
			t.Skip("no four fields")
		}
		fields := strings.FieldsFunc(address, func(r rune) bool { return r == ':' || r == '.' })
		if len(fields) != 4 {
			t.Skip("no four fields")
		}
		arqs := []cyborgclient.ARQ{pciARQ("fuzz", address)}
		got, err := virtdriver.Compose(input, arqs)
		if err != nil {
			require.Nil(t, got)
			require.LessOrEqual(t, len(err.Error()), 4*len(input)+4*len(address)+1000)
			return
		}
		checkFuzzed(t, input, got.XML, arqs)
	})
}

func checkFuzzed(t *testing.T, input, output []byte, arqs []cyborgclient.ARQ) {
	t.Helper()
	again, err := virtdriver.Compose(output, arqs)
	require.NoError(t, err)
	require.Equal(t, output, again.XML)
	if bytes.Equal(input, output) {
		return
	}
	prefix := 0
	for prefix < len(input) && input[prefix] == output[prefix] {
		prefix++
	}
	rest := bytes.TrimPrefix(input[prefix:], []byte("/>")) // <devices/> is opened
	require.True(t, bytes.HasSuffix(output, rest), "%q became %q", input, output)
	before, after := etree.NewDocument(), etree.NewDocument()
	require.NoError(t, before.ReadFromBytes(input))
	require.NoError(t, after.ReadFromBytes(output))
	require.Len(t, after.FindElements("//*"), len(before.FindElements("//*"))+3, "hostdev, source and address are new")
	require.Len(t, after.FindElements("/domain/devices/hostdev"), len(before.FindElements("/domain/devices/hostdev"))+1)
}
