package fakecyborg

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEncodeLikePython(t *testing.T) {
	t.Parallel()
	o := newObject()
	o.set("z", "a: b, c\"\\ <&>")
	o.set("a", []any{nil, true, json.Number("1")})
	o.set("ü", "\u007f\u2028😀\n")
	got, err := encode(o)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(`{"z": "a: b, c\"\\ <&>", "a": [null, true, 1], "\u00fc": "\u007f\u2028\ud83d\ude00\n"}`, string(got)))
}

// Whatever text goes in comes out again, in ASCII.
func TestEncodeKeepsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{}
		o := newObject()
		for _, text := range rapid.SliceOf(rapid.String()).Draw(t, "texts") {
			want[text] = text
			o.set(text, text)
		}
		data, err := encode(o)
		require.NoError(t, err)
		for _, b := range data {
			require.Less(t, b, byte(0x7f))
		}
		var got map[string]string
		require.NoError(t, json.Unmarshal(data, &got))
		require.Equal(t, want, got)
	})
}

func TestPythonTexts(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`null`: "None", `true`: "True", `false`: "False", `12`: "12", `-0`: "0", `-0.0`: "-0.0", `1.0`: "1.0",
		`1e3`: "1000.0", `1e16`: "1e+16", `1e-5`: "1e-05", `0.0001`: "0.0001", `1e999`: "inf", `-1e999`: "-inf",
		`"a"`: "'a'", `"it's"`: `"it's"`, `"'\""`: `'\'"'`, `"\n\\"`: `'\n\\'`, `[1, "a", {}]`: "[1, 'a', {}]", `{"b": [], "a": null}`: "{'b': [], 'a': None}",
	} {
		v, err := decode([]byte(source))
		require.NoError(t, err)
		assert.Equal(t, want, pythonRepr(v), source)
	}
}

// The work of printing grows with the size of a value and not with its depth:
// no level copies what is inside it, so nothing is allocated beside the output.
func TestReprCopiesNothing(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts for the whole process
	for _, depth := range []int{10, 1000, 9000} {
		for _, shape := range [][2]string{{"[", "]"}, {`{"k": `, "}"}, {`[1, "it's", `, ", null]"}} {
			source := strings.Repeat(shape[0], depth) + `"x"` + strings.Repeat(shape[1], depth)
			v, err := decode([]byte(source))
			require.NoError(t, err)
			out := make([]byte, 0, 2*len(source))
			assert.Zero(t, testing.AllocsPerRun(3, func() { out = appendRepr(out[:0], v) }), "%d × %s", depth, shape[0])
			assert.Equal(t, depth, strings.Count(string(out), strings.TrimSpace(shape[1][len(shape[1])-1:])))
		}
	}
}

func TestRenameAll(t *testing.T) {
	t.Parallel()
	o := newObject()
	for _, key := range []string{"a ", "b", "c ", "d", "d "} {
		o.set(key, strings.ToUpper(key))
	}
	o.renameAll([]rename{{"a ", "a"}, {"c ", "c"}, {"d ", "d"}})
	assert.Equal(t, []string{"b", "d", "a", "c"}, o.keys)
	assert.Equal(t, map[string]any{"b": "B", "d": "D ", "a": "A ", "c": "C "}, o.values)
}

func TestTruth(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		`null`: false, `false`: false, `true`: true, `0`: false, `0.0`: false, `1e999`: true, `""`: false, `"0"`: true,
		`[]`: false, `[0]`: true, `{}`: false, `{"a": 0}`: true,
	} {
		v, err := decode([]byte(source))
		require.NoError(t, err)
		assert.Equal(t, want, truth(v), source)
	}
}

func TestDecodeKeepsOrderAndLastValue(t *testing.T) {
	t.Parallel()
	v, err := decode([]byte(`{"b": 1, "a": 2, "b": 3}`))
	require.NoError(t, err)
	got, err := encode(v)
	require.NoError(t, err)
	assert.Equal(t, `{"b": 3, "a": 2}`, string(got))
}

func TestLooksLikeUUID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0b3c5a1e-0000-4000-8000-00000000000a":           true,
		"0B3C5A1E000040008000-00000000000A":              true,
		"{urn:uuid:0b3c5a1e-0000-4000-8000-0000000000a}": false,
		"urn:uuid:0b3c5a1e-0000-4000-8000-00000000000a":  true,
		"{0b3c5a1e-0000-4000-8000-00000000000a}":         true,
		"uuurn:id:0b3c5a1e-0000-4000-8000-00000000000a":  true, // one after the other
		"0b3c5a1e-0000-4000-8000-00000000000a-":          true,
		"0b3c5a1e-0000-4000-8000-0000-000000g":           false,
		"":                                               false, "zzz": false, "0b3c5a1e-0000-4000-8000-00000000000g": false,
	} {
		assert.Equal(t, want, looksLikeUUID(text), text)
	}
}

// FuzzDecode: what Go takes for JSON is decoded, and its encoding is JSON again
// with the same meaning.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"a": [1, 2.5e3, null, {"b": "ü😀"}], "c": ""}`))
	f.Add([]byte(`[[[[`))
	f.Add([]byte("\"\xff\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := decode(data)
		require.Equal(t, json.Valid(data), err == nil)
		if err != nil {
			return
		}
		again, err := encode(v)
		require.NoError(t, err)
		require.True(t, json.Valid(again))
		if utf8.Valid(data) {
			second, err := decode(again)
			require.NoError(t, err)
			require.Equal(t, v, second)
		}
		_ = pythonRepr(v)
	})
}

func FuzzAccept(f *testing.F) {
	f.Add("text/html;q=0.3, */*;q=1, a, ;;,application/json;q=x")
	f.Fuzz(func(t *testing.T, header string) {
		for _, r := range parseAccept(map[string][]string{"Accept": {header}}) {
			require.NotContains(t, r.major, "/")
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("a=b&a=%zz&+=%20&&=;")
	f.Fuzz(func(t *testing.T, raw string) {
		parameters, refusal := parseQuery(raw)
		if refusal != nil {
			require.Equal(t, 400, refusal.status)
			return
		}
		for name, value := range parameters {
			require.True(t, utf8.ValidString(name+value))
		}
	})
}
