package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sample is what go test -json prints of a small suite: two runs one after the other, with lines of a script between them.
const sample = `{"Action":"start","Package":"github.com/novacyborg/novacyborg/functional"}
{"Action":"run","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient"}
{"Action":"attr","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient","Key":"peer","Value":"openstack command 2.0"}
{"Action":"run","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient/9.0.0"}
{"Action":"run","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient/14.1.0"}
{"Action":"output","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient/14.1.0","Output":"hello\n"}
{"Action":"pass","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient/14.1.0","Elapsed":0.1}
{"Action":"pass","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient/9.0.0","Elapsed":0.1}
{"Action":"pass","Package":"github.com/novacyborg/novacyborg/functional","Test":"TestClient","Elapsed":0.2}
{"Action":"pass","Package":"github.com/novacyborg/novacyborg/functional","Elapsed":0.2}
== the next one
{"Action":"run","Package":"github.com/novacyborg/novacyborg/cyborgclient","Test":"TestSuite"}
{"Action":"run","Package":"github.com/novacyborg/novacyborg/cyborgclient","Test":"TestSuite/bind_wrongly"}
{"Action":"pass","Package":"github.com/novacyborg/novacyborg/cyborgclient","Test":"TestSuite/bind_wrongly","Elapsed":0.1}
{"Action":"pass","Package":"github.com/novacyborg/novacyborg/cyborgclient","Test":"TestSuite","Elapsed":0.1}
`

const sampleClaims = `
- {stage: real, package: functional, test: "TestClient/(?P<release>[0-9.]+)", operation: all commands}
- {stage: real, package: cyborgclient, test: "TestSuite/(?P<operation>.+)", peer: Cyborg, release: 14.1.0}
`

func judged(t *testing.T, claims, results string) ([]row, error) {
	t.Helper()
	parsed, err := readClaims([]byte(claims))
	require.NoError(t, err)
	found, err := readResults(strings.NewReader(results))
	require.NoError(t, err)
	return judge(parsed, map[string][]result{"real": found})
}

func TestRowsAreWhatTheTestsSay(t *testing.T) {
	t.Parallel()
	rows, err := judged(t, sampleClaims, sample)
	require.NoError(t, err)
	assert.Contains(t, page(rows), "|---|---|---|---|---|\n"+
		"| Cyborg | bind wrongly | 14.1.0 | 1 | `cyborgclient TestSuite` |\n"+
		"| openstack command 2.0 | all commands | 9.0.0, 14.1.0 | 2 | `functional TestClient` |\n")
}

func TestWhatHasNotPassedIsNoRow(t *testing.T) {
	t.Parallel()
	const pass = `"Action":"pass","Package":"github.com/novacyborg/novacyborg/cyborgclient","Test":"TestSuite/bind_wrongly"`
	for _, test := range []struct{ name, results, want string }{
		{"failed", strings.Replace(sample, pass, strings.Replace(pass, "pass", "fail", 1), 1), "real: cyborgclient TestSuite/bind_wrongly: fail"},
		{"skipped", strings.Replace(sample, pass, strings.Replace(pass, "pass", "skip", 1), 1), "real: cyborgclient TestSuite/bind_wrongly: skip"},
		{"never ended", strings.Replace(sample, pass, strings.Replace(pass, "pass", "output", 1), 1), "real: cyborgclient TestSuite/bind_wrongly: fail"},
		{"failed the second time", sample + "{" + strings.Replace(pass, "pass", "fail", 1) + "}\n", "real: cyborgclient TestSuite/bind_wrongly: fail"},
		{"not run", strings.ReplaceAll(sample, "TestSuite/bind_wrongly", "TestOther"), "real: no test of cyborgclient is called TestSuite/(?P<operation>.+)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := judged(t, sampleClaims, test.results)
			require.EqualError(t, err, test.want)
		})
	}
}

func TestClaimsAreChecked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, claims, want string }{
		{"unknown key", "- {stages: real}", "field stages not found"},
		{"no test", "- {stage: real, package: p}", "claim 1 needs stage, package and test"},
		{"no pattern", `- {stage: real, package: p, test: "("}`, "claim 1: error parsing regexp"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := readClaims([]byte(test.claims))
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := judged(t, "- {stage: real, package: cyborgclient, test: TestSuite/.*, peer: Cyborg}", sample)
	require.ErrorContains(t, err, "tells no peer, operation or release")
}

// TestOwnClaims: the list in the repository can be read, and names tests that there are.
func TestOwnClaims(t *testing.T) {
	t.Parallel()
	claims, err := readClaims(claimsFile)
	require.NoError(t, err)
	for _, c := range claims {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(c.Package), "*_test.go"))
		require.NoError(t, err)
		var source bytes.Buffer
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			source.Write(text)
		}
		assert.Regexp(t, `func (`+topTests(c.Test)+`)\(t \*testing\.T\)`, source.String(), c.Test)
	}
}

// topTests is the part of a pattern that names functions.
func topTests(pattern string) string {
	pattern, _, _ = strings.Cut(pattern, "/")
	return strings.ReplaceAll(pattern, ".*", "[A-Za-z]*")
}

func TestProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	results, page := filepath.Join(dir, "real.json"), filepath.Join(dir, "page.md")
	require.NoError(t, os.WriteFile(results, []byte(sample), 0o600))
	require.ErrorContains(t, run([]string{"-write", page, results}, t.Output()), "no test of")
	assert.NoFileExists(t, page)
	require.ErrorContains(t, run([]string{results}, t.Output()), "say -write FILE or -check FILE")
	require.Error(t, run([]string{"-check", page, "-stages", "lint clients", results}, t.Output()), "the claims of a stage that was run have tests")
}

// TestStagesThatWereNotRun: their claims are counted, not judged, and other rows of the page may stay.
func TestStagesThatWereNotRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(file, []byte(page(nil)+"| Cyborg | bind wrongly | 14.1.0 | 1 | `cyborgclient TestSuite` |\n"), 0o600))
	var out bytes.Buffer
	require.NoError(t, run([]string{"-check", file, "-stages", "lint format"}, &out))
	assert.Regexp(t, `(?m)^not looked at: [0-9]+ claims of the stage realstack$`, out.String())
	assert.Contains(t, out.String(), "in 0 rows")

	claims, err := readClaims([]byte(sampleClaims))
	require.NoError(t, err)
	kept, left := ofStages(claims, "real lint")
	assert.Len(t, kept, 2)
	assert.Empty(t, left)
	kept, left = ofStages(claims, "lint")
	assert.Empty(t, kept)
	assert.Equal(t, map[string]int{"real": 2}, left)
}

func TestCompareNamesWhatIsDifferent(t *testing.T) {
	t.Parallel()
	rows, err := judged(t, sampleClaims, sample)
	require.NoError(t, err)
	old := page(rows)
	assert.Empty(t, compare(old, rows, true))
	more := strings.Replace(old, "| 1 |", "| 2 |", 1)
	assert.Equal(t, []string{
		"+ | Cyborg | bind wrongly | 14.1.0 | 1 | `cyborgclient TestSuite` |",
		"- | Cyborg | bind wrongly | 14.1.0 | 2 | `cyborgclient TestSuite` |",
	}, compare(more, rows, true))
	assert.Empty(t, compare(old, rows[1:], false), "only the rows of some stages")
}

func TestManyReleasesAreCounted(t *testing.T) {
	t.Parallel()
	r := row{peer: "p", operation: "o", releases: []string{"3.0.0", "9.0.0", "10.0.0", "14.1.0"}, passed: 4, test: "x TestY"}
	assert.Equal(t, "| p | o | 3.0.0 to 14.1.0 (4) | 4 | `x TestY` |\n", line(r))
}

func FuzzReadResults(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"Action":"pass","Package":"p","Test":"T/a/b"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		results, err := readResults(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range results {
			require.NotEmpty(t, r.test)
		}
	})
}

// TestReleasesAreSortedByNumbers: an order, and that of the numbers.
func TestReleasesAreSortedByNumbers(t *testing.T) {
	t.Parallel()
	assert.Negative(t, byNumbers("9.0.0", "14.1.0"))
	assert.Positive(t, byNumbers("2025.1", "14.1.0"))
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.StringMatching(`[0-9]{1,2}(\.[0-9a-z]{1,2}){0,2}`)
		a, b := version.Draw(t, "a"), version.Draw(t, "b")
		require.Equal(t, byNumbers(a, b), -byNumbers(b, a))
	})
}
