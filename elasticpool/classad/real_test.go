package classad

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deviations are the expressions of which a real HTCondor makes something else on purpose, with what this package
// makes of them.
var deviations = map[string]string{
	// An integer that does not fit is silently 0 in HTCondor.
	`9223372036854775808`:     "(syntax)",
	`99999999999999999999999`: "(syntax)",
	// Go's regular expressions run in linear time and therefore lack these.
	`regexp("a b c","abc","x")`: "error",
	`regexp("a(?=b)","ab")`:     "error",
	`regexp("(a)\\1","aa")`:     "error",
	// Two points are one in HTCondor.
	`..A`: "(syntax)",
}

// TestReal compares with tables that a real HTCondor wrote (testdata/real/evaluate.py says how).
func TestReal(t *testing.T) {
	t.Parallel()
	my, target := readAd(t, "testdata/real/my.ad"), readAd(t, "testdata/real/target.ad")
	for file, target := range map[string]Ad{"testdata/real/match.txt": target, "testdata/real/alone.txt": {}} {
		for line := range strings.Lines(readFile(t, file)) {
			text, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			require.True(t, ok, line)
			if deviation, ok := deviations[text]; ok {
				require.NotEqual(t, want, deviation, "%s is no deviation any more", text)
				want = deviation
			}
			assert.Equal(t, want, evaluated(text, my, target), "%s of %s", text, file)
		}
	}
}

// evaluated returns the value of an expression in the words of the tables.
func evaluated(text string, my, target Ad) string {
	e, err := Parse(text)
	if err != nil {
		return "(syntax)"
	}
	r := &run{}
	v := r.root(e.root, match(my, target))
	if r.failed {
		return "(fails)"
	}
	if f, ok := v.Number(); ok && v.Kind() == KindReal && len(v.String()) > len("1.000000000000000E+00") && f != 0 {
		return strings.Replace(strconv.FormatFloat(f, 'E', 15, 64), "NaN", `real("NaN")`, 1)
	}
	return v.String()
}

func readAd(tb testing.TB, file string) Ad {
	tb.Helper()
	e, err := Parse(readFile(tb, file))
	require.NoError(tb, err)
	ad, ok := e.Eval(Ad{}, Ad{}).Ad()
	require.True(tb, ok)
	return ad
}

func readFile(tb testing.TB, file string) string {
	tb.Helper()
	data, err := os.ReadFile(file)
	require.NoError(tb, err)
	return string(data)
}
