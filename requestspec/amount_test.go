package requestspec

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestParseAmount lists what Python's int() makes of texts and JSON values.
func TestParseAmount(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		value   any
		want    string
		wantErr error
	}{
		{"plain", "12", "12", nil},
		{"leading zeros", "007", "7", nil},
		{"plus", "+3", "3", nil},
		{"minus zero", "-0", "0", nil},
		{"minus", "-3", "-3", nil},
		{"blanks", " \t\n4\v\f\r ", "4", nil},
		{"no-break space", "\u00a08", "8", nil},
		{"ideographic space", "\u30001\u2028", "1", nil},
		{"file separator is no space", "\x1c1", "", errNotNumber},
		{"zero width space is none", "1\u200b", "", errNotNumber},
		{"byte order mark is none", "\ufeff1", "", errNotNumber},
		{"underscore", "1_000", "1000", nil},
		{"underscore first", "_1", "", errNotNumber},
		{"underscore last", "1_", "", errNotNumber},
		{"two underscores", "1__0", "", errNotNumber},
		{"underscore after the sign", "+_1", "", errNotNumber},
		{"blank after the sign", "+ 1", "", errNotNumber},
		{"two signs", "--1", "", errNotNumber},
		{"sign only", "-", "", errNotNumber},
		{"nothing", "", "", errNotNumber},
		{"blanks only", "  ", "", errNotNumber},
		{"point", "2.5", "", errNotNumber},
		{"exponent", "1e3", "", errNotNumber},
		{"hexadecimal", "0x10", "", errNotNumber},
		{"zero byte", "1\x00", "", errNotNumber},
		{"arabic digits", "٣٠", "30", nil},
		{"devanagari digits", "१२", "12", nil},
		{"wide digit", "９", "9", nil},
		{"mathematical digits", "𝟏𝟗", "19", nil},
		{"mixed scripts", "1٣_९", "139", nil},
		{"half is no digit", "½", "", errNotNumber},
		{"superscript is no digit", "²", "", errNotNumber},
		{"int64", "9223372036854775807", "9223372036854775807", nil},
		{"above int64", "9223372036854775808", "9223372036854775808", nil},
		{"below int64", "-9223372036854775809", "-9223372036854775809", nil},
		{"longest", strings.Repeat("9", 4300), strings.Repeat("9", 4300), nil},
		{"too long", strings.Repeat("0", 4301), "", errNotNumber},
		{"invalid UTF-8", "\xff1", "", errNotNumber},
		{"number", json.Number("5"), "5", nil},
		{"number, wide", json.Number("100000000000000000000"), "100000000000000000000", nil},
		{"number, cut", json.Number("2.9"), "2", nil},
		{"number, cut upwards", json.Number("-0.9"), "0", nil},
		{"number, exponent", json.Number("1e22"), "10000000000000000000000", nil},
		{"number, float precision", json.Number("9007199254740993.0"), "9007199254740992", nil},
		{"number, tiny", json.Number("1e-400"), "0", nil},
		{"number, infinite", json.Number("1e400"), "", errNotConvertible},
		{"true", true, "1", nil},
		{"false", false, "0", nil},
		{"go int", 3, "3", nil},
		{"go int64", int64(3), "3", nil},
		{"go float64", 3.7, "3", nil},
		{"null", nil, "", errNotConvertible},
		{"list", []any{"1"}, "", errNotConvertible},
		{"object", map[string]any{}, "", errNotConvertible},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			n, err := parseAmount(tc.value)
			require.ErrorIs(t, err, tc.wantErr)
			if tc.wantErr == nil {
				assert.Equal(t, tc.want, n.String())
			}
		})
	}
}

func TestParseIntReadsWhatBigIntPrints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "negative") {
			want.Neg(want)
		}
		n, err := parseInt(want.String())
		require.NoError(t, err)
		assert.Zero(t, n.big().Cmp(want))
		assert.Equal(t, want.Sign(), n.sign())
		assert.Equal(t, want.IsInt64(), n.wide == nil)
	})
}

func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"1", " +1_0 ", "٣", "-9223372036854775809", "\u00a08", "1e400", "½", "2.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseAmount(text)
		if err != nil {
			require.ErrorIs(t, err, errNotNumber, "a text is never anything else")
			return
		}
		again, err := parseInt(n.String())
		require.NoError(t, err)
		assert.Equal(t, n.String(), again.String())
		if number, err := parseAmount(json.Number(text)); err == nil {
			assert.Equal(t, n.String(), number.String(), "an integer means the same as text and as number")
		} else {
			assert.True(t, errors.Is(err, errNotNumber) || errors.Is(err, errNotConvertible))
		}
	})
}

func TestParseMask(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mask string
		want []int
	}{
		{"0", []int{0}},
		{" 1 , 2,, ", []int{1, 2}},
		{"0-3,^2", []int{0, 1, 3}},
		{"^0-1", []int{2, 3}},
		{" ^3", []int{0, 1, 2}},
		{"1_0", []int{10}},
		{"0,^0", nil},
	} {
		t.Run(tc.mask, func(t *testing.T) {
			t.Parallel()
			cpus, err := parseMask(tc.mask, 4)
			require.NoError(t, err)
			assert.Len(t, cpus, len(tc.want))
			for _, cpu := range tc.want {
				assert.True(t, cpus[cpu], "cpu %d", cpu)
			}
		})
	}
}

func FuzzParseMask(f *testing.F) {
	for _, seed := range []string{"0", "0-3,^2", "^0", "1-", "0-1-2", "^", "-1", "0-99999999999"} {
		f.Add(seed, 4)
	}
	f.Fuzz(func(t *testing.T, mask string, vcpus int) {
		cpus, err := parseMask(mask, vcpus%64)
		if err != nil {
			assert.Empty(t, cpus)
		}
		for cpu := range cpus {
			assert.True(t, cpu >= 0 && cpu < maxCPU)
		}
	})
}
