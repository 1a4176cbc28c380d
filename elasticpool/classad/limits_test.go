package classad

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLimits shows that no ad can keep an evaluation going: it ends as the error value.
func TestLimits(t *testing.T) {
	t.Parallel()
	chain := func(first, next string, n int) Ad {
		ad := newAd()
		setText(t, &ad, "A0", first)
		for i := range n {
			setText(t, &ad, fmt.Sprintf("A%d", i+1), fmt.Sprintf(next, i))
		}
		return ad
	}
	for _, tt := range []struct {
		name, text string
		ad         Ad
	}{
		{"itself", "A0", chain("A0", "", 0)},
		{"itself twice", "A0", chain("A0 + A0", "", 0)},
		{"cycle", "A1", chain("A1", "A%[1]d", 1)},
		{"cycle through target", "A0", chain("TARGET.A0", "", 0)},
		{"cycle in a list", "A0", chain("{A0[0]}[0]", "", 0)},
		{"cycle in an ad", "A0", chain("[x = A0].x", "", 0)},
		{"cycle in countMatches", "A0", chain("countMatches(A0,{[x=1]})", "", 0)},
		{"the error does not hide", "isError(A0) || true", chain("A0", "", 0)},
		{"doubling numbers", "A60", chain("1", "A%[1]d + A%[1]d", 60)},
		{"doubling strings", "A60", chain(`"0123456789abcdef"`, "strcat(A%[1]d,A%[1]d)", 60)},
		{"doubling lists", "size(string(A60))", chain("{1}", "{string(A%[1]d),string(A%[1]d)}[0] is string(A%[1]d)", 60)},
		{"deep", "A5000", chain("1", "(A%d)", 5_000)},
		{"patterns", "A20", chain(`"a*b*c*d*e*f*"`, `ifThenElse(regexp(A0,A%[1]d),A%[1]d,A%[1]d)`, 20)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := Parse(tt.text)
			require.NoError(t, err)
			assert.Equal(t, Failed(), e.Eval(tt.ad, tt.ad))
		})
	}
	t.Run("within", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, Int(1001), chain("1", "A%d + 1", 1_000).Eval("A1000", Ad{}))
		assert.Equal(t, Int(1<<14), chain("1", "A%[1]d + A%[1]d", 14).Eval("A14", Ad{}))
	})
}

func setText(tb testing.TB, ad *Ad, name, text string) {
	tb.Helper()
	e, err := Parse(text)
	require.NoError(tb, err)
	ad.SetExpr(name, e)
}
