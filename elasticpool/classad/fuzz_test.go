package classad

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse checks that any text is refused with a place in it, or is an expression whose text means the same and whose
// evaluation comes to an end.
func FuzzParse(f *testing.F) {
	for line := range strings.Lines(readFile(f, "testdata/real/match.txt")) {
		text, _, _ := strings.Cut(line, "\t")
		f.Add(text)
	}
	f.Add(readFile(f, "testdata/real/target.ad"))
	ad := readAd(f, "testdata/real/my.ad")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var fault *Error
			require.ErrorAs(t, err, &fault)
			require.Positive(t, fault.Column)
			require.LessOrEqual(t, fault.Column, len(text)+1)
			return
		}
		value := e.Eval(ad, ad)
		printed := e.String()
		if len(printed) > maxLength {
			return
		}
		again, err := Parse(printed)
		require.NoError(t, err, printed)
		require.Equal(t, printed, again.String())
		require.True(t, value.Equal(again.Eval(ad, ad)), printed)
	})
}

// FuzzJSON checks that any ad that is read is read again from what it is written as.
func FuzzJSON(f *testing.F) {
	var ads []json.RawMessage
	require.NoError(f, json.Unmarshal([]byte(readFile(f, "testdata/captures/condor_q_groupby.json")), &ads))
	for _, ad := range ads {
		f.Add([]byte(ad))
	}
	f.Add([]byte(`{"A":"\/Expr({1,[x = 1]})\/","B":[1.5,-0.0,null,{"c":1e999}],"a":"\/Expr(\"\/Expr(1)\/\")\/"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var ad, again Ad
		if json.Unmarshal(data, &ad) != nil {
			return
		}
		written, err := json.Marshal(ad)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(written, &again), string(written))
		require.Equal(t, ad.String(), again.String())
	})
}
