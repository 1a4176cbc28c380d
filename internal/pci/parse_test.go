package pci_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/pci"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		fields [4]string
		want   string
	}{
		{"padded", [4]string{"0000", "0c", "00", "1"}, "0000:0c:00.1"},
		{"not padded", [4]string{"0", "c", "0", "1"}, "0000:0c:00.1"},
		{"lower prefix", [4]string{"0x0000", "0x0c", "0x00", "0x1"}, "0000:0c:00.1"},
		{"lower prefix, upper case", [4]string{"0x0000", "0x0C", "0x00", "0x1"}, "0000:0c:00.1"},
		{"upper case", [4]string{"FFFF", "FA", "1F", "7"}, "ffff:fa:1f.7"},
		{"over padded", [4]string{"000ffff", "000c7", "00013", "0005"}, "ffff:c7:13.5"},
		{"zeros beyond any integer", [4]string{strings.Repeat("0", 40) + "1", "0", "0", "0"}, "0001:00:00.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a, err := pci.Parse(test.fields[0], test.fields[1], test.fields[2], test.fields[3])
			require.NoError(t, err)
			assert.Equal(t, test.want, a.String())
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		fields [4]string
		want   error
		text   string
	}{
		{"empty domain", [4]string{"", "0", "0", "0"}, pci.ErrSyntax, `parse pci domain "": want hexadecimal digits, with or without 0x`},
		{"prefix only", [4]string{"0x", "0", "0", "0"}, pci.ErrSyntax, `parse pci domain "0x": want`},
		{"upper prefix", [4]string{"0X4", "0", "0", "0"}, pci.ErrSyntax, `parse pci domain "0X4": want hexadecimal digits, with or without 0x`},
		{"doubled prefix", [4]string{"0x0X4", "0", "0", "0"}, pci.ErrSyntax, `domain "0x0X4"`},
		{"blank before", [4]string{"0", "0", "0", " 1"}, pci.ErrSyntax, `function " 1"`},
		{"blank inside", [4]string{"0", "0", "0", "0x 1"}, pci.ErrSyntax, `function "0x 1"`},
		{"newline after", [4]string{"0", "0\n", "0", "0"}, pci.ErrSyntax, `bus "0\n"`},
		{"sign", [4]string{"0", "-1", "0", "0"}, pci.ErrSyntax, `bus "-1"`},
		{"plus", [4]string{"0", "+1", "0", "0"}, pci.ErrSyntax, `bus "+1"`},
		{"underscore", [4]string{"0", "0_1", "0", "0"}, pci.ErrSyntax, `bus "0_1"`},
		{"quote", [4]string{"0", "0", "0", "1'"}, pci.ErrSyntax, `function "1'"`},
		{"other digits", [4]string{"0", "١", "0", "0"}, pci.ErrSyntax, `bus "١"`},
		{"wide domain", [4]string{"10001", "8a", "0", "0"}, pci.ErrWideDomain, `parse pci domain "10001": domains above 0xffff cannot be assigned`},
		{"domain beyond 64 bit", [4]string{"1ffffffffffffffff", "8a", "0", "0"}, pci.ErrWideDomain, `domain "1f`},
		{"bus", [4]string{"0", "100", "0", "0"}, pci.ErrRange, `parse pci bus "100": out of range, the highest is 0xff`},
		{"device", [4]string{"0", "0", "20", "0"}, pci.ErrRange, `device "20": out of range, the highest is 0x1f`},
		{"function", [4]string{"0", "0", "0", "8"}, pci.ErrRange, `function "8": out of range, the highest is 0x7`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := pci.Parse(test.fields[0], test.fields[1], test.fields[2], test.fields[3])
			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, test.text)
			var typed *pci.Error
			require.ErrorAs(t, err, &typed)
			assert.Contains(t, test.fields, typed.Value)
		})
	}
}

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"full", "0000:3b:00.0", "0000:3b:00.0"},
		{"without domain", "3b:1f.7", "0000:3b:1f.7"},
		{"as Nova joins it", "0000:0c:0.1", "0000:0c:00.1"},
		{"upper case", "00AB:3B:0A.1", "00ab:3b:0a.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a, err := pci.ParseAddress(test.text)
			require.NoError(t, err)
			assert.Equal(t, test.want, a.String())
		})
	}
}

func TestParseAddressRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       error
	}{
		{"empty", "", pci.ErrSyntax},
		{"no function", "0000:3b:00", pci.ErrSyntax},
		{"one part", "3b.0", pci.ErrSyntax},
		{"four parts", "0:0000:3b:00.0", pci.ErrSyntax},
		{"second point", "0000:3b:00.0.0", pci.ErrSyntax},
		{"empty domain", ":3b:00.0", pci.ErrSyntax},
		{"node device name", "pci_0000_3b_00_0", pci.ErrSyntax},
		{"wide domain", "10001:8a:00.0", pci.ErrWideDomain},
		{"function range", "0000:8a:00.9", pci.ErrRange},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := pci.ParseAddress(test.text)
			require.ErrorIs(t, err, test.want)
		})
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"0000:3b:00.0", "3b:00.7", "10001:8a:00.0", "0x0:0X1:1f.7", "::.", "", "0000:0c:0.1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := pci.ParseAddress(text)
		if err != nil {
			var typed *pci.Error
			require.ErrorAs(t, err, &typed)
			require.Zero(t, a)
			return
		}
		require.LessOrEqual(t, a.Device, uint8(0x1f))
		require.LessOrEqual(t, a.Function, uint8(7))
		again, err := pci.ParseAddress(a.String())
		require.NoError(t, err)
		require.Equal(t, a, again)
	})
}
