package virtdriver_test

import (
	"bytes"
	"fmt"
	"regexp"
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

// opensWithBlank is the spelling that does not come back: the end tag is where
// Compose puts it.
var opensWithBlank = regexp.MustCompile(`<devices[^>]* >(\r?\n[ \t]*)?</devices>`)

func checkFuzzed(t *testing.T, input, output []byte, arqs []cyborgclient.ARQ) {
	t.Helper()
	again, err := virtdriver.Compose(output, arqs)
	require.NoError(t, err)
	require.Equal(t, output, again.XML)
	if bytes.Equal(input, output) {
		return
	}
	require.Less(t, len(output), len(input)+500+20*len(input), "indentation and line ends are those of the input")
	back, err := virtdriver.Decompose(output, arqs)
	require.NoError(t, err)
	if !opensWithBlank.Match(input) {
		require.Equal(t, string(input), string(back.XML))
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

// FuzzRunningGuest plugs, unplugs and replaces in any text.
func FuzzRunningGuest(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed), byte(1))
	}
	f.Add(q35(3, liveHostdev), byte(0x3b))
	f.Add([]byte(liveGuest), byte(0x3b))
	f.Fuzz(func(t *testing.T, input []byte, bus byte) {
		old := []cyborgclient.ARQ{pciARQ("old", fmt.Sprintf("0:%x:0.1", bus)), mdevARQ("mdev", vGPU)}
		if unplug, err := virtdriver.HotUnplug(input, old); err == nil {
			for _, fragment := range unplug {
				require.Contains(t, string(input), strings.TrimSuffix(fragment.XML, "\n"))
			}
		}
		if plug, err := virtdriver.HotPlug(input, old); err == nil {
			require.LessOrEqual(t, len(plug), 2)
		}
		next := []cyborgclient.ARQ{pciARQ("next", fmt.Sprintf("0:%x:1.1", bus)), mdevARQ("mdev", vGPU)}
		there, err := virtdriver.Replace(input, old, next)
		if err != nil {
			return
		}
		again, err := virtdriver.Replace(there.XML, old, next)
		require.NoError(t, err)
		require.Equal(t, string(there.XML), string(again.XML))
		gone, err := virtdriver.Decompose(there.XML, old[:1])
		require.NoError(t, err)
		require.Equal(t, []string{"old"}, uuids(gone.Absent))
	})
}
